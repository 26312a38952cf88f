#include "collide/cells.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/limits.h"
#include "collide/piece.h"

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
_Static_assert(CELL_NONE == PIECE_NONE, "a cell whose piece did not fit");
_Static_assert(MAX_WAITING >= MAX_HULL_DEPTH, "one waits for each node on the way down");

/// Being made for one hull.
typedef struct {
    const hull_t *hull;
    hull_cells_t cells;
    bounds_t bounds;
    int32_t *roots;  // of the cells
    clipnode_t *all; // nodes of all cells
    int32_t max_all;
    int32_t *slots; // roots of trees by their hash, and how many nodes each has; -1: free
    int32_t *slot_nodes;
    clipnode_t *block_nodes, *cell_nodes;
    piece_cut_t cut;
} builder_t;

// ---- the cells ----

/// Appends the tree of a cell; its root there, or CELL_NONE when there is no room.
static int32_t append_tree(builder_t *builder) {
    const piece_cut_t *piece = &builder->cut;
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

static bool same_tree(const builder_t *builder, int32_t root) {
    const piece_cut_t *piece = &builder->cut;
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
static int32_t keep_tree(builder_t *builder, int32_t root) {
    const piece_cut_t *piece = &builder->cut;
    if (root < 0) {
        return root; // a contents, or CELL_NONE
    }
    size_t bytes = (size_t)piece->num_nodes * sizeof *piece->nodes;
    uint64_t hash = Hash_Bytes(piece->nodes, bytes, 0);
    for (uint32_t i = (uint32_t)hash;; i++) {
        int32_t *slot = &builder->slots[i % HASH_SLOTS];
        int32_t *slot_nodes = &builder->slot_nodes[i % HASH_SLOTS];
        if (*slot < 0) {
            int32_t kept = append_tree(builder);
            *slot = kept >= 0 ? kept : -1;
            *slot_nodes = piece->num_nodes;
            return kept;
        }
        if (*slot_nodes == piece->num_nodes && same_tree(builder, *slot)) {
            return *slot;
        }
    }
}

static void build_block(builder_t *builder, const int32_t from[3]) {
    const int32_t *count = builder->cells.count;
    const int32_t to[3] = {Q_MinI(from[0] + BLOCK_SIDE, count[0]),
                           Q_MinI(from[1] + BLOCK_SIDE, count[1]),
                           Q_MinI(from[2] + BLOCK_SIDE, count[2])};
    piece_cut_t *cut = &builder->cut;
    cut->from = builder->hull->nodes;
    cut->root = builder->hull->root;
    cut->nodes = builder->block_nodes;
    cut->max_nodes = MAX_BLOCK_NODES;
    int32_t root = CM_CutPiece(cut, CM_CellsBox(&builder->cells, from, to));
    if (root != PIECE_NONE) {
        cut->from = builder->block_nodes;
        cut->root = root;
    }
    cut->nodes = builder->cell_nodes;
    cut->max_nodes = MAX_CELL_NODES;
    int32_t at[3];
    for (at[2] = from[2]; at[2] < to[2]; at[2]++) {
        for (at[1] = from[1]; at[1] < to[1]; at[1]++) {
            for (at[0] = from[0]; at[0] < to[0]; at[0]++) {
                const int32_t next[3] = {at[0] + 1, at[1] + 1, at[2] + 1};
                root = CM_CutPiece(cut, CM_CellsBox(&builder->cells, at, next));
                builder->roots[(at[2] * count[1] + at[1]) * count[0] + at[0]] =
                    keep_tree(builder, root);
            }
        }
    }
}

static int32_t count_cells(const builder_t *builder, vec3_t extent, int32_t count[3]) {
    const float extents[3] = {extent.x, extent.y, extent.z};
    int32_t all = 1;
    for (int32_t i = 0; i < 3; i++) {
        count[i] = 1 + Q_ToInt(extents[i] / builder->cells.size, 0, MAX_HULL_CELLS);
        all = all > MAX_HULL_CELLS / count[i] ? MAX_HULL_CELLS + 1 : all * count[i];
    }
    return all;
}

/// How large cells are, and how many.
static int32_t lay_grid(builder_t *builder) {
    vec3_t extent = VectorSubtract(builder->bounds.maxs, builder->bounds.mins);
    builder->cells.size = CELL_SIZE;
    int32_t all = count_cells(builder, extent, builder->cells.count);
    while (all > MAX_HULL_CELLS) {
        builder->cells.size *= 1.125f;
        all = count_cells(builder, extent, builder->cells.count);
    }
    builder->cells.mins = builder->bounds.mins;
    builder->cells.scale = 1.0f / builder->cells.size;
    vec3_t far = VectorMax(builder->bounds.maxs, VectorNegate(builder->bounds.mins));
    builder->cut.slack = CM_PieceSlack(VectorLength(far) + CELL_REACH);
    return all;
}

static bool allocate(builder_t *builder) {
    piece_cut_t *cut = &builder->cut;
    cut->planes = builder->hull->planes;
    cut->max_waiting = MAX_WAITING;
    cut->looks_left = MAX_LOOKS;
    cut->waiting = malloc(MAX_WAITING * sizeof *cut->waiting);
    builder->block_nodes = malloc(MAX_BLOCK_NODES * sizeof *builder->block_nodes);
    builder->cell_nodes = malloc(MAX_CELL_NODES * sizeof *builder->cell_nodes);
    builder->slots = malloc(HASH_SLOTS * sizeof *builder->slots);
    builder->slot_nodes = malloc(HASH_SLOTS * sizeof *builder->slot_nodes);
    builder->roots = malloc(MAX_HULL_CELLS * sizeof *builder->roots);
    return cut->waiting && builder->block_nodes && builder->cell_nodes && builder->slots &&
           builder->slot_nodes && builder->roots;
}

static void release(builder_t *builder) {
    free(builder->block_nodes);
    free(builder->cell_nodes);
    free(builder->cut.waiting);
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
