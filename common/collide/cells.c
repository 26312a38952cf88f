#include "collide/cells.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/limits.h"
#include "collide/segment.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_SIDE = 8,          // cells along each side of a block
    MAX_BLOCK_NODES = 4096,  // of the tree of a block
    MAX_CELL_NODES = 48,     // of the tree of a cell
    MAX_LOOKS = 1 << 23,     // at nodes, for a hull: a tree that shares its parts has no end
    MAX_WAITING = 1024,      // back sides that wait
    MAX_ALL_NODES = 1 << 18, // of all cells of a hull
    HASH_SLOTS = 1 << 17,    // more than cells
};

_Static_assert(HASH_SLOTS > MAX_HULL_CELLS && (HASH_SLOTS & (HASH_SLOTS - 1)) == 0,
               "a free slot always ends a search");
_Static_assert(MAX_WAITING >= MAX_HULL_DEPTH, "one waits for each node on the way down");

/// The part of a hull around a box.
typedef struct {
    clipnode_t *nodes; // children are indices in it
    int32_t max_nodes, num_nodes;
    int32_t root; // CELL_NONE: did not fit
} piece_t;

/// A side of a node that was not looked at yet.
typedef struct {
    int32_t num;
    int32_t parent, side; // in the piece; -1: it is the root
    float mins[3], maxs[3];
} side_t;

/// Being made for one hull.
typedef struct {
    const hull_t *hull;
    hull_cells_t cells;
    bounds_t bounds;
    float size;      // of a cell
    float slack;     // qu; further off than this, rounding decides nothing
    int32_t *roots;  // of the cells
    clipnode_t *all; // nodes of all cells
    int32_t max_all;
    int32_t *slots; // roots of trees by their hash, and how many nodes each has; -1: free
    int32_t *slot_nodes;
    piece_t block, cell;
    side_t *waiting;
    int32_t looks_left;
} builder_t;

// ---- one piece ----

/// How far the box reaches on either side of a node's plane: *lo of its nearest, *hi of its farthest
/// point along the normal.
static void box_diffs(const hull_t *hull, const clipnode_t *node, const side_t *box, float *lo,
                      float *hi) {
    int32_t type = node->plane & 3;
    if (type < PLANE_ANY) {
        *lo = box->mins[type] - node->dist;
        *hi = box->maxs[type] - node->dist;
        return;
    }
    vec3_t normal = hull->planes[CM_ClipNodePlane(node)].normal;
    const float n[3] = {normal.x, normal.y, normal.z};
    *lo = -node->dist;
    *hi = -node->dist;
    for (int32_t i = 0; i < 3; i++) {
        *lo += n[i] * (n[i] >= 0.0f ? box->mins[i] : box->maxs[i]);
        *hi += n[i] * (n[i] >= 0.0f ? box->maxs[i] : box->mins[i]);
    }
}

static void set_link(piece_t *piece, const side_t *at, int32_t num) {
    if (at->parent < 0) {
        piece->root = num;
    } else {
        piece->nodes[at->parent].children[at->side] = num;
    }
}

/// Both sides of a node that cuts the box: they share what lies within the slack of an axial plane.
static void cut_box(const clipnode_t *node, float slack, side_t *front, side_t *back) {
    int32_t type = node->plane & 3;
    if (type < PLANE_ANY) {
        float lo = node->dist - slack;
        float hi = node->dist + slack;
        front->mins[type] = front->mins[type] < lo ? lo : front->mins[type];
        back->maxs[type] = back->maxs[type] > hi ? hi : back->maxs[type];
    }
}

/// Copies those nodes of a tree whose planes cut the box, in the order in which they are met.
static void cut_piece(builder_t *builder, const clipnode_t *nodes, side_t at, piece_t *piece) {
    side_t *waiting = builder->waiting;
    int32_t num_waiting = 0;
    piece->num_nodes = 0;
    for (;;) {
        if (at.num < 0) {
            set_link(piece, &at, at.num);
            if (num_waiting == 0) {
                return;
            }
            at = waiting[--num_waiting];
            continue;
        }
        builder->looks_left--;
        const clipnode_t *node = &nodes[at.num];
        float lo;
        float hi;
        box_diffs(builder->hull, node, &at, &lo, &hi);
        if (lo >= builder->slack || hi < -builder->slack) {
            at.num = node->children[lo >= builder->slack ? 0 : 1];
            continue;
        }
        if (piece->num_nodes == piece->max_nodes || num_waiting == MAX_WAITING ||
            builder->looks_left < 0) {
            piece->root = CELL_NONE;
            return;
        }
        int32_t copy = piece->num_nodes++;
        piece->nodes[copy] = *node;
        set_link(piece, &at, copy);
        at.parent = copy;
        side_t *back = &waiting[num_waiting++];
        *back = at;
        back->num = node->children[1];
        back->side = 1;
        at.num = node->children[0];
        at.side = 0;
        cut_box(node, builder->slack, &at, back);
    }
}

// ---- the cells ----

/// Appends the tree of a cell; its root there, or CELL_NONE when there is no room.
static int32_t append_tree(builder_t *builder, const piece_t *piece) {
    hull_cells_t *cells = &builder->cells;
    if (cells->num_nodes + piece->num_nodes > MAX_ALL_NODES) {
        return CELL_NONE;
    }
    if (cells->num_nodes + piece->num_nodes > builder->max_all) {
        int32_t more = Q_MaxI(builder->max_all * 2, 4096);
        clipnode_t *all = realloc(builder->all, (size_t)more * sizeof *all);
        if (!all) {
            return CELL_NONE;
        }
        builder->all = all;
        builder->max_all = more;
    }
    int32_t base = cells->num_nodes;
    for (int32_t i = 0; i < piece->num_nodes; i++) {
        clipnode_t *node = &builder->all[base + i];
        *node = piece->nodes[i];
        for (int32_t side = 0; side < 2; side++) {
            node->children[side] += node->children[side] >= 0 ? base : 0;
        }
    }
    cells->num_nodes += piece->num_nodes;
    return base;
}

static bool same_tree(const builder_t *builder, int32_t root, const piece_t *piece) {
    for (int32_t i = 0; i < piece->num_nodes; i++) {
        clipnode_t node = builder->all[root + i];
        for (int32_t side = 0; side < 2; side++) {
            node.children[side] -= node.children[side] >= 0 ? root : 0;
        }
        if (memcmp(&node, &piece->nodes[i], sizeof node) != 0) {
            return false;
        }
    }
    return true;
}

/// Cells along the same floor or wall have the same tree: it is kept once.
static int32_t keep_tree(builder_t *builder, const piece_t *piece) {
    if (piece->root < 0) {
        return piece->root; // a contents, or CELL_NONE
    }
    size_t bytes = (size_t)piece->num_nodes * sizeof *piece->nodes;
    uint64_t hash = Hash_Bytes(piece->nodes, bytes, 0);
    for (uint32_t i = (uint32_t)hash;; i++) {
        int32_t *slot = &builder->slots[i % HASH_SLOTS];
        int32_t *slot_nodes = &builder->slot_nodes[i % HASH_SLOTS];
        if (*slot < 0) {
            int32_t root = append_tree(builder, piece);
            *slot = root >= 0 ? root : -1;
            *slot_nodes = piece->num_nodes;
            return root;
        }
        if (*slot_nodes == piece->num_nodes && same_tree(builder, *slot, piece)) {
            return *slot;
        }
    }
}

/// The box that sweeps of some cells stay in.
static side_t box_of(const builder_t *builder, const int32_t from[3], const int32_t to[3],
                     int32_t root) {
    const float mins[3] = {builder->bounds.mins.x, builder->bounds.mins.y, builder->bounds.mins.z};
    side_t box = {.num = root, .parent = -1};
    for (int32_t i = 0; i < 3; i++) {
        box.mins[i] = mins[i] + (float)from[i] * builder->size - CELL_REACH;
        box.maxs[i] = mins[i] + (float)to[i] * builder->size + CELL_REACH;
    }
    return box;
}

static void build_block(builder_t *builder, const int32_t from[3]) {
    const int32_t *count = builder->cells.count;
    const int32_t to[3] = {Q_MinI(from[0] + BLOCK_SIDE, count[0]),
                           Q_MinI(from[1] + BLOCK_SIDE, count[1]),
                           Q_MinI(from[2] + BLOCK_SIDE, count[2])};
    const clipnode_t *nodes = builder->block.nodes;
    cut_piece(builder, builder->hull->nodes, box_of(builder, from, to, builder->hull->root),
              &builder->block);
    int32_t root = builder->block.root;
    if (root == CELL_NONE) {
        nodes = builder->hull->nodes;
        root = builder->hull->root;
    }
    int32_t at[3];
    for (at[2] = from[2]; at[2] < to[2]; at[2]++) {
        for (at[1] = from[1]; at[1] < to[1]; at[1]++) {
            for (at[0] = from[0]; at[0] < to[0]; at[0]++) {
                const int32_t next[3] = {at[0] + 1, at[1] + 1, at[2] + 1};
                cut_piece(builder, nodes, box_of(builder, at, next, root), &builder->cell);
                builder->roots[(at[2] * count[1] + at[1]) * count[0] + at[0]] =
                    keep_tree(builder, &builder->cell);
            }
        }
    }
}

static int32_t count_cells(const builder_t *builder, vec3_t extent, int32_t count[3]) {
    const float extents[3] = {extent.x, extent.y, extent.z};
    int32_t all = 1;
    for (int32_t i = 0; i < 3; i++) {
        count[i] = 1 + Q_ToInt(extents[i] / builder->size, 0, MAX_HULL_CELLS);
        all = all > MAX_HULL_CELLS / count[i] ? MAX_HULL_CELLS + 1 : all * count[i];
    }
    return all;
}

/// How large cells are, and how many.
static int32_t lay_grid(builder_t *builder) {
    vec3_t extent = VectorSubtract(builder->bounds.maxs, builder->bounds.mins);
    builder->size = CELL_SIZE;
    int32_t all = count_cells(builder, extent, builder->cells.count);
    while (all > MAX_HULL_CELLS) {
        builder->size *= 1.125f;
        all = count_cells(builder, extent, builder->cells.count);
    }
    builder->cells.mins = builder->bounds.mins;
    builder->cells.scale = 1.0f / builder->size;
    // Rounding is a few units in the last place of the largest coordinate; grazing (hull.c) is
    // noticed up to CM_GRAZING from a slanted plane.
    vec3_t far = VectorMax(builder->bounds.maxs, VectorNegate(builder->bounds.mins));
    float largest = VectorLength(far) + CELL_REACH;
    builder->slack = CM_GRAZING + 0.0625f + largest / 65536.0f;
    return all;
}

static bool allocate(builder_t *builder) {
    builder->block.max_nodes = MAX_BLOCK_NODES;
    builder->cell.max_nodes = MAX_CELL_NODES;
    builder->block.nodes = malloc(MAX_BLOCK_NODES * sizeof *builder->block.nodes);
    builder->cell.nodes = malloc(MAX_CELL_NODES * sizeof *builder->cell.nodes);
    builder->waiting = malloc(MAX_WAITING * sizeof *builder->waiting);
    builder->slots = malloc(HASH_SLOTS * sizeof *builder->slots);
    builder->slot_nodes = malloc(HASH_SLOTS * sizeof *builder->slot_nodes);
    builder->roots = malloc(MAX_HULL_CELLS * sizeof *builder->roots);
    return builder->block.nodes && builder->cell.nodes && builder->waiting && builder->slots &&
           builder->slot_nodes && builder->roots;
}

static void release(builder_t *builder) {
    free(builder->block.nodes);
    free(builder->cell.nodes);
    free(builder->waiting);
    free(builder->slots);
    free(builder->slot_nodes);
    free(builder->roots);
    free(builder->all);
    *builder = (builder_t){.all = NULL};
}

static void build_hull(builder_t *builder) {
    const int32_t *count = builder->cells.count;
    int32_t at[3];
    memset(builder->slots, -1, HASH_SLOTS * sizeof *builder->slots);
    builder->looks_left = MAX_LOOKS;
    for (at[2] = 0; at[2] < count[2]; at[2] += BLOCK_SIDE) {
        for (at[1] = 0; at[1] < count[1]; at[1] += BLOCK_SIDE) {
            for (at[0] = 0; at[0] < count[0]; at[0] += BLOCK_SIDE) {
                build_block(builder, at);
            }
        }
    }
}

/// Moves what was built into the map's memory.
static void move_cells(arena_t *arena, const builder_t *builder, int32_t num_roots,
                       hull_cells_t *cells) {
    int32_t *roots = Arena_Alloc(arena, (size_t)num_roots, sizeof *roots);
    clipnode_t *nodes = Arena_Alloc(arena, (size_t)builder->cells.num_nodes, sizeof *nodes);
    ASSERT(roots && nodes); // the arena was made for them
    memcpy(roots, builder->roots, (size_t)num_roots * sizeof *roots);
    if (builder->cells.num_nodes > 0) {
        memcpy(nodes, builder->all, (size_t)builder->cells.num_nodes * sizeof *nodes);
    }
    *cells = builder->cells;
    cells->roots = roots;
    cells->nodes = nodes;
}

bool CM_BuildCells(arena_t *arena, hull_t *const *hulls, int32_t num_hulls, bounds_t bounds) {
    builder_t builders[MAX_MAP_HULLS] = {{.all = NULL}};
    int32_t num_roots[MAX_MAP_HULLS] = {0};
    size_t bytes = 16;
    bool good = true;
    ASSERT(num_hulls <= MAX_MAP_HULLS);
    for (int32_t i = 0; i < num_hulls && good; i++) {
        if (hulls[i]->root < 0) {
            continue;
        }
        builder_t *builder = &builders[i];
        builder->hull = hulls[i];
        builder->bounds = bounds;
        good = allocate(builder);
        if (good) {
            num_roots[i] = lay_grid(builder);
            build_hull(builder);
            bytes += sizeof(hull_cells_t) + (size_t)num_roots[i] * sizeof(int32_t) +
                     (size_t)builder->cells.num_nodes * sizeof(clipnode_t) + 3 * 16;
        }
    }
    good = good && Arena_Init(arena, bytes);
    for (int32_t i = 0; i < num_hulls; i++) {
        if (good && num_roots[i] > 0) {
            hull_cells_t *cells = Arena_Alloc(arena, 1, sizeof *cells);
            ASSERT(cells);
            move_cells(arena, &builders[i], num_roots[i], cells);
            hulls[i]->cells = cells;
        }
        release(&builders[i]);
    }
    return good;
}
