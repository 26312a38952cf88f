#include "collide/hull/cells.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/limits.h"
#include "collide/hull/piece.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_SIDE = 8,          // cells along each side of a block
    MAX_BLOCK_NODES = 4096,  // of the tree of a block
    MAX_CELL_NODES = 48,     // of the tree of a cell
    MAX_LOOKS = 1 << 23,     // at nodes, for a hull: a tree that shares its parts has no end
    MAX_WAITING = 1024,      // back sides that wait
    MAX_ALL_NODES = 1 << 18, // of all cells of a hull
    MAX_ALL_LINES = 1 << 18, // of trees laid out, of all cells of a hull
    MAX_PARTED = 1 << 13,    // cells with parts
    NUM_FILLS = 32,          // more than contents
};

_Static_assert(MAX_WAITING >= MAX_HULL_DEPTH, "one waits for each node on the way down");

/// Being made for one hull.
typedef struct {
    const hull_t *hull;
    hull_cells_t cells;
    bounds_t bounds;
    int32_t *lines;      // of the cells
    int32_t (*parts)[8]; // of those that have parts
    clipnode_t *all;     // nodes of all cells
    uint8_t *trees;      // laid out
    int32_t max_all, max_lines;
    uint32_t
        num_slots;  // a power of two, more than cells and parts: a free one always ends a search
    int32_t *slots; // trees by their hash, and how many nodes each has; -1: free
    int32_t *slot_nodes;
    int32_t fills[2]
                 [NUM_FILLS]; // the trees that are a contents -i: far out, and near; -1: none yet
    clipnode_t *block_nodes, *cell_nodes, *part_nodes;
    piece_cut_t cut;
    int32_t root; // of what was cut last
} builder_t;

/// Where trees may be laid out.
static bool is_near(bounds_t box) {
    return VectorWithin(box.mins, FEW_FARTHEST) && VectorWithin(box.maxs, FEW_FARTHEST);
}

/// Room for the largest tree laid out.
typedef union {
    few_nodes_t few;
    uint8_t bytes[sizeof(few_nodes_t) + sizeof(few_more_t)];
} few_room_t;

// ---- the cells ----

/// Appends the nodes of a cell's tree; its root there, or PIECE_NONE when there is no room.
static int32_t append_nodes(builder_t *builder) {
    const piece_cut_t *piece = &builder->cut;
    hull_cells_t *cells = &builder->cells;
    if (cells->num_nodes + piece->num_nodes > MAX_ALL_NODES) {
        return PIECE_NONE;
    }
    if (cells->num_nodes + piece->num_nodes > builder->max_all) {
        int32_t more = Q_MaxI(builder->max_all * 2, 4096);
        clipnode_t *all = realloc(builder->all, (size_t)more * sizeof *all);
        if (!all) {
            return PIECE_NONE;
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

/// How much of a tree laid out there is.
static int32_t lines_of(const few_nodes_t *few) {
    size_t bytes = sizeof *few + (Few_IsLarge(few) ? sizeof(few_more_t) : 0);
    return few->num_lanes == FEW_NONE ? 1 : (int32_t)(bytes / CELL_LINE_BYTES);
}

/// Appends a tree laid out; the line where it begins, or CELL_NONE when there is no room.
static int32_t append_tree(builder_t *builder, const few_nodes_t *few) {
    hull_cells_t *cells = &builder->cells;
    const int32_t count = lines_of(few);
    if (cells->num_lines + count > MAX_ALL_LINES) {
        return CELL_NONE;
    }
    if (cells->num_lines + count > builder->max_lines) {
        int32_t more = Q_MaxI(builder->max_lines * 2, 4096);
        uint8_t *trees = realloc(builder->trees, (size_t)more * CELL_LINE_BYTES);
        if (!trees) {
            return CELL_NONE;
        }
        builder->trees = trees;
        builder->max_lines = more;
    }
    int32_t line = cells->num_lines;
    memcpy(builder->trees + (size_t)line * CELL_LINE_BYTES, few, (size_t)count * CELL_LINE_BYTES);
    cells->num_lines += count;
    return line;
}

static const few_nodes_t *tree_at(const builder_t *builder, int32_t line) {
    const uint8_t *tree = builder->trees + (size_t)line * CELL_LINE_BYTES;
    return (const few_nodes_t *)(const void *)tree;
}

/// Trees for places that are too far out are not laid out: those are others.
static bool same_tree(const builder_t *builder, int32_t line, int32_t piece_root, bool near) {
    const piece_cut_t *piece = &builder->cut;
    const int32_t root = tree_at(builder, line)->root;
    if (tree_at(builder, line)->is_near != near) {
        return false;
    }
    if (piece_root < 0) {
        return root == piece_root;
    }
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

static int32_t add_tree(builder_t *builder, few_nodes_t *few) {
    if (few->root >= 0) {
        few->root = append_nodes(builder);
    }
    return few->root == PIECE_NONE ? CELL_NONE : append_tree(builder, few);
}

/// Where the tree that was cut is kept, or the free slot where it may be.
static int32_t *find_slot(builder_t *builder, int32_t root, bool near, int32_t **num_nodes) {
    const piece_cut_t *piece = &builder->cut;
    size_t bytes = (size_t)piece->num_nodes * sizeof *piece->nodes;
    uint64_t hash = Hash_Bytes(piece->nodes, bytes, (uint64_t)root * 2 + near);
    for (uint32_t i = (uint32_t)hash;; i++) {
        int32_t *slot = &builder->slots[i & (builder->num_slots - 1)];
        *num_nodes = &builder->slot_nodes[i & (builder->num_slots - 1)];
        if (*slot < 0 ||
            (**num_nodes == piece->num_nodes && same_tree(builder, *slot, root, near))) {
            return slot;
        }
    }
}

/// Cuts the tree of a box and lays it out; cells along the same floor or wall have the same: it is
/// kept once. CELL_NONE when it has too many nodes for a cell, or, when `must_fit`, to be laid out.
static int32_t cut_tree(builder_t *builder, bounds_t box, bool must_fit) {
    piece_cut_t *cut = &builder->cut;
    const hull_tree_t tree = {cut->nodes, cut->planes, CM_CutPiece(cut, box)};
    const bool near = is_near(box);
    int32_t no_nodes;
    int32_t *num_nodes = &no_nodes;
    few_room_t room;
    builder->root = tree.root;
    if (tree.root == PIECE_NONE) {
        return CELL_NONE;
    }
    int32_t *slot = tree.root < 0 && tree.root > -NUM_FILLS
                        ? &builder->fills[near][-tree.root]
                        : find_slot(builder, tree.root, near, &num_nodes);
    if (*slot >= 0) {
        const bool fits = tree_at(builder, *slot)->num_lanes != FEW_NONE;
        return fits || !must_fit ? *slot : CELL_NONE;
    }
    room.few = (few_nodes_t){.root = tree.root, .num_lanes = FEW_NONE};
    const bool fits = near && CM_LayFew(&room.few, tree, cut->num_nodes);
    room.few.is_near = near;
    if (!fits && must_fit) {
        return CELL_NONE;
    }
    *slot = add_tree(builder, &room.few);
    *num_nodes = cut->num_nodes;
    return *slot;
}

static bounds_t box_between(const hull_cells_t *cells, vec3_t from, vec3_t to) {
    const vec3_t reach = {CELL_REACH, CELL_REACH, CELL_REACH};
    return (bounds_t){VectorSubtract(VectorMA(cells->mins, cells->size, from), reach),
                      VectorAdd(VectorMA(cells->mins, cells->size, to), reach)};
}

/// The box of part `part` of a cell.
static bounds_t part_box(const hull_cells_t *cells, const int32_t at[3], int32_t part) {
    const vec3_t from = {(float)at[0] + 0.5f * (float)(part & 1),
                         (float)at[1] + 0.5f * (float)(part >> 1 & 1),
                         (float)at[2] + 0.5f * (float)(part >> 2)};
    return box_between(cells, from, VectorAdd(from, Vector(0.5f, 0.5f, 0.5f)));
}

static bounds_t cell_box(const hull_cells_t *cells, const int32_t at[3]) {
    const vec3_t from = {(float)at[0], (float)at[1], (float)at[2]};
    return box_between(cells, from, VectorAdd(from, Vector(1.0f, 1.0f, 1.0f)));
}

/// The line of a cell's tree, or its parts.
static int32_t build_cell(builder_t *builder, const int32_t at[3]) {
    hull_cells_t *cells = &builder->cells;
    const bounds_t box = cell_box(cells, at);
    const bool may_part = is_near(box) && cells->num_parts < MAX_PARTED;
    const int32_t line = cut_tree(builder, box, may_part);
    if (line != CELL_NONE || !may_part) {
        return line;
    }
    const int32_t number = cells->num_parts++;
    piece_cut_t *cut = &builder->cut;
    const piece_cut_t block = *cut;
    if (builder->root != PIECE_NONE) { // else it did not fit: they are cut from the block
        cut->from = builder->cell_nodes;
        cut->root = builder->root;
    }
    cut->nodes = builder->part_nodes;
    for (int32_t part = 0; part < 8; part++) {
        builder->parts[number][part] = cut_tree(builder, part_box(cells, at, part), false);
    }
    cut->from = block.from;
    cut->root = block.root;
    cut->nodes = block.nodes;
    return CELL_HAS_PARTS + number;
}

static void build_block(builder_t *builder, const int32_t from[3]) {
    const hull_cells_t *cells = &builder->cells;
    const int32_t *count = cells->count;
    const int32_t to[3] = {Q_MinI(from[0] + BLOCK_SIDE, count[0]),
                           Q_MinI(from[1] + BLOCK_SIDE, count[1]),
                           Q_MinI(from[2] + BLOCK_SIDE, count[2])};
    piece_cut_t *cut = &builder->cut;
    cut->from = builder->hull->nodes;
    cut->root = builder->hull->root;
    cut->nodes = builder->block_nodes;
    cut->max_nodes = MAX_BLOCK_NODES;
    const vec3_t lo = {(float)from[0], (float)from[1], (float)from[2]};
    const vec3_t hi = {(float)to[0], (float)to[1], (float)to[2]};
    int32_t root = CM_CutPiece(cut, box_between(cells, lo, hi));
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
                builder->lines[(at[2] * count[1] + at[1]) * count[0] + at[0]] =
                    build_cell(builder, at);
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
static void lay_grid(builder_t *builder) {
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
    builder->cells.num_cells = all;
    const uint32_t most = (uint32_t)(all + 8 * Q_MinI(all, MAX_PARTED));
    for (builder->num_slots = 64; builder->num_slots <= most;) {
        builder->num_slots *= 2;
    }
}

static bool allocate(builder_t *builder) {
    piece_cut_t *cut = &builder->cut;
    cut->planes = builder->hull->planes;
    cut->max_waiting = MAX_WAITING;
    cut->looks_left = MAX_LOOKS;
    cut->waiting = malloc(MAX_WAITING * sizeof *cut->waiting);
    builder->block_nodes = malloc(MAX_BLOCK_NODES * sizeof *builder->block_nodes);
    builder->cell_nodes = malloc(MAX_CELL_NODES * sizeof *builder->cell_nodes);
    builder->part_nodes = malloc(MAX_CELL_NODES * sizeof *builder->part_nodes);
    builder->slots = malloc(builder->num_slots * sizeof *builder->slots);
    builder->slot_nodes = malloc(builder->num_slots * sizeof *builder->slot_nodes);
    builder->lines = malloc((size_t)builder->cells.num_cells * sizeof *builder->lines);
    builder->parts = malloc(MAX_PARTED * sizeof *builder->parts);
    return cut->waiting && builder->block_nodes && builder->cell_nodes && builder->part_nodes &&
           builder->slots && builder->slot_nodes && builder->lines && builder->parts;
}

static void release(builder_t *builder) {
    free(builder->block_nodes);
    free(builder->cell_nodes);
    free(builder->part_nodes);
    free(builder->cut.waiting);
    free(builder->slots);
    free(builder->slot_nodes);
    free(builder->lines);
    free(builder->parts);
    free(builder->all);
    free(builder->trees);
    *builder = (builder_t){.all = NULL};
}

static void build_hull(builder_t *builder) {
    const int32_t *count = builder->cells.count;
    int32_t at[3];
    memset(builder->fills, -1, sizeof builder->fills);
    memset(builder->slots, -1, builder->num_slots * sizeof *builder->slots);
    for (at[2] = 0; at[2] < count[2]; at[2] += BLOCK_SIDE) {
        for (at[1] = 0; at[1] < count[1]; at[1] += BLOCK_SIDE) {
            for (at[0] = 0; at[0] < count[0]; at[0] += BLOCK_SIDE) {
                build_block(builder, at);
            }
        }
    }
}

static void *copy_to(arena_t *arena, const void *from, size_t count, size_t size) {
    void *to = Arena_Alloc(arena, count, size);
    ASSERT(to); // the arena was made for it
    if (count > 0) {
        ASSERT(from);
        memcpy(to, from, count * size);
    }
    return to;
}

/// Moves what was built into the map's memory.
static void move_cells(arena_t *arena, const builder_t *builder, hull_cells_t *cells) {
    const hull_cells_t *built = &builder->cells;
    *cells = *built;
    cells->lines = copy_to(arena, builder->lines, (size_t)built->num_cells, sizeof(int32_t));
    cells->parts = copy_to(arena, builder->parts, (size_t)built->num_parts, sizeof *builder->parts);
    cells->nodes = copy_to(arena, builder->all, (size_t)built->num_nodes, sizeof(clipnode_t));
    uint8_t *trees = Arena_Alloc(arena, (size_t)built->num_lines + 1, CELL_LINE_BYTES);
    ASSERT(trees);
    trees += -(uintptr_t)trees % CELL_LINE_BYTES;
    if (built->num_lines > 0) {
        ASSERT(builder->trees);
        memcpy(trees, builder->trees, (size_t)built->num_lines * CELL_LINE_BYTES);
    }
    cells->trees = trees;
}

/// What that takes.
static size_t bytes_of(const hull_cells_t *cells) {
    return sizeof *cells + (size_t)cells->num_cells * sizeof(int32_t) +
           (size_t)cells->num_parts * sizeof *cells->parts +
           (size_t)cells->num_nodes * sizeof(clipnode_t) +
           ((size_t)cells->num_lines + 1) * CELL_LINE_BYTES + 5 * 16;
}

const few_nodes_t *CM_CellAround(const hull_cells_t *cells, vec3_t p, bounds_t *box) {
    const vec3_t cell = VectorScale(VectorSubtract(p, cells->mins), cells->scale);
    const int32_t at[3] = {(int32_t)cell.x, (int32_t)cell.y, (int32_t)cell.z};
    const int32_t line = cells->lines[(at[2] * cells->count[1] + at[1]) * cells->count[0] + at[0]];
    *box = line < CELL_HAS_PARTS
               ? cell_box(cells, at)
               : part_box(cells, at,
                          4 * ((int32_t)(2.0f * cell.z) & 1) + 2 * ((int32_t)(2.0f * cell.y) & 1) +
                              ((int32_t)(2.0f * cell.x) & 1));
    return CM_CellTree(cells, p);
}

bool CM_BuildCells(arena_t *arena, hull_t *const *hulls, int32_t num_hulls, bounds_t bounds) {
    builder_t builders[MAX_MAP_HULLS] = {{.all = NULL}};
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
        lay_grid(builder);
        good = allocate(builder);
        if (good) {
            build_hull(builder);
            bytes += bytes_of(&builder->cells);
        }
    }
    good = good && Arena_Init(arena, bytes);
    for (int32_t i = 0; i < num_hulls; i++) {
        if (good && builders[i].cells.num_cells > 0) {
            hull_cells_t *cells = Arena_Alloc(arena, 1, sizeof *cells);
            ASSERT(cells);
            move_cells(arena, &builders[i], cells);
            hulls[i]->cells = cells;
        }
        release(&builders[i]);
    }
    return good;
}
