// fuzz_bsp.c - any bytes as a map file; what loads must answer.
//
// Input:      the file.
// Invariants: a refusal has a reason; the same bytes give the same map; hull 0, which is put into
//             another order, has the contents that the file's own nodes and leafs have; sweeps end,
//             within their segment.

#include "base/assert.h"
#include "base/rng.h"
#include "bsp/bsp.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// The contents of model 0 at a point, by the nodes as the file has them.
static int32_t walk_nodes(const cmap_t *map, vec3_t point) {
    int32_t num = map->leaf_root;
    while (num >= 0) {
        const cnode_t *node = &map->nodes[num];
        num = node->children[PlaneDiff(point, &map->planes[node->plane]) < 0.0f];
    }
    return map->leafs[-1 - num].contents;
}

static vec3_t random_point(rng_t *rng) {
    float size = Rng_Below(rng, 4) == 0 ? 100000.0f : 400.0f;
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -size, size));
}

static void ask(const cmap_t *map, rng_t *rng) {
    vec3_t start = random_point(rng);
    vec3_t end = random_point(rng);
    ASSERT(CM_PointContents(map, 0, start) == (contents_t)walk_nodes(map, start));
    int32_t leaf = CM_PointLeaf(map, start);
    ASSERT(leaf >= 0 && leaf < map->num_leafs);
    const cmodel_t *model = &map->models[Rng_Below(rng, (uint32_t)map->num_models)];
    const hull_t *hull = &model->hulls[Rng_Below(rng, (uint32_t)CM_NumHulls(map->hullset))];
    trace_t trace = CM_HullTrace(hull, start, end);
    ASSERT(trace.fraction >= 0.0f && trace.fraction <= 1.0f);
    ASSERT(VectorWithin(trace.endpos, 100001.0f));
    ASSERT(trace.startsolid == (CM_HullPointContents(hull, start) == CONTENTS_SOLID));
    ASSERT(!trace.allsolid || (trace.startsolid && trace.fraction == 0.0f));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cmap_t map;
    cmap_t again;
    err_t err = {""};
    if (!BSP_Parse(&map, "fuzz.bsp", data, size, &err)) {
        ASSERT(strncmp(err.text, "fuzz.bsp: ", 10) == 0 && !map.arena.base);
        return 0;
    }
    bool good = BSP_Parse(&again, "fuzz.bsp", data, size, &err);
    ASSERT(good && again.hash == map.hash && again.num_clipnodes == map.num_clipnodes);
    ASSERT(memcmp(again.clipnodes, map.clipnodes,
                  (size_t)map.num_clipnodes * sizeof *map.clipnodes) == 0);
    CM_FreeMap(&again);
    rng_t rng = {map.hash};
    for (int i = 0; i < 8; i++) {
        ask(&map, &rng);
    }
    CM_FreeMap(&map);
    return 0;
}
