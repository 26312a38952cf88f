/// mapc/cells.h - computes the space of each leaf of a BSP tree as a convex solid.
//
// Memory:  allocated from pools->keep.

#ifndef EDICTD_MAPC_CELLS_H
#define EDICTD_MAPC_CELLS_H

#include "mapc/tree.h"

/// Computes the bounds of all nodes and leafs. `brushes` (may be NULL) receives *count brushes, one
/// per leaf that is not solid.
void MC_FindCells(mc_tree_t *tree, mc_pools_t *pools, mc_planes_t *table, mc_brush_t **brushes,
                  int32_t *count);

#endif
