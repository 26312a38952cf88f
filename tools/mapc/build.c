// Builds the tree: splits space by surfaces until each cell has one contents.
#include "mapc/fragments.h"
#include "mapc/texture.h"
#include "mapc/tree.h"

/// Margin around the brushes, qu. It keeps the space outside the map connected.
#define MC_TREE_MARGIN 64.0
/// Maximum comparisons of planes with surfaces at a node. Beyond it, only some planes are tried.
#define MC_MAX_COMPARISONS 300000

typedef struct {
    mc_fragments_t fragments;
    mc_surfaces_t surfaces;
} cell_t;

typedef struct {
    mc_tree_t *tree;
    mc_pools_t *pools;
    const mc_planes_t *table;
    contents_t background;
    int32_t *tried; ///< per plane: the last node that tried it, plus 1
    int64_t work;   ///< comparisons so far
} builder_t;

/// A plane of the table, prepared for many comparisons.
typedef struct {
    dplane_t plane;
    int32_t number;
    int32_t axis; ///< the axis parallel to the normal, or -1
} splitter_t;

static splitter_t make_splitter(const builder_t *b, int32_t number) {
    dplane_t plane = b->table->planes[number];
    int32_t type = MC_PlaneType(&plane);
    return (splitter_t){plane, number, type <= 2 ? type : -1};
}

static mc_side_t side_of_range(double lo, double hi) {
    if (lo >= -MC_SPLIT_EPSILON) {
        return hi <= MC_SPLIT_EPSILON ? MC_SIDE_ON : MC_SIDE_FRONT;
    }
    return hi <= MC_SPLIT_EPSILON ? MC_SIDE_BACK : MC_SIDE_CROSS;
}

/// Returns the side of a plane on which a surface is.
static mc_side_t surface_side(const mc_surface_t *surface, const splitter_t *splitter) {
    if (surface->plane == splitter->number) {
        return MC_SIDE_ON;
    }
    double lo, hi;
    if (splitter->axis >= 0) {
        // The normal of a stored plane is a positive axis, so the box gives exact distances.
        lo = DV_Axis(surface->bounds.mins, splitter->axis) - splitter->plane.dist;
        hi = DV_Axis(surface->bounds.maxs, splitter->axis) - splitter->plane.dist;
        return side_of_range(lo, hi);
    }
    DB_PlaneRange(&surface->bounds, &splitter->plane, &lo, &hi);
    if (side_of_range(lo, hi) == MC_SIDE_CROSS) {
        MC_WindingRange(surface->winding, &splitter->plane, &lo, &hi);
    }
    return side_of_range(lo, hi);
}

/// Sorts the surfaces of a cell to the two sides of a plane. Surfaces that cross the plane are cut;
/// surfaces in the plane are dropped.
static void split_surfaces(builder_t *b, const mc_surfaces_t *all, int32_t number,
                           mc_surfaces_t halves[2]) {
    mc_pool_t *pool = &b->pools->temp;
    splitter_t splitter = make_splitter(b, number);
    for (int32_t h = 0; h < 2; h++) {
        halves[h].surfaces = MC_Alloc(pool, (size_t)all->count, sizeof *halves[h].surfaces);
        halves[h].count = 0;
    }
    for (int32_t i = 0; i < all->count; i++) {
        const mc_surface_t *surface = &all->surfaces[i];
        mc_side_t side = surface_side(surface, &splitter);
        if (side == MC_SIDE_FRONT || side == MC_SIDE_BACK) {
            mc_surfaces_t *half = &halves[side == MC_SIDE_FRONT ? 0 : 1];
            half->surfaces[half->count++] = *surface;
        } else if (side == MC_SIDE_CROSS) {
            const winding_t *parts[2];
            MC_SplitWinding(pool, surface->winding, &splitter.plane, MC_SPLIT_EPSILON, parts);
            for (int32_t h = 0; h < 2; h++) {
                if (parts[h]) {
                    halves[h].surfaces[halves[h].count++] =
                        MC_MakeSurface(surface->plane, parts[h]);
                }
            }
        }
    }
}

/// Returns the cost of splitting a cell by a plane. The plane with the lowest cost is chosen.
static double plane_cost(builder_t *b, const mc_surfaces_t *all, int32_t number) {
    splitter_t splitter = make_splitter(b, number);
    int32_t count[4] = {0};
    for (int32_t i = 0; i < all->count; i++) {
        count[surface_side(&all->surfaces[i], &splitter)]++;
    }
    MC_CountWork(b->pools->keep.fail, &b->work, all->count);
    // These weights give the fewest nodes on real maps.
    double balance = fabs((double)(count[MC_SIDE_FRONT] - count[MC_SIDE_BACK]));
    return 0.5 * balance + 8.0 * (double)count[MC_SIDE_CROSS] - 4.0 * (double)count[MC_SIDE_ON];
}

/// Returns the best plane to split a cell, or -1 if the cell has no surfaces.
static int32_t choose_plane(builder_t *b, const mc_surfaces_t *all) {
    int64_t work = (int64_t)all->count * all->count;
    int32_t stride = (int32_t)(1 + work / MC_MAX_COMPARISONS);
    int32_t stamp = (int32_t)b->tree->num_nodes + 1;
    int32_t best = -1;
    double best_cost = 0.0;
    int32_t seen = 0;
    for (int32_t i = 0; i < all->count; i++) {
        int32_t number = all->surfaces[i].plane;
        if (b->tried[number] == stamp || seen++ % stride != 0) {
            continue;
        }
        b->tried[number] = stamp;
        double cost = plane_cost(b, all, number);
        if (best < 0 || cost < best_cost) {
            best = number;
            best_cost = cost;
        }
    }
    return best;
}

/// Returns the plane to split a cell, or -1 if the cell is a leaf with *contents.
static int32_t judge_cell(builder_t *b, cell_t *cell, contents_t *contents) {
    const mc_brush_t *winner = MC_FillingBrush(&cell->fragments);
    if (winner) {
        MC_DropWeaker(&cell->fragments, winner);
    }
    int32_t plane = -1;
    if (!winner || winner->contents != CONTENTS_SOLID) {
        plane = cell->surfaces.count > 0
                    ? choose_plane(b, &cell->surfaces)
                    : MC_SettleCell(b->table, &cell->fragments, &winner, &b->work);
    }
    *contents = winner ? winner->contents : b->background;
    return plane;
}

static int32_t build(builder_t *b, cell_t *cell, int32_t depth) {
    contents_t contents;
    int32_t plane = judge_cell(b, cell, &contents);
    if (plane < 0) {
        return MC_AddLeaf(b->tree, &b->pools->keep, contents);
    }
    if (depth >= MC_MAX_TREE_DEPTH) {
        MC_Fail(b->pools->keep.fail, "a hull's tree needs more than %d levels; simplify the map",
                MC_MAX_TREE_DEPTH);
    }
    int32_t node = MC_AddNode(b->tree, &b->pools->keep, plane);
    mc_mark_t mark = MC_Mark(&b->pools->temp);
    mc_fragments_t fragments[2];
    mc_surfaces_t surfaces[2];
    MC_SplitFragments(&b->pools->temp, b->table, &cell->fragments, plane, fragments);
    split_surfaces(b, &cell->surfaces, plane, surfaces);
    for (int32_t h = 0; h < 2; h++) {
        cell_t half = {fragments[h], surfaces[h]};
        int32_t child = build(b, &half, depth + 1);
        b->tree->nodes[node].children[h] = child;
    }
    MC_Release(&b->pools->temp, mark);
    return node;
}

void MC_BuildTree(mc_tree_t *tree, mc_pools_t *pools, const mc_planes_t *table, mc_brushset_t set) {
    *tree = (mc_tree_t){.table = table, .bounds = DB_Empty()};
    for (int32_t i = 0; i < set.count; i++) {
        DB_AddBox(&tree->bounds, &set.brushes[i].bounds);
    }
    if (DB_IsEmpty(&tree->bounds)) {
        DB_AddPoint(&tree->bounds, DV(0, 0, 0));
    }
    dvec_t margin = DV(MC_TREE_MARGIN, MC_TREE_MARGIN, MC_TREE_MARGIN);
    tree->bounds.mins = DV_Sub(tree->bounds.mins, margin);
    tree->bounds.maxs = DV_Add(tree->bounds.maxs, margin);
    mc_mark_t mark = MC_Mark(&pools->temp);
    builder_t b = {.tree = tree, .pools = pools, .table = table, .background = set.background};
    b.tried = MC_Alloc(&pools->temp, table->count, sizeof *b.tried);
    tree->surfaces = MC_FindSurfaces(pools, table, set.brushes, set.count, &b.work);
    cell_t cell = {MC_FragmentBrushes(&pools->temp, set.brushes, set.count), tree->surfaces};
    tree->root = build(&b, &cell, 0);
    MC_Release(&pools->temp, mark);
}
