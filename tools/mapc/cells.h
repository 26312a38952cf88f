/// mapc/cells.h - the leafs of a tree as solids with corners.
//
// Floor:   tool. tree, fragments.
// Units:   qu.
// Memory:  the keep pool given; the temp pool is left as found.

#ifndef EDICTD_MAPC_CELLS_H
#define EDICTD_MAPC_CELLS_H

#include "mapc/tree.h"

/// Fills in the bounds of all nodes and leafs. `brushes`, if not NULL, gets a brush for each leaf
/// that is not solid, with its contents: a new array, *count long.
void MC_FindCells(mc_tree_t *tree, mc_pools_t *pools, mc_planes_t *table, mc_brush_t **brushes,
                  int32_t *count);

#endif
