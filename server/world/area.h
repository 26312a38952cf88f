/// world/area.h - the area tree: finds the linked edicts whose boxes touch a given box.
//
// Memory:  one part of the world block, sized once from max_edicts and the map's bounds:
//
//          +--------+-----------------------+----------------------+---------+-------------+
//          | area_t | rows[kinds * rows]    | heads[kinds * cells] | nodes[] | cells[]     |
//          |        | a bit per cell in use | first edict, 0 none  | an edict's box and cell |
//          +--------+-----------------------+----------------------+---------+-------------+
//
// Repeat:  results do not depend on the order in which edicts were linked.
//
// The tree has several grids (levels). Small boxes are on levels with small cells, large boxes on
// levels with large cells. An edict is in exactly one cell, which contains the box's lower corner.
// A corner outside the bounds belongs to the nearest cell at the edge.
//
// A box can reach beyond the cell. So a query extends its lower corner by the largest box of the
// level. A query skips empty cells; one bit per cell marks the others.
//
// Linking and unlinking an edict take constant time.

#ifndef EDICTD_WORLD_AREA_H
#define EDICTD_WORLD_AREA_H

#include "base/err.h"
#include "world/edict.h"

struct world_s;

#define AREA_LEVELS    7
#define AREA_KINDS     2   // solids, triggers
#define AREA_CELL_SIZE 128 // qu; finest level; larger cells if the map is too wide
#define AREA_MAX_ROW   64  // cells along x: bits of a word

/// One level. Cell (x, y, z) has the number first_cell + (((z * ny + y) << shift) + x).
typedef struct {
    float cells_per_unit;
    float limit; ///< maximum side of a box on this level
    int32_t nx, ny, nz;
    int32_t shift; ///< log2 of the number of cells reserved for a row
    int32_t first_row, first_cell;
} area_level_t;

/// The number of edicts of one kind on one level, and the size of the largest.
typedef struct {
    vec3_t extent; ///< largest box since the level was last empty, plus a margin
    int32_t count; ///< number of edicts
} area_stock_t;

/// An edict's entry in the list of a cell. All zero while the edict is not linked.
typedef struct {
    bounds_t box;
    int32_t next, prev; ///< edict numbers; 0 = none
} area_node_t;

typedef struct {
    bounds_t bounds;
    uint64_t ofs_heads, ofs_nodes, ofs_cells, bytes; ///< from area_t; the rows follow area_t
    int32_t num_rows, num_cells;                     ///< of each kind
    area_stock_t stock[AREA_KINDS][AREA_LEVELS];
    area_level_t levels[AREA_LEVELS];
} area_t;

_Static_assert(sizeof(area_node_t) == 32, "a node never straddles a cache line");
_Static_assert(sizeof(area_t) == 24 + 32 + 8 + (16 * AREA_KINDS + 32) * AREA_LEVELS, "no padding");

/// Receives each edict found, in no particular order. Must not change the tree.
typedef void (*area_visit_fn)(void *context, int32_t number);

uint64_t Area_Bytes(int32_t max_edicts, bounds_t bounds);

/// Creates an empty tree in zeroed memory of Area_Bytes bytes.
void Area_Init(area_t *area, int32_t max_edicts, bounds_t bounds);

bool Area_IsLinked(const struct world_s *world, int32_t number);

/// Removes edict `number` from the tree, if it is linked.
void Area_Unlink(struct world_s *world, int32_t number);

/// Calls `visit` for every linked edict of a kind (solid or trigger) whose box touches `box`.
void Area_Visit(const struct world_s *world, bounds_t box, int32_t kind, area_visit_fn visit,
                void *context);

/// Checks the tree of a world block from an untrusted source. Returns false with the reason.
bool Area_Check(const struct world_s *world, err_t *err);

#endif
