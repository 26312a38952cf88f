#include "lib/brush_runs_fixture.h"

#include "base/rng.h"
#include "bsp/recover.h"
#include "lib/ibsp_fixture.h"
#include "lib/map_fixture.h"

enum { SWEEPS = 60 };

static vec3_t random_vector(rng_t *rng, float size) {
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -size, size));
}

static vec3_t random_half(rng_t *rng, float least, float most) {
    float x = Rng_Range(rng, least, most);
    float y = Rng_Range(rng, least, most);
    return Vector(x, y, Rng_Range(rng, least, most));
}

/// Builds a room with blocks cut at random, and the same blocks as models 1..6.
static bool make_map(cmap_t *map, bool brush_list) {
    test_block_t blocks[24];
    rng_t rng = {77};
    for (int32_t i = 0; i < (int32_t)COUNTOF(blocks); i++) {
        int32_t model = i < 18 ? 0 : i - 17;
        vec3_t middle = model ? random_vector(&rng, 8.0f) : random_vector(&rng, 300.0f);
        vec3_t half = random_half(&rng, 8.0f, 80.0f);
        blocks[i] = TestMap_Box(VectorSubtract(middle, half), VectorAdd(middle, half));
        blocks[i].model = model;
        blocks[i].contents = i % 9 == 3   ? CONTENTS_CLIP
                             : i % 9 == 5 ? CONTENTS_WATER
                                          : CONTENTS_SOLID;
        if (i % 3 != 0) {
            blocks[i].cut_normal = VectorNormalize(random_vector(&rng, 1.0f), NULL);
            blocks[i].cut_dist = DotProduct(blocks[i].cut_normal, middle) + 6.0f;
        }
    }
    return TestMap_Build(
        map, &(test_map_t){.room = {{-400.0f, -400.0f, -400.0f}, {400.0f, 400.0f, 400.0f}},
                           .blocks = blocks,
                           .num_blocks = (int32_t)COUNTOF(blocks),
                           .brush_list = brush_list});
}

static void print_vectors(test_golden_t *golden, const char *what, const vec3_t *vectors,
                          int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        TestGolden_Print(golden, "%s %d", what, i);
        TestGolden_Vector(golden, "at", vectors[i]);
        TestGolden_Print(golden, "\n");
    }
}

/// Prints the loader's brush list.
static void print_brushes(test_golden_t *golden, const cmap_t *map) {
    for (int32_t i = 0; i < map->num_brushes; i++) {
        const cbrush_t *brush = &map->brushes[i];
        TestGolden_Print(golden, "brush %d contents %d faces %d", i, brush->contents,
                         brush->num_faces);
        TestGolden_Vector(golden, "mins", brush->bounds.mins);
        TestGolden_Vector(golden, "maxs", brush->bounds.maxs);
        TestGolden_Print(golden, "\n");
        for (int32_t n = 0; n < brush->num_planes; n++) {
            const brush_plane_t *plane = &map->brush_planes[brush->first_plane + n];
            TestGolden_Print(golden, "plane %a", (double)plane->dist);
            TestGolden_Vector(golden, "normal", plane->normal);
            TestGolden_Print(golden, "\n");
        }
        if (i % 8 == 7) {
            print_vectors(golden, "corner", &map->brush_vertices[brush->first_vertex],
                          brush->num_vertices);
            print_vectors(golden, "edge", &map->brush_edges[brush->first_edge], brush->num_edges);
        }
    }
    for (int32_t i = 0; i < map->num_brush_nodes; i++) {
        const int32_t *children = map->brush_nodes[i].children;
        TestGolden_Print(golden, "node %d: %d %d %d %d\n", i, children[0], children[1], children[2],
                         children[3]);
    }
}

static void print_trace(test_golden_t *golden, int32_t number, const trace_t *trace) {
    TestGolden_Print(golden, "%d fraction %a", number, (double)trace->fraction);
    TestGolden_Vector(golden, "end", trace->endpos);
    TestGolden_Vector(golden, "normal", trace->plane.normal);
    TestGolden_Print(golden, " dist %a contents %d%s%s\n", (double)trace->plane.dist,
                     trace->contents, trace->startsolid ? " startsolid" : "",
                     trace->allsolid ? " allsolid" : "");
}

static void print_sweeps(test_golden_t *golden, const cmap_t *map, int32_t model, vec3_t angles,
                         rng_t *rng) {
    cm_object_t place = {.model = model,
                         .solids = CM_SOLIDS_AUTO,
                         .origin = model ? random_vector(rng, 100.0f) : Vector(0.0f, 0.0f, 0.0f),
                         .angles = angles};
    TestGolden_Print(golden, "# model %d", model);
    TestGolden_Vector(golden, "turned", angles);
    bounds_t around = CM_TurnedBounds(place.origin, angles, map->models[model].bounds.mins,
                                      map->models[model].bounds.maxs);
    TestGolden_Vector(golden, "mins", around.mins);
    TestGolden_Vector(golden, "maxs", around.maxs);
    TestGolden_Print(golden, "\n");
    for (int32_t i = 0; i < SWEEPS; i++) {
        vec3_t half = i % 6 == 5 ? Vector(0.0f, 0.0f, 0.0f) : random_half(rng, 1.0f, 36.0f);
        vec3_t start = VectorAdd(place.origin, random_vector(rng, model ? 150.0f : 360.0f));
        vec3_t end = VectorAdd(i % 2 ? start : place.origin, random_vector(rng, 100.0f));
        vec3_t mins = VectorSubtract(Vector(0.0f, 0.0f, 0.0f), half);
        trace_t trace = CM_BoxTrace(map, &place, start, end, mins, half);
        print_trace(golden, i, &trace);
        TestGolden_Print(golden, "touches %d contents %d\n",
                         CM_BoxTouches(map, &place, start, mins, half),
                         CM_Contents(map, &place, start));
    }
}

static bool print_map(test_golden_t *golden, bool brush_list) {
    cmap_t map;
    rng_t rng = {5};
    if (!make_map(&map, brush_list)) {
        return false;
    }
    print_brushes(golden, &map);
    print_sweeps(golden, &map, 0, Vector(0.0f, 0.0f, 0.0f), &rng);
    for (int32_t model = 1; model < map.num_models; model++) {
        print_sweeps(golden, &map, model, Vector(0.0f, 0.0f, 0.0f), &rng);
        print_sweeps(golden, &map, model, Vector(0.0f, Rng_Range(&rng, -180.0f, 180.0f), 0.0f),
                     &rng);
        print_sweeps(golden, &map, model, random_vector(&rng, 180.0f), &rng);
    }
    CM_FreeMap(&map);
    return true;
}

/// Builds a hilly patch of 5 x 7 control points over a floor, and a model that is a block of water.
static bool print_patches(test_golden_t *golden) {
    enum { WIDTH = 5, HEIGHT = 7 };
    const test_ibsp_brush_t brushes[] = {
        {.box = {{-400.0f, -400.0f, -232.0f}, {400.0f, 400.0f, -200.0f}}, .flags = 1},
        {.box = {{-32.0f, -32.0f, -32.0f}, {32.0f, 32.0f, 32.0f}}, .flags = 32, .model = 1},
    };
    rng_t rng = {6};
    vec3_t points[WIDTH * HEIGHT];
    for (int32_t i = 0; i < WIDTH * HEIGHT; i++) {
        points[i] =
            VectorAdd(random_vector(&rng, 60.0f), Vector(120.0f * (float)(i % WIDTH - 2),
                                                         90.0f * (float)(i / WIDTH - 3), 0.0f));
    }
    const test_ibsp_patch_t patch = {points, WIDTH, HEIGHT, 1};
    cmap_t map;
    if (!TestIbsp_Build(&map, &(test_ibsp_t){.version = 46,
                                             .brushes = brushes,
                                             .num_brushes = 2,
                                             .num_models = 2,
                                             .patches = &patch,
                                             .num_patches = 1})) {
        return false;
    }
    TestGolden_Print(golden, "# patch\n");
    print_brushes(golden, &map);
    print_sweeps(golden, &map, 0, Vector(0.0f, 0.0f, 0.0f), &rng);
    print_sweeps(golden, &map, 0, Vector(20.0f, 33.0f, 0.0f), &rng);
    print_sweeps(golden, &map, 1, Vector(0.0f, 0.0f, 0.0f), &rng);
    CM_FreeMap(&map);
    return true;
}

/// Recovers the brushes of the random room from its hulls.
static bool print_recovered(test_golden_t *golden) {
    cmap_t map;
    if (!make_map(&map, false)) {
        return false;
    }
    Map_RecoverBrushes(&map);
    TestGolden_Print(golden, "# recovered\n");
    print_brushes(golden, &map);
    CM_FreeMap(&map);
    return true;
}

bool TestBrushRuns_Print(test_golden_t *golden) {
    return print_map(golden, true) && print_map(golden, false) && print_patches(golden) &&
           print_recovered(golden);
}
