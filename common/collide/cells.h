/// collide/cells.h - a grid over a hull that leads short sweeps to the few nodes around them.
//
// Floor:   collide. Made by bsp/ at the end of loading, used by hull.c.
// Units:   qu, in the hull's own space.
// Memory:  arrays in an arena of the map; const after loading.
// Repeat:  a sweep through a cell's tree gives the bits of the same sweep through the whole hull.
//
//        |     |  a  |     |        Each cell has a tree of its own: the hull's, without the nodes
//     ---+-----+-----+-----+---     that have all of the cell, and CELL_REACH more, on one side.
//        |     |s~~~~e     |        A sweep belongs to the cell of its middle (a), and is short
//        |     |     |     |        when neither end is farther from it than CELL_REACH.

#ifndef EDICTD_COLLIDE_CELLS_H
#define EDICTD_COLLIDE_CELLS_H

#include "base/arena.h"
#include "base/types.h"
#include "collide/hull.h"
#include "math/bounds.h"

/// How far along each axis an end of a sweep may lie from its middle.
#define CELL_REACH 24.0f // qu

/// roots[] of a cell without a tree: ask the hull's own.
#define CELL_NONE INT32_MIN

/// Most cells of one hull; those of larger maps are larger than CELL_SIZE.
#define MAX_HULL_CELLS 65536
#define CELL_SIZE      64.0f // qu

/// nodes[] are as a hull's; roots[] and their children are indices in nodes, or contents_t. Cell
/// (x, y, z) is roots[(z * count[1] + y) * count[0] + x].
struct hull_cells {
    vec3_t mins; ///< of cell 0
    float size;  ///< of a cell, qu
    float scale; ///< cells per qu
    int32_t count[3];
    int32_t num_nodes;
    const int32_t *roots;
    const clipnode_t *nodes;
};

/// Makes the cells of some hulls (those that a tree stands behind) over the given bounds. The arena
/// must not be in use; it gets all memory. False when there is none: the hulls are as they were.
/// Takes some ms for each hull.
bool CM_BuildCells(arena_t *arena, hull_t *const *hulls, int32_t num_hulls, bounds_t bounds);

/// The cell that holds a point: its place in the grid, and its index in roots. CELL_NONE where there
/// is none.
static inline int32_t CM_CellAt(const hull_cells_t *cells, vec3_t p, int32_t at[3]) {
    const float x = (p.x - cells->mins.x) * cells->scale;
    const float y = (p.y - cells->mins.y) * cells->scale;
    const float z = (p.z - cells->mins.z) * cells->scale;
    const int32_t *count = cells->count;
    if (!(x >= 0.0f && y >= 0.0f && z >= 0.0f && x < (float)count[0] && y < (float)count[1] &&
          z < (float)count[2])) {
        return CELL_NONE;
    }
    // Held within the grid above, which is all that Q_ToInt would do again.
    at[0] = (int32_t)x;
    at[1] = (int32_t)y;
    at[2] = (int32_t)z;
    return (at[2] * count[1] + at[1]) * count[0] + at[0];
}

/// The box that the sweeps of some cells stay in: from cell from[] up to, without it, cell to[].
static inline bounds_t CM_CellsBox(const hull_cells_t *cells, const int32_t from[3],
                                   const int32_t to[3]) {
    const vec3_t reach = {CELL_REACH, CELL_REACH, CELL_REACH};
    const vec3_t lo = {(float)from[0], (float)from[1], (float)from[2]};
    const vec3_t hi = {(float)to[0], (float)to[1], (float)to[2]};
    return (bounds_t){VectorSubtract(VectorMA(cells->mins, cells->size, lo), reach),
                      VectorAdd(VectorMA(cells->mins, cells->size, hi), reach)};
}

#endif
