#include "mapc/tree.h"

#include "base/assert.h"
#include "mapc/texture.h"

#include <string.h>

/// Room around the brushes, so that the outside is one connected place.
#define MC_TREE_MARGIN 64.0
/// Most comparisons of a candidate plane with a piece at one node; beyond, candidates are sampled.
#define MC_MAX_COMPARISONS 1000000

/// A side of a piece. `used`: a node above splits by its plane already.
typedef struct {
    planeref_t plane;
    bool used;
    const winding_t *winding;
} piece_side_t;

/// What a cell holds of a brush. A piece all of whose sides are used fills its cell; it needs no
/// sides any more (num_sides 0).
typedef struct {
    const mc_brush_t *brush;
    int32_t num_sides;
    dbounds_t bounds;
    piece_side_t sides[];
} piece_t;

/// The pieces of a cell.
typedef struct {
    piece_t **pieces;
    int32_t count;
} piece_list_t;

typedef struct {
    mc_tree_t *tree;
    mc_pools_t *pools;
    const mc_planes_t *table;
    int32_t *tried; ///< per plane: the node that tried it last, so that each is tried once
    int64_t *work;  ///< comparisons so far
} builder_t;

static dplane_t stored_plane(const builder_t *b, int32_t number) {
    return b->table->planes[number];
}

static void bound_piece(piece_t *piece) {
    piece->bounds = DB_Empty();
    for (int32_t i = 0; i < piece->num_sides; i++) {
        const winding_t *w = piece->sides[i].winding;
        for (int32_t k = 0; k < w->num_points; k++) {
            DB_AddPoint(&piece->bounds, w->points[k]);
        }
    }
}

static piece_t *piece_of_brush(mc_pool_t *pool, const mc_brush_t *brush) {
    size_t sides = (size_t)brush->num_sides;
    piece_t *piece = MC_Alloc(pool, 1, sizeof *piece + sides * sizeof(piece_side_t));
    piece->brush = brush;
    piece->num_sides = brush->num_sides;
    piece->bounds = brush->bounds;
    for (int32_t i = 0; i < brush->num_sides; i++) {
        piece->sides[i] = (piece_side_t){brush->sides[i].plane, false, brush->sides[i].winding};
    }
    return piece;
}

static bool fills_cell(const piece_t *piece) {
    return piece->num_sides == 0;
}

/// A piece all of whose sides are used needs them no more.
static piece_t *settle(mc_pool_t *pool, piece_t *piece) {
    for (int32_t i = 0; i < piece->num_sides; i++) {
        if (!piece->sides[i].used) {
            return piece;
        }
    }
    piece_t *full = MC_Alloc(pool, 1, sizeof *full);
    full->brush = piece->brush;
    return full;
}

/// How far a piece reaches to both sides of a plane.
static void piece_range(const piece_t *piece, const dplane_t *plane, double *lo, double *hi) {
    *lo = 1e30;
    *hi = -1e30;
    for (int32_t i = 0; i < piece->num_sides; i++) {
        double l;
        double h;
        MC_WindingRange(piece->sides[i].winding, plane, &l, &h);
        *lo = l < *lo ? l : *lo;
        *hi = h > *hi ? h : *hi;
    }
}

/// Where a piece lies relative to a plane; ON: it is thinner than the epsilon on both sides.
static mc_side_t piece_side(const piece_t *piece, const dplane_t *plane, int32_t number) {
    for (int32_t i = 0; i < piece->num_sides; i++) {
        if (piece->sides[i].plane / 2 == number) {
            return piece->sides[i].plane & 1 ? MC_SIDE_FRONT : MC_SIDE_BACK;
        }
    }
    double lo;
    double hi;
    DB_PlaneRange(&piece->bounds, plane, &lo, &hi);
    // A box's range is exact for an axial plane and only an outer limit for others.
    if (MC_PlaneType(plane) > 2 && lo < -MC_SPLIT_EPSILON && hi > MC_SPLIT_EPSILON) {
        piece_range(piece, plane, &lo, &hi);
    }
    if (lo >= -MC_SPLIT_EPSILON) {
        return hi <= MC_SPLIT_EPSILON ? MC_SIDE_ON : MC_SIDE_FRONT;
    }
    return hi <= MC_SPLIT_EPSILON ? MC_SIDE_BACK : MC_SIDE_CROSS;
}

/// The same piece with the sides in a plane marked used (a new one if there are any).
static piece_t *mark_used(mc_pool_t *pool, piece_t *piece, int32_t number) {
    for (int32_t i = 0; i < piece->num_sides; i++) {
        if (piece->sides[i].plane / 2 == number && !piece->sides[i].used) {
            size_t bytes = sizeof *piece + (size_t)piece->num_sides * sizeof(piece_side_t);
            piece_t *copy = MC_Alloc(pool, 1, bytes);
            memcpy(copy, piece, bytes);
            copy->sides[i].used = true;
            return settle(pool, copy);
        }
    }
    return piece;
}

/// The cut through a piece: the plane's polygon inside it, or NULL.
static const winding_t *cut_winding(const builder_t *b, const piece_t *piece,
                                    const dplane_t *plane) {
    const winding_t *w = MC_PlaneWinding(&b->pools->temp, plane);
    for (int32_t i = 0; i < piece->num_sides && w; i++) {
        dplane_t side = MC_PlaneOf(b->table, piece->sides[i].plane);
        w = MC_ClipWinding(&b->pools->temp, w, &side, MC_BRUSH_EPSILON);
    }
    return w;
}

static void add_side(piece_t *piece, planeref_t plane, bool used, const winding_t *winding) {
    piece->sides[piece->num_sides++] = (piece_side_t){plane, used, winding};
}

/// Cuts a piece that crosses a plane into two. When rounding leaves a part without shape, that
/// part is NULL.
static void split_piece(const builder_t *b, const piece_t *piece, int32_t number,
                        piece_t *halves[2]) {
    mc_pool_t *pool = &b->pools->temp;
    dplane_t plane = stored_plane(b, number);
    const winding_t *cut = cut_winding(b, piece, &plane);
    size_t bytes = sizeof *piece + ((size_t)piece->num_sides + 1) * sizeof(piece_side_t);
    for (int32_t h = 0; h < 2; h++) {
        halves[h] = MC_Alloc(pool, 1, bytes);
        halves[h]->brush = piece->brush;
    }
    for (int32_t i = 0; i < piece->num_sides; i++) {
        const piece_side_t *side = &piece->sides[i];
        const winding_t *parts[2];
        MC_SplitWinding(pool, side->winding, &plane, MC_BRUSH_EPSILON, parts);
        for (int32_t h = 0; h < 2; h++) {
            if (parts[h]) {
                add_side(halves[h], side->plane, side->used, parts[h]);
            }
        }
    }
    for (int32_t h = 0; h < 2; h++) {
        if (cut) {
            // The front half lies before the plane: its side there faces back.
            add_side(halves[h], number * 2 + (h == 0 ? 1 : 0), true, cut);
        }
        bound_piece(halves[h]);
        halves[h] = halves[h]->num_sides < 3 ? NULL : settle(pool, halves[h]);
    }
}

/// Deals the pieces of a cell to the two sides of a plane.
static void split_list(const builder_t *b, const piece_list_t *list, int32_t number,
                       piece_list_t halves[2]) {
    mc_pool_t *pool = &b->pools->temp;
    dplane_t plane = stored_plane(b, number);
    for (int32_t h = 0; h < 2; h++) {
        halves[h].pieces = MC_Alloc(pool, (size_t)list->count, sizeof(piece_t *));
        halves[h].count = 0;
    }
    for (int32_t i = 0; i < list->count; i++) {
        piece_t *piece = list->pieces[i];
        piece_t *parts[2] = {NULL, NULL};
        mc_side_t side = fills_cell(piece) ? MC_SIDE_CROSS : piece_side(piece, &plane, number);
        if (fills_cell(piece)) {
            parts[0] = parts[1] = piece;
        } else if (side == MC_SIDE_CROSS) {
            split_piece(b, piece, number, parts);
        } else if (side != MC_SIDE_ON) {
            parts[side == MC_SIDE_FRONT ? 0 : 1] = mark_used(pool, piece, number);
        }
        for (int32_t h = 0; h < 2; h++) {
            if (parts[h]) {
                halves[h].pieces[halves[h].count++] = parts[h];
            }
        }
    }
}

/// What a candidate plane would do to the pieces of a cell; lower is better.
static double plane_cost(const builder_t *b, const piece_list_t *list, int32_t number) {
    dplane_t plane = stored_plane(b, number);
    int32_t front = 0;
    int32_t back = 0;
    int32_t splits = 0;
    int32_t sides = 0;
    for (int32_t i = 0; i < list->count; i++) {
        const piece_t *piece = list->pieces[i];
        if (fills_cell(piece)) {
            continue;
        }
        for (int32_t k = 0; k < piece->num_sides; k++) {
            sides += piece->sides[k].plane / 2 == number ? 1 : 0;
        }
        switch (piece_side(piece, &plane, number)) {
        case MC_SIDE_FRONT:
            front++;
            break;
        case MC_SIDE_BACK:
            back++;
            break;
        case MC_SIDE_CROSS:
            splits++;
            break;
        case MC_SIDE_ON:
        default:
            break;
        }
    }
    // Found by trying: these make the fewest nodes on real maps. A plane that several brushes share
    // saves later splits; cutting a piece makes two of it.
    double balance = fabs((double)(front - back));
    return 0.5 * balance + 8.0 * (double)splits - 4.0 * (double)sides;
}

/// How many sides of the pieces may still split.
static int32_t count_candidates(const piece_list_t *list) {
    int32_t count = 0;
    for (int32_t i = 0; i < list->count; i++) {
        for (int32_t k = 0; k < list->pieces[i]->num_sides; k++) {
            count += list->pieces[i]->sides[k].used ? 0 : 1;
        }
    }
    return count;
}

/// The plane to split a cell by, or -1 when nothing in it needs a split.
static int32_t choose_plane(const builder_t *b, const piece_list_t *list) {
    int32_t candidates = count_candidates(list);
    if (candidates == 0) {
        return -1;
    }
    if (*b->work > MC_MAX_TREE_WORK) {
        MC_Fail(b->pools->keep.fail,
                "brushes that overlap too much: a hull needs more than %lld comparisons",
                (long long)MC_MAX_TREE_WORK);
    }
    int64_t work = (int64_t)candidates * list->count;
    int32_t stride = (int32_t)(1 + work / MC_MAX_COMPARISONS);
    int32_t stamp = (int32_t)b->tree->num_nodes + 1;
    int32_t best = -1;
    double best_cost = 0.0;
    int32_t seen = 0;
    for (int32_t i = 0; i < list->count; i++) {
        for (int32_t k = 0; k < list->pieces[i]->num_sides; k++) {
            const piece_side_t *side = &list->pieces[i]->sides[k];
            int32_t number = side->plane / 2;
            if (side->used || b->tried[number] == stamp || seen++ % stride != 0) {
                continue;
            }
            b->tried[number] = stamp;
            double cost = plane_cost(b, list, number);
            *b->work += list->count;
            if (best < 0 || cost < best_cost) {
                best = number;
                best_cost = cost;
            }
        }
    }
    return best;
}

/// The contents that the pieces filling a cell give it.
static contents_t settle_contents(const piece_list_t *list, int32_t *rank) {
    const mc_brush_t *winner = NULL;
    for (int32_t i = 0; i < list->count; i++) {
        const mc_brush_t *brush = list->pieces[i]->brush;
        if (!fills_cell(list->pieces[i])) {
            continue;
        }
        int32_t mine = MC_ContentsRank(brush->contents);
        int32_t theirs = winner ? MC_ContentsRank(winner->contents) : -1;
        if (mine > theirs || (mine == theirs && brush->order > winner->order)) {
            winner = brush;
        }
    }
    *rank = winner ? MC_ContentsRank(winner->contents) : 0;
    return winner ? winner->contents : CONTENTS_EMPTY;
}

static int32_t new_leaf(const builder_t *b, contents_t contents) {
    mc_tree_t *tree = b->tree;
    tree->leafs = MC_Grow(&b->pools->keep, tree->leafs, tree->num_leafs, &tree->leaf_room,
                          sizeof *tree->leafs);
    tree->leafs[tree->num_leafs] = (mc_leaf_t){.contents = contents, .bounds = DB_Empty()};
    return -1 - (int32_t)tree->num_leafs++;
}

static int32_t new_node(const builder_t *b, int32_t plane) {
    mc_tree_t *tree = b->tree;
    if (tree->num_nodes >= MC_MAX_TREE_NODES) {
        MC_Fail(b->pools->keep.fail, "a hull of more than %d nodes", MC_MAX_TREE_NODES);
    }
    tree->nodes = MC_Grow(&b->pools->keep, tree->nodes, tree->num_nodes, &tree->node_room,
                          sizeof *tree->nodes);
    tree->nodes[tree->num_nodes] = (mc_node_t){.plane = plane, .bounds = DB_Empty()};
    return (int32_t)tree->num_nodes++;
}

/// Drops the pieces that cannot matter: those weaker than what fills the cell already.
static void drop_weaker(piece_list_t *list, int32_t rank) {
    int32_t kept = 0;
    for (int32_t i = 0; i < list->count; i++) {
        if (MC_ContentsRank(list->pieces[i]->brush->contents) >= rank) {
            list->pieces[kept++] = list->pieces[i];
        }
    }
    list->count = kept;
}

static int32_t build(const builder_t *b, piece_list_t *list, int32_t depth) {
    int32_t rank;
    contents_t contents = settle_contents(list, &rank);
    drop_weaker(list, rank);
    bool decided = rank == MC_ContentsRank(CONTENTS_SOLID);
    int32_t plane = decided ? -1 : choose_plane(b, list);
    if (plane < 0) {
        return new_leaf(b, contents);
    }
    if (depth >= MC_MAX_TREE_DEPTH) {
        MC_Fail(b->pools->keep.fail, "a hull deeper than %d nodes", MC_MAX_TREE_DEPTH);
    }
    int32_t node = new_node(b, plane);
    mc_mark_t mark = MC_Mark(&b->pools->temp);
    piece_list_t halves[2];
    split_list(b, list, plane, halves);
    for (int32_t h = 0; h < 2; h++) {
        int32_t child = build(b, &halves[h], depth + 1);
        b->tree->nodes[node].children[h] = child;
    }
    MC_Release(&b->pools->temp, mark);
    return node;
}

void MC_BuildTree(mc_tree_t *tree, mc_pools_t *pools, const mc_planes_t *table,
                  const mc_brush_t *brushes, int32_t num_brushes) {
    *tree = (mc_tree_t){.table = table, .bounds = DB_Empty()};
    mc_mark_t mark = MC_Mark(&pools->temp);
    int64_t work = 0;
    builder_t b = {.tree = tree, .pools = pools, .table = table, .work = &work};
    b.tried = MC_Alloc(&pools->temp, table->count, sizeof *b.tried);
    piece_list_t list = {MC_Alloc(&pools->temp, (size_t)num_brushes, sizeof(piece_t *)), 0};
    for (int32_t i = 0; i < num_brushes; i++) {
        list.pieces[list.count++] = piece_of_brush(&pools->temp, &brushes[i]);
        DB_AddBox(&tree->bounds, &brushes[i].bounds);
    }
    if (DB_IsEmpty(&tree->bounds)) {
        DB_AddPoint(&tree->bounds, DV(0, 0, 0));
    }
    dvec_t margin = DV(MC_TREE_MARGIN, MC_TREE_MARGIN, MC_TREE_MARGIN);
    tree->bounds.mins = DV_Sub(tree->bounds.mins, margin);
    tree->bounds.maxs = DV_Add(tree->bounds.maxs, margin);
    tree->root = build(&b, &list, 0);
    MC_Release(&pools->temp, mark);
}

int32_t MC_PointLeaf(const mc_tree_t *tree, dvec_t point) {
    int32_t child = tree->root;
    while (child >= 0) {
        const mc_node_t *node = &tree->nodes[child];
        double d = DP_Distance(&tree->table->planes[node->plane], point);
        child = node->children[d >= 0.0 ? 0 : 1];
    }
    return -1 - child;
}

/// Copies a subtree into another tree, merging as it comes back up. Returns the child.
static int32_t prune(const mc_tree_t *from, mc_tree_t *to, mc_pools_t *pools, int32_t child) {
    builder_t b = {.tree = to, .pools = pools};
    if (child < 0) {
        const mc_leaf_t *leaf = &from->leafs[-1 - child];
        if (leaf->contents == CONTENTS_SOLID) {
            return -1;
        }
        int32_t copy = new_leaf(&b, leaf->contents);
        to->leafs[-1 - copy].bounds = leaf->bounds;
        return copy;
    }
    int32_t node = new_node(&b, from->nodes[child].plane);
    to->nodes[node].bounds = from->nodes[child].bounds;
    size_t leafs = to->num_leafs;
    int32_t front = prune(from, to, pools, from->nodes[child].children[0]);
    int32_t back = prune(from, to, pools, from->nodes[child].children[1]);
    to->nodes[node].children[0] = front;
    to->nodes[node].children[1] = back;
    if (front >= 0 || back >= 0 ||
        to->leafs[-1 - front].contents != to->leafs[-1 - back].contents) {
        return node;
    }
    // Both sides are the same stuff: the node is the last one made, and its leafs the last two.
    ASSERT((size_t)node + 1 == to->num_nodes);
    to->num_nodes--;
    if (front == -1) {
        return -1;
    }
    ASSERT(to->num_leafs == leafs + 2);
    to->num_leafs--;
    DB_AddBox(&to->leafs[-1 - front].bounds, &to->leafs[-1 - back].bounds);
    return front;
}

void MC_PruneTree(mc_tree_t *tree, mc_pools_t *pools) {
    mc_tree_t pruned = {.table = tree->table, .bounds = tree->bounds};
    builder_t b = {.tree = &pruned, .pools = pools};
    new_leaf(&b, CONTENTS_SOLID); // leaf 0
    pruned.root = prune(tree, &pruned, pools, tree->root);
    *tree = pruned;
}
