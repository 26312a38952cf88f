#include "mapc/cells.h"

#include "mapc/fragments.h"

typedef struct {
    mc_tree_t *tree;
    mc_pools_t *pools;
    const mc_planes_t *table;
    mc_brush_t *brushes; ///< NULL if not wanted
    int32_t count;
    size_t room;
    bool wanted;
} finder_t;

/// Returns the bounds of the tree as a fragment.
static mc_fragment_t *box_fragment(mc_pools_t *pools, mc_planes_t *table, const dbounds_t *box) {
    planeref_t planes[6];
    for (int32_t axis = 0; axis < 3; axis++) {
        dplane_t high = {DV_AxisVector(axis, 1.0), DV_Axis(box->maxs, axis)};
        dplane_t low = {DV_AxisVector(axis, -1.0), -DV_Axis(box->mins, axis)};
        planes[axis * 2] = MC_FindPlane(table, high);
        planes[axis * 2 + 1] = MC_FindPlane(table, low);
    }
    mc_brush_t *brush = MC_Alloc(&pools->keep, 1, sizeof *brush);
    MC_ShapeBrush(pools, table, brush, planes, 6);
    return MC_FragmentBrushes(&pools->keep, brush, 1).fragments[0];
}

static void keep_leaf(finder_t *f, int32_t leaf, const mc_fragment_t *fragment) {
    f->tree->leafs[leaf].bounds = fragment->bounds;
    contents_t contents = f->tree->leafs[leaf].contents;
    if (!f->wanted || contents == CONTENTS_SOLID || fragment->num_sides < 4) {
        return;
    }
    mc_pool_t *keep = &f->pools->keep;
    f->brushes = MC_Grow(keep, f->brushes, (size_t)f->count, &f->room, sizeof *f->brushes);
    mc_brush_t *brush = &f->brushes[f->count];
    *brush = (mc_brush_t){.order = f->count, .contents = contents, .bounds = fragment->bounds};
    brush->sides = MC_Alloc(keep, (size_t)fragment->num_sides, sizeof *brush->sides);
    for (int32_t i = 0; i < fragment->num_sides; i++) {
        brush->sides[brush->num_sides++] = (mc_side_poly_t){
            fragment->sides[i].plane, MC_CopyWinding(keep, fragment->sides[i].winding), NULL};
    }
    f->count++;
}

/// Visits a subtree. `fragment`: the cell of `child`; NULL if rounding left no volume.
static void find(finder_t *f, int32_t child, mc_fragment_t *fragment) {
    if (!fragment) {
        return;
    }
    if (child < 0) {
        keep_leaf(f, -1 - child, fragment);
        return;
    }
    mc_node_t *node = &f->tree->nodes[child];
    node->bounds = fragment->bounds;
    mc_mark_t mark = MC_Mark(&f->pools->temp);
    mc_fragment_t *halves[2] = {NULL, NULL};
    mc_side_t side = MC_FragmentSide(f->table, fragment, node->plane);
    if (side == MC_SIDE_CROSS) {
        MC_SplitFragment(&f->pools->temp, f->table, fragment, node->plane, halves);
    } else if (side != MC_SIDE_ON) {
        halves[side == MC_SIDE_FRONT ? 0 : 1] = fragment;
    }
    find(f, node->children[0], halves[0]);
    find(f, node->children[1], halves[1]);
    MC_Release(&f->pools->temp, mark);
}

void MC_FindCells(mc_tree_t *tree, mc_pools_t *pools, mc_planes_t *table, mc_brush_t **brushes,
                  int32_t *count) {
    finder_t f = {.tree = tree, .pools = pools, .table = table, .wanted = brushes != NULL};
    find(&f, tree->root, box_fragment(pools, table, &tree->bounds));
    if (brushes) {
        *brushes = f.brushes;
        *count = f.count;
    }
}
