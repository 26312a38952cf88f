/// collide/hull/cells.h - a grid over a hull that leads short sweeps to the few nodes around them.
//
// Floor:   collide. Made by bsp/ at the end of loading, used by hull.c.
// Units:   qu, in the hull's own space.
// Memory:  arrays in an arena of the map; const after loading.
// Repeat:  a sweep through a cell's tree gives the bits of the same sweep through the whole hull.
//
//        |     |  a  |     |        Each cell has a tree of its own: the hull's, without the nodes
//     ---+-----+-----+-----+---     that have all of the cell, and CELL_REACH more, on one side.
//        |     |s~~~~e     |        A sweep belongs to the cell of its middle (a), and is short
//        |     |     |     |        when neither end is farther from it than CELL_REACH. Where that
//                                   are many nodes still, a cell has eight parts with a tree each.

#ifndef EDICTD_COLLIDE_CELLS_H
#define EDICTD_COLLIDE_CELLS_H

#include "base/arena.h"
#include "base/types.h"
#include "collide/hull/few.h"
#include "math/bounds.h"

/// How far along each axis an end of a sweep may lie from its middle.
#define CELL_REACH 24.0f // qu

/// lines[] of a cell without a tree: ask the hull's own.
#define CELL_NONE (-1)

/// Set in lines[] of a cell with parts: the rest is which of parts[].
#define CELL_HAS_PARTS (1 << 30)

/// What a tree laid out takes a multiple of.
#define CELL_LINE_BYTES 64

/// Most cells of one hull; those of larger maps are larger than CELL_SIZE.
#define MAX_HULL_CELLS 65536
#define CELL_SIZE      64.0f // qu

/// lines[(z * count[1] + y) * count[0] + x] of cell (x, y, z) is where its tree begins in trees, in
/// lines. Part (x, y, z) of a cell is parts[][4 * z + 2 * y + x], the same. Roots of trees and
/// children of nodes[] are indices in nodes, or contents_t.
struct hull_cells {
    vec3_t mins; ///< of cell 0
    float size;  ///< of a cell, qu
    float scale; ///< cells per qu
    int32_t count[3];
    int32_t num_cells, num_nodes;
    int32_t num_lines, num_parts; ///< of trees; of cells with parts
    const int32_t *lines;
    const int32_t (*parts)[8];
    const uint8_t *trees; ///< few_nodes_t, each as long as it needs
    const clipnode_t *nodes;
};

/// Makes the cells of some hulls (those that a tree stands behind) over the given bounds. The arena
/// must not be in use; it gets all memory. False when there is none: the hulls are as they were.
/// Takes some ms for each hull.
bool CM_BuildCells(arena_t *arena, hull_t *const *hulls, int32_t num_hulls, bounds_t bounds);

/// The tree for a place: of its cell, or the part of it. NULL where there is none.
static inline const few_nodes_t *CM_CellTree(const hull_cells_t *cells, vec3_t p) {
    const float x = (p.x - cells->mins.x) * cells->scale;
    const float y = (p.y - cells->mins.y) * cells->scale;
    const float z = (p.z - cells->mins.z) * cells->scale;
    const int32_t *count = cells->count;
    if (!(x >= 0.0f && y >= 0.0f && z >= 0.0f && x < (float)count[0] && y < (float)count[1] &&
          z < (float)count[2])) {
        return NULL;
    }
    // Held within the grid above, which is all that Q_ToInt would do again.
    const int32_t at[3] = {(int32_t)x, (int32_t)y, (int32_t)z};
    int32_t line = cells->lines[(at[2] * count[1] + at[1]) * count[0] + at[0]];
    if (line >= CELL_HAS_PARTS) {
        const int32_t part = 4 * ((int32_t)(2.0f * z) & 1) + 2 * ((int32_t)(2.0f * y) & 1) +
                             ((int32_t)(2.0f * x) & 1);
        line = cells->parts[line - CELL_HAS_PARTS][part];
    }
    const uint8_t *tree = cells->trees + (ptrdiff_t)line * CELL_LINE_BYTES;
    return line != CELL_NONE ? (const few_nodes_t *)(const void *)tree : NULL;
}

/// As CM_TraceTree, of a sweep that a cell's tree is good for.
static inline trace_t CM_CellTrace(const hull_cells_t *cells, const plane_t *planes,
                                   const few_nodes_t *few, const segment_t *whole) {
    const hull_tree_t tree = {cells->nodes, planes, few->root};
    return few->num_lanes != FEW_NONE ? CM_FewTrace(few, tree, whole) : CM_TraceTree(tree, whole);
}

/// As CM_TreeContents, the same.
static inline contents_t CM_CellContents(const hull_cells_t *cells, const plane_t *planes,
                                         const few_nodes_t *few, const sweep_point_t *point) {
    const hull_tree_t tree = {cells->nodes, planes, few->root};
    return few->num_lanes != FEW_NONE ? CM_FewContents(few, point) : CM_TreeContents(tree, point);
}

/// The tree for a place that has one, and the box that sweeps may stay in to be asked of it.
const few_nodes_t *CM_CellAround(const hull_cells_t *cells, vec3_t p, bounds_t *box);

#endif
