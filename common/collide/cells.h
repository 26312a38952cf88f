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

#endif
