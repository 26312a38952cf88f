/// world/area.h - the area tree: which edicts touch a box. A loose grid on levels of cell size.
//
// Floor:   world.
// Units:   qu.
// Memory:  one part of the world block, sized once from max_edicts and the map's bounds:
//
//          +--------+-----------------------+----------------------+---------+-------------+
//          | area_t | rows[kinds * rows]    | heads[kinds * cells] | nodes[] | cells[]     |
//          |        | a bit per cell in use | first edict, 0 none  | an edict's box and cell |
//          +--------+-----------------------+----------------------+---------+-------------+
//
// Repeat:  answers do not depend on the order in which edicts were linked.
//
// An edict lies in the one cell that holds the lower corner of its box, on the first level whose
// limit its box keeps; corners outside the bounds go to the cells at the edge. A query looks at the
// cells that its box, grown downwards by the largest box of the level, reaches. Each row of cells
// along x is a word of bits, so empty cells cost nothing, and an empty level costs one compare.
// Linking and unlinking take constant time however many edicts share a cell.

#ifndef EDICTD_WORLD_AREA_H
#define EDICTD_WORLD_AREA_H

#include "base/err.h"
#include "world/edict.h"

struct world_s;

#define AREA_LEVELS    7
#define AREA_KINDS     2   // solids, triggers
#define AREA_CELL_SIZE 128 // qu; of the finest level, unless the map is too wide for it
#define AREA_MAX_ROW   64  // cells along x: bits of a word

/// One level of cells; cell (x, y, z) is first_cell + (((z * ny + y) << shift) + x).
typedef struct {
    float cells_per_unit;
    float limit; ///< longest side of a box on this level
    int32_t nx, ny, nz;
    int32_t shift; ///< log2 of the cells that a row has room for
    int32_t first_row, first_cell;
} area_level_t;

/// What is on a level.
typedef struct {
    vec3_t extent; ///< of the largest box since the level was last empty, and a little more
    int32_t count; ///< edicts
} area_stock_t;

/// An edict in its cell's list. `prev` 0 = first. All zero when not linked.
typedef struct {
    bounds_t box;
    int32_t next, prev;
} area_node_t;

typedef struct {
    bounds_t bounds;
    uint64_t ofs_heads, ofs_nodes, ofs_cells, bytes; ///< from area_t, which the rows follow
    int32_t num_rows, num_cells;                     ///< of one kind
    area_stock_t stock[AREA_KINDS][AREA_LEVELS];
    area_level_t levels[AREA_LEVELS];
} area_t;

_Static_assert(sizeof(area_node_t) == 32, "a node never straddles a cache line");
_Static_assert(sizeof(area_t) == 24 + 32 + 8 + (16 * AREA_KINDS + 32) * AREA_LEVELS, "no padding");

/// Calls for each edict found, in no particular order. It must not change the tree.
typedef void (*area_visit_fn)(void *context, int32_t number);

/// Bytes that the tree needs in the block.
uint64_t Area_Bytes(int32_t max_edicts, bounds_t bounds);

/// Lays out an empty tree in zeroed memory.
void Area_Init(area_t *area, int32_t max_edicts, bounds_t bounds);

/// True when edict `number` is in the tree.
bool Area_IsLinked(const struct world_s *world, int32_t number);

/// Takes edict `number` out, if it is in.
void Area_Unlink(struct world_s *world, int32_t number);

/// Every linked edict of a kind whose box touches `box`.
void Area_Visit(const struct world_s *world, bounds_t box, int32_t kind, area_visit_fn visit,
                void *context);

/// Checks a tree of a block that came from outside.
bool Area_Check(const struct world_s *world, err_t *err);

#endif
