/// mapc/cells.h - the leafs of a tree as convex solids.
//
// Memory:  the keep pool given; the temp pool is restored.

#ifndef EDICTD_MAPC_CELLS_H
#define EDICTD_MAPC_CELLS_H

#include "mapc/tree.h"

/// Fills in the bounds of all nodes and leafs. If `brushes` is not NULL, it receives a new array of
/// *count brushes, one per leaf that is not solid, with the leaf's contents.
void MC_FindCells(mc_tree_t *tree, mc_pools_t *pools, mc_planes_t *table, mc_brush_t **brushes,
                  int32_t *count);

#endif
