/// mapc/cells.h - the space of each leaf of a tree as a convex solid.
//
// Memory:  from the keep pool given; temporary memory is released on return.

#ifndef EDICTD_MAPC_CELLS_H
#define EDICTD_MAPC_CELLS_H

#include "mapc/tree.h"

/// Computes the bounds of all nodes and leafs. If `brushes` is not NULL, it receives a new array of
/// *count brushes: one per leaf that is not solid, with the leaf's contents.
void MC_FindCells(mc_tree_t *tree, mc_pools_t *pools, mc_planes_t *table, mc_brush_t **brushes,
                  int32_t *count);

#endif
