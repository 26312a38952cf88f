// fuzz_ibsp.c - any bytes as a map of Quake II or Quake III; a loaded map must answer queries.
//
// Input:      the file, without its first four bytes "IBSP".
// Invariants: a refusal has a reason; the same bytes give the same map; corners of brushes are
//             behind their planes, and corners of facets on them; sweeps end, within their segment;
//             a box starts in solid if it touches it; a point in solid is in solid brushes; if a
//             moving box starts in solid, a resting one does; a cluster sees itself.

#include "base/assert.h"
#include "base/rng.h"
#include "bsp/bsp.h"
#include "check_vis.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static vec3_t random_point(rng_t *rng) {
    float size = Rng_Below(rng, 4) == 0 ? 100000.0f : 300.0f;
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -size, size));
}

static void check_brush(const cmap_t *map, const cbrush_t *brush) {
    bool is_facet = brush->flags & BRUSH_FACET;
    for (int32_t i = 0; i < brush->num_vertices; i++) {
        vec3_t at = map->brush_vertices[brush->first_vertex + i];
        float size = 1.0f + fabsf(at.x) + fabsf(at.y) + fabsf(at.z);
        for (int32_t n = 0; n < brush->num_planes; n++) {
            const brush_plane_t *plane = &map->brush_planes[brush->first_plane + n];
            float ahead = DotProduct(plane->normal, at) - plane->dist;
            // Four corners need not lie in one plane.
            float most = (is_facet ? 0.2f : 0.01f) + 1e-5f * size;
            ASSERT(ahead <= most);
        }
    }
}

static void ask(const cmap_t *map, rng_t *rng) {
    vec3_t start = random_point(rng);
    vec3_t end = random_point(rng);
    check_vis(map, start);
    if (map->num_brushes > 0 && Rng_Below(rng, 2)) {
        end = map->brushes[Rng_Below(rng, (uint32_t)map->num_brushes)].bounds.mins;
    }
    const cm_object_t place = {.model = (int32_t)Rng_Below(rng, (uint32_t)map->num_models),
                               .angles = {0.0f, Rng_Below(rng, 2) ? 0.0f : 33.0f, 0.0f}};
    float wide = Rng_Below(rng, 3) == 0 ? 0.0f : Rng_Range(rng, 0.0f, 40.0f);
    vec3_t half = {wide, wide, wide > 0.0f ? 28.0f : 0.0f};
    vec3_t mins = VectorNegate(half);
    trace_t trace = CM_BoxTrace(map, &place, start, end, mins, half);
    ASSERT(trace.fraction >= 0.0f && trace.fraction <= 1.0f);
    ASSERT(VectorWithin(trace.endpos, 1000001.0f));
    ASSERT(!trace.allsolid || (trace.startsolid && trace.fraction == 0.0f));
    const brush_list_t *list = &map->models[place.model].brushes;
    const cm_pose_t pose = {.turned = false};
    trace = CM_BrushTrace(list, &pose, start, end, mins, half);
    ASSERT(trace.startsolid == CM_BrushTouches(list, &pose, start, mins, half, true));
    trace_t stands = CM_BrushTrace(list, &pose, start, start, mins, half);
    ASSERT(stands.startsolid == trace.startsolid);
    const vec3_t none = {0.0f, 0.0f, 0.0f};
    contents_t contents = CM_PointContents(map, place.model, start);
    bool solid = contents == CONTENTS_SOLID || contents == CONTENTS_SKY;
    bool in_brush = CM_BrushTouches(list, &pose, start, none, none, true);
    ASSERT(solid == in_brush); // a point is stopped only by solid and by solid sky
    cm_contact_t contacts[4];
    bounds_t box = {VectorAdd(start, mins), VectorAdd(start, half)};
    int32_t count = CM_Overlap(map, &place, box, contacts, 4);
    ASSERT(count >= 0 && count <= 4);
}

static void fuzz_file(const uint8_t *data, size_t size) {
    cmap_t map;
    cmap_t again;
    err_t err = {""};
    if (!BSP_Parse(&map, "fuzz.bsp", data, size, &err)) {
        ASSERT(strncmp(err.text, "fuzz.bsp: ", 10) == 0 && !map.arena.base);
        return;
    }
    bool good = BSP_Parse(&again, "fuzz.bsp", data, size, &err);
    ASSERT(good && again.hash == map.hash && again.num_brushes == map.num_brushes &&
           again.num_brush_nodes == map.num_brush_nodes);
    ASSERT(map.num_brushes == 0 ||
           memcmp(again.brushes, map.brushes, (size_t)map.num_brushes * sizeof *map.brushes) == 0);
    CM_FreeMap(&again);
    ASSERT(map.brushes_only && map.has_brushes);
    rng_t rng = {map.hash};
    for (int32_t i = 0; i < map.num_brushes; i++) {
        check_brush(&map, &map.brushes[i]);
    }
    for (int i = 0; i < 8; i++) {
        ask(&map, &rng);
    }
    CM_FreeMap(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *file = malloc(size + 4);
    if (file) {
        memcpy(file, "IBSP", 4);
        memcpy(file + 4, data, size);
        fuzz_file(file, size + 4);
    }
    free(file);
    return 0;
}
