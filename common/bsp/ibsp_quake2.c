/// bsp/ibsp_quake2.c - loads Quake II's maps (IBSP 38): finds the brushes of each model.
//
// model -> node -> ... -> leaf -> leafbrushes -> brush -> sides -> planes
// A model has only the root of its tree; its brushes are those of the leaves.

#include "bsp/ibsp.h"

#include <stdlib.h>

enum {
    AT_HEADNODE = 36,
    AT_CHILDREN = 4,
    AT_FIRST_LEAFBRUSH = 24,
    AT_NUM_LEAFBRUSHES = 26,
    AT_CONTENTS = 8,
    AT_TEXINFO_FLAGS = 32,
    AT_TEXINFO_NAME = 40,
    MAX_SHARING = 16 // leaves that share a leafbrush, on average
};

/// A walk through the nodes of all models.
typedef struct {
    ibsp_t ibsp;
    bool *node_seen;
    int32_t *leaf_seen, *brush_seen; // 1 + the last model that contains the leaf or brush; 0 = none
    int32_t *stack;                  // children to visit
    int32_t stacked;
    int64_t leafbrushes; // leafbrushes visited so far
} walk_t;

static const uint8_t *record(const walk_t *walk, int32_t lump, int32_t number) {
    const lump_t *l = &walk->ibsp.file->lumps[lump];
    return l->data + (size_t)number * (size_t)l->record_bytes;
}

static int32_t count_of(const walk_t *walk, int32_t lump) {
    return walk->ibsp.file->lumps[lump].count;
}

/// Adds the leaf's brushes that the model lacks.
static bool add_leaf(walk_t *walk, int32_t model, int32_t number) {
    const bsp_file_t *file = walk->ibsp.file;
    const uint8_t *leaf = record(walk, Q2_LUMP_LEAFS, number);
    int32_t first = Lumps_U16(leaf + AT_FIRST_LEAFBRUSH);
    int32_t count = Lumps_U16(leaf + AT_NUM_LEAFBRUSHES);
    int32_t most = count_of(walk, Q2_LUMP_LEAFBRUSHES);
    if (count > most || first > most - count) {
        return Lumps_Fail(
            file, Q2_LUMP_LEAFS,
            "leaf %d: expected leafbrushes within 0..%d, found a range of %d that starts at %d",
            number, most - 1, count, first);
    }
    walk->leafbrushes += count;
    if (walk->leafbrushes > (int64_t)MAX_SHARING * most) {
        return Lumps_Fail(file, Q2_LUMP_LEAFS,
                          "leaf %d: expected each of %d leafbrushes in at most %d leafs on "
                          "average, found more",
                          number, most, MAX_SHARING);
    }
    for (int32_t i = first; i < first + count; i++) {
        int32_t brush = Lumps_U16(record(walk, Q2_LUMP_LEAFBRUSHES, i));
        if (brush >= count_of(walk, Q2_LUMP_BRUSHES)) {
            return Lumps_Fail(file, Q2_LUMP_LEAFBRUSHES,
                              "leafbrush %d: expected a brush 0..%d, found %d", i,
                              count_of(walk, Q2_LUMP_BRUSHES) - 1, brush);
        }
        if (walk->brush_seen[brush] == model + 1) {
            continue;
        }
        walk->brush_seen[brush] = model + 1;
        uint32_t flags = Lumps_U32(record(walk, Q2_LUMP_BRUSHES, brush) + AT_CONTENTS);
        if (!Ibsp_AddBrush(&walk->ibsp, brush, flags)) {
            return false;
        }
    }
    return true;
}

static bool add_node(walk_t *walk, int32_t number) {
    const bsp_file_t *file = walk->ibsp.file;
    if (walk->node_seen[number]) {
        return Lumps_Fail(file, Q2_LUMP_NODES, "node %d: expected one path to it, found two",
                          number);
    }
    walk->node_seen[number] = true;
    for (int32_t side = 1; side >= 0; side--) {
        int32_t child = Lumps_I32(record(walk, Q2_LUMP_NODES, number) + AT_CHILDREN + side * 4);
        if (child < -count_of(walk, Q2_LUMP_LEAFS) || child >= count_of(walk, Q2_LUMP_NODES)) {
            return Lumps_Fail(file, Q2_LUMP_NODES, "node %d: expected a child %d..%d, found %d",
                              number, -count_of(walk, Q2_LUMP_LEAFS),
                              count_of(walk, Q2_LUMP_NODES) - 1, child);
        }
        walk->stack[walk->stacked++] = child;
    }
    return true;
}

static bool add_model(walk_t *walk, int32_t model) {
    int32_t num_leafs = count_of(walk, Q2_LUMP_LEAFS);
    int32_t head = Lumps_I32(record(walk, Q2_LUMP_MODELS, model) + AT_HEADNODE);
    if (head < -num_leafs || head >= count_of(walk, Q2_LUMP_NODES)) {
        return Lumps_Fail(walk->ibsp.file, Q2_LUMP_MODELS,
                          "model %d: expected the root in %d..%d, found %d", model, -num_leafs,
                          count_of(walk, Q2_LUMP_NODES) - 1, head);
    }
    int32_t first = walk->ibsp.brushes.brushes.count;
    walk->stacked = 0;
    walk->stack[walk->stacked++] = head;
    while (walk->stacked > 0) {
        int32_t child = walk->stack[--walk->stacked];
        if (child >= 0) {
            if (!add_node(walk, child)) {
                return false;
            }
            continue;
        }
        // Skip visited leaves: many nodes share the solid outside.
        bool seen = walk->leaf_seen[-1 - child] == model + 1;
        walk->leaf_seen[-1 - child] = model + 1;
        if (!seen && !add_leaf(walk, model, -1 - child)) {
            return false;
        }
    }
    return Ibsp_EndModel(&walk->ibsp, model, first);
}

static bool add_models(walk_t *walk) {
    size_t nodes = (size_t)count_of(walk, Q2_LUMP_NODES);
    walk->node_seen = calloc(nodes + 1, sizeof *walk->node_seen);
    walk->leaf_seen = calloc((size_t)count_of(walk, Q2_LUMP_LEAFS) + 1, sizeof *walk->leaf_seen);
    walk->brush_seen =
        calloc((size_t)count_of(walk, Q2_LUMP_BRUSHES) + 1, sizeof *walk->brush_seen);
    walk->stack = calloc(2 * nodes + 1, sizeof *walk->stack); // each node pushes two, once
    if (!walk->node_seen || !walk->leaf_seen || !walk->brush_seen || !walk->stack) {
        return Lumps_Fail(walk->ibsp.file, Q2_LUMP_NODES, "no memory for %zu nodes", nodes);
    }
    for (int32_t i = 0; i < walk->ibsp.num_models; i++) {
        if (!add_model(walk, i)) {
            return false;
        }
    }
    return true;
}

bool Ibsp_ParseQuake2(cmap_t *map, const bsp_file_t *file) {
    walk_t walk = {.ibsp = {.file = file,
                            .planes_lump = Q2_LUMP_PLANES,
                            .brushes_lump = Q2_LUMP_BRUSHES,
                            .sides_lump = Q2_LUMP_SIDES,
                            .models_lump = Q2_LUMP_MODELS,
                            .surfaces_lump = Q2_LUMP_TEXINFO,
                            .at_surface_name = AT_TEXINFO_NAME,
                            .at_surface_flags = AT_TEXINFO_FLAGS}};
    bool good = Ibsp_Open(&walk.ibsp) && add_models(&walk) && Ibsp_Finish(&walk.ibsp, map);
    free(walk.node_seen);
    free(walk.leaf_seen);
    free(walk.brush_seen);
    free(walk.stack);
    Ibsp_Close(&walk.ibsp);
    return good;
}
