// Tests of the slices of edict-probe draw: the shapes drawn for brushes, triangles and hulls are
// the shapes that collide.

#include "base/rng.h"
#include "bsp/map_local.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"
#include "probe/slice.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define MAX_SHAPES 4096

/// Stores a shape of a written slice: closed, or a line of two points.
typedef struct {
    char css_class[16];
    svg_point_t at[64];
    int32_t count;
    bool closed;
} drawn_t;

/// Reads the output of Slice_Write. Returns the number of shapes.
static int32_t read_shapes(const char *text, drawn_t *shapes) {
    int32_t count = 0;
    const char *at = text;
    while ((at = strstr(at, "<path class=\"")) != NULL) {
        drawn_t *shape = &shapes[count++];
        assert_true(count < MAX_SHAPES);
        shape->count = 0;
        assert_int_equal(sscanf(at, "<path class=\"%15[a-z]\"", shape->css_class), 1);
        at = strstr(at, " d=\"") + 4;
        while (*at == 'M' || *at == 'L') {
            int used = 0;
            svg_point_t *p = &shape->at[shape->count++];
            assert_true(shape->count < (int32_t)COUNTOF(shape->at));
            assert_int_equal(sscanf(at + 1, "%lf %lf%n", &p->x, &p->y, &used), 2);
            at += 1 + used;
        }
        shape->closed = *at == 'z';
    }
    return count;
}

static bool holds(const drawn_t *shape, svg_point_t p) {
    bool inside = false;
    for (int32_t i = 0; i < shape->count; i++) {
        svg_point_t a = shape->at[i];
        svg_point_t b = shape->at[i + 1 == shape->count ? 0 : i + 1];
        if ((a.y <= p.y) != (b.y <= p.y) && a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x) > p.x) {
            inside = !inside;
        }
    }
    return shape->closed && inside;
}

typedef struct {
    const cmap_t *map;
    picture_t picture;
} slice_case_t;

static drawn_t drawn[MAX_SHAPES]; // static because it is large

/// Draws the slice of a map at a fraction of its size. Returns the number of shapes, entities last.
static int32_t slice_map(slice_case_t *slice, const cmap_t *map, int32_t axis, float share) {
    static things_t things; // static because it is large
    err_t err;
    assert_true(Probe_ReadThings(map, &things, &err));
    picture_options_t options = Picture_WholeMap(map);
    bounds_t world = map->models[0].bounds;
    slice->map = map;
    options.kind = PICTURE_SLICE;
    options.axis = axis;
    options.hull = -1;
    options.at = VectorAxis(world.mins, axis) +
                 share * (VectorAxis(world.maxs, axis) - VectorAxis(world.mins, axis));
    assert_true(Picture_Open(&slice->picture, map, &options, &err));
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    int32_t written = Slice_Write(out, &slice->picture, map, &things);
    fclose(out);
    int32_t count = read_shapes(text, drawn);
    free(text);
    assert_true(written > 0);
    assert_int_equal(written, count);
    return count;
}

// Checks that every solid point of the plane is inside a shape of stone, and no other point is.
static void check_brush_slice(const cmap_t *map, int32_t axis, float share) {
    slice_case_t slice;
    int32_t count = slice_map(&slice, map, axis, share);
    int32_t solids = 0;
    rng_t rng = {(uint64_t)axis + 7};
    for (int32_t i = 0; i < 2000; i++) {
        bounds_t world = map->models[0].bounds;
        float at = slice.picture.options.at;
        vec3_t place = {axis == 0 ? at : Rng_Range(&rng, world.mins.x, world.maxs.x),
                        axis == 1 ? at : Rng_Range(&rng, world.mins.y, world.maxs.y),
                        axis == 2 ? at : Rng_Range(&rng, world.mins.z, world.maxs.z)};
        svg_point_t p = Picture_Point(&slice.picture, place);
        bool in_stone = false;
        for (int32_t n = 0; n < count; n++) {
            in_stone |= strcmp(drawn[n].css_class, "stone") == 0 && holds(&drawn[n], p);
        }
        bool solid = CM_PointContents(map, 0, place) == CONTENTS_SOLID;
        if (solid != in_stone) {
            fail_msg("axis %d: (%g %g %g) is %d, drawn %d", axis, (double)place.x, (double)place.y,
                     (double)place.z, solid, in_stone);
        }
        solids += solid;
    }
    print_message("axis %d: %d shapes, %d of 2000 places solid\n", axis, count, solids);
    assert_true(solids > 50);
    assert_true(solids < 1950);
    Picture_Close(&slice.picture);
}

static void test_slices_of_brushes_show_what_is_solid(void **state) {
    (void)state;
    cmap_t map;
    err_t err;
    const char *path = "../shared/data/bsp/lqdm2_q2.bsp";
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not here\n", path);
        skip();
    }
    assert_true(Map_LoadInto(&map, path, &err));
    map.entities[0] = '\0'; // only the world
    map.entities_bytes = 0;
    for (int32_t axis = 0; axis < 3; axis++) {
        check_brush_slice(&map, axis, 0.37f + 0.07f * (float)axis);
    }
    CM_FreeMap(&map);
}

// Tests slices of triangles: every line is on the surface, and wherever the plane cuts the surface
// there is a line.
static void test_slices_of_triangles_are_lines_on_them(void **state) {
    (void)state;
    cmap_t map;
    err_t err;
    assert_true(Map_LoadInto(&map, "tests/fuzz/corpus/emesh/box.emesh", &err));
    bounds_t box = map.models[0].bounds;
    for (int32_t axis = 0; axis < 3; axis++) {
        slice_case_t slice;
        int32_t count = slice_map(&slice, &map, axis, 0.4f);
        svg_point_t lo = Picture_Point(&slice.picture, box.mins);
        svg_point_t hi = Picture_Point(&slice.picture, box.maxs);
        double length = 0.0;
        for (int32_t i = 0; i < count; i++) {
            assert_int_equal(drawn[i].count, 2);
            assert_false(drawn[i].closed);
            assert_string_equal(drawn[i].css_class, "facet");
            svg_point_t a = drawn[i].at[0];
            svg_point_t b = drawn[i].at[1];
            bool upright = a.x == b.x && (a.x == lo.x || a.x == hi.x);
            bool level = a.y == b.y && (a.y == lo.y || a.y == hi.y);
            assert_true(upright || level);
            length += fabs(a.x - b.x) + fabs(a.y - b.y);
        }
        assert_true(length == 2.0 * (fabs(hi.x - lo.x) + fabs(hi.y - lo.y)));
        Picture_Close(&slice.picture);
    }
    CM_FreeMap(&map);
}

static void write_file(const char *folder, const char *name, const void *data, size_t size) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static void remove_file(const char *folder, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    remove(path);
}

// Tests a mesh placed by the map: it is cut in its pose, so turned back its lines are on the sides
// of the box.
static void test_slices_of_placed_meshes_are_turned(void **state) {
    (void)state;
    static const char entities[] =
        "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"func_mesh\"\n\"model\" "
        "\"thing.emesh\"\n\"origin\" \"3 2 1\"\n\"angles\" \"0 30 0\"\n}\n";
    char folder[] = "/tmp/edict-slice-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char bytes[65536];
    FILE *in = fopen("tests/fuzz/corpus/emesh/box.emesh", "rb");
    assert_non_null(in);
    size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    write_file(folder, "w.emesh", bytes, size);
    write_file(folder, "thing.emesh", bytes, size);
    write_file(folder, "w.ent", entities, sizeof entities - 1);
    char path[256];
    snprintf(path, sizeof path, "%s/w.emesh", folder);
    cmap_t map;
    err_t err;
    bool good = Map_LoadInto(&map, path, &err);
    remove_file(folder, "w.emesh");
    remove_file(folder, "thing.emesh");
    remove_file(folder, "w.ent");
    rmdir(folder);
    if (!good) {
        fail_msg("%s", err.text);
    }
    slice_case_t slice;
    int32_t count = slice_map(&slice, &map, 2, 0.5f);
    bounds_t box = map.models[0].bounds;
    int32_t turned = 0;
    for (int32_t i = 0; i < count; i++) {
        bool axial = drawn[i].at[0].x == drawn[i].at[1].x || drawn[i].at[0].y == drawn[i].at[1].y;
        for (int32_t k = 0; k < 2 && !axial; k++) {
            double x = drawn[i].at[k].x - 3.0;
            double y = -drawn[i].at[k].y - 2.0;
            double along = x * cos(M_PI / 6.0) + y * sin(M_PI / 6.0);
            double across = y * cos(M_PI / 6.0) - x * sin(M_PI / 6.0);
            double off =
                fmin(fmin(fabs(along - (double)box.mins.x), fabs(along - (double)box.maxs.x)),
                     fmin(fabs(across - (double)box.mins.y), fabs(across - (double)box.maxs.y)));
            assert_true(off < 0.02);
        }
        turned += !axial;
    }
    assert_true(turned >= 4);
    assert_true(count - turned >= 4); // four sides of each box
    Picture_Close(&slice.picture);
    // Half a unit above the world's floor, an object one unit higher is not drawn.
    float height = box.maxs.z - box.mins.z;
    assert_int_equal(slice_map(&slice, &map, 2, 0.5f / height), count - turned);
    Picture_Close(&slice.picture);
    CM_FreeMap(&map);
}

// Tests a slice of hull 1: a cell is open if a player's box at its middle touches nothing solid.
static void test_slices_of_hulls_are_cells(void **state) {
    (void)state;
    cmap_t map;
    err_t err;
    const char *path = "../shared/data/bsp/lqdm2.bsp";
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not here\n", path);
        skip();
    }
    assert_true(Map_LoadInto(&map, path, &err));
    assert_false(Slice_HasShapes(&map, false));
    assert_true(Slice_HasShapes(&map, true));
    for (int32_t axis = 0; axis < 3; axis++) {
        picture_options_t options = Picture_WholeMap(&map);
        bounds_t world = map.models[0].bounds;
        bounds_t box = CM_HullSize(HULLSET_QUAKE, 1);
        picture_t picture;
        int32_t open = 0;
        options.kind = PICTURE_SLICE;
        options.axis = axis;
        options.at = 0.5f * (VectorAxis(world.mins, axis) + VectorAxis(world.maxs, axis)) + 0.3f;
        options.hull = 1;
        assert_true(Picture_Open(&picture, &map, &options, &err));
        for (int32_t i = 0; i < picture.columns * picture.rows; i++) {
            double step = (double)picture.options.step;
            float u = (float)(picture.corner.x + (i % picture.columns + 0.5) * step);
            float v = -(float)(picture.corner.y + ((double)(i / picture.columns) + 0.5) * step);
            vec3_t at = axis == 0   ? Vector(options.at, u, v)
                        : axis == 1 ? Vector(u, options.at, v)
                                    : Vector(u, v, options.at);
            const cm_object_t place = {.model = 0};
            trace_t trace = CM_BoxTrace(&map, &place, at, at, box.mins, box.maxs);
            assert_int_equal(picture.cells[i] == SVG_NO_CELL, !trace.startsolid);
            open += !trace.startsolid;
        }
        print_message("axis %d: %d of %d cells open\n", axis, open, picture.columns * picture.rows);
        assert_true(open > 100);
        assert_true(open < picture.columns * picture.rows);
        Picture_Close(&picture);
    }
    CM_FreeMap(&map);
}

// Tests a brush entity that turns about its middle: it is drawn where it is solid.
static void test_slices_of_turning_brushes_are_in_place(void **state) {
    (void)state;
    const test_block_t blocks[] = {
        {.box = {{100, -200, 20}, {180, -100, 90}}, .contents = CONTENTS_SOLID, .model = 1}};
    const test_map_t test = {.room = {{-500, -500, 0}, {500, 500, 400}},
                             .blocks = blocks,
                             .num_blocks = (int32_t)COUNTOF(blocks),
                             .entities = "{\"classname\" \"worldspawn\"}\n"
                                         "{\"classname\" \"func_rotating\" \"model\" \"*1\"}\n",
                             .brush_list = true};
    cmap_t map;
    slice_case_t slice;
    assert_true(TestMap_Build(&map, &test));
    assert_true(VectorCompare(CM_ModelPivot(&map, 1), Vector(140, -150, 55)));
    int32_t count = slice_map(&slice, &map, 2, 0.1f);
    svg_point_t inside = Picture_Point(&slice.picture, Vector(105, -195, slice.picture.options.at));
    svg_point_t outside = Picture_Point(&slice.picture, Vector(95, -195, slice.picture.options.at));
    bool has_inside = false;
    bool has_outside = false;
    for (int32_t i = 0; i < count; i++) {
        has_inside |= holds(&drawn[i], inside);
        has_outside |= holds(&drawn[i], outside);
    }
    assert_true(has_inside);
    assert_true(!has_outside);
    Picture_Close(&slice.picture);
    CM_FreeMap(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices_of_brushes_show_what_is_solid),
        cmocka_unit_test(test_slices_of_triangles_are_lines_on_them),
        cmocka_unit_test(test_slices_of_placed_meshes_are_turned),
        cmocka_unit_test(test_slices_of_hulls_are_cells),
        cmocka_unit_test(test_slices_of_turning_brushes_are_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
