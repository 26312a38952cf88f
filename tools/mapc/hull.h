/// mapc/hull.h - expands brushes by a player's box, so that a moving point stands for the box.
//
// Memory:  allocated from pools->keep.

#ifndef EDICTD_MAPC_HULL_H
#define EDICTD_MAPC_HULL_H

#include "mapc/brush.h"

/// Returns the number of hulls: 3 for Quake, 4 for Half-Life. Hull 0 is for points.
int32_t MC_NumHulls(bool halflife);

/// Returns the box of hull 1, 2 or 3.
dbounds_t MC_HullBox(bool halflife, int32_t hull);

/// Expands a brush by a box (Minkowski sum): a box at p overlaps `brush` if p is inside `grown`.
/// Returns false if rounding left no volume.
bool MC_GrowBrush(mc_pools_t *pools, mc_planes_t *table, const mc_brush_t *brush, dbounds_t box,
                  mc_brush_t *grown);

#endif
