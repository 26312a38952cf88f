/// mapc/hull.h - the brushes of a clip hull, expanded by the box of the hull.
//
// Memory:  the keep pool given; the temp pool is restored.

#ifndef EDICTD_MAPC_HULL_H
#define EDICTD_MAPC_HULL_H

#include "mapc/brush.h"

/// Returns the number of hulls of a map: 3 for Quake, 4 for Half-Life. Hull 0 is for points.
int32_t MC_NumHulls(bool halflife);

/// Returns the box of hull 1, 2 or 3.
dbounds_t MC_HullBox(bool halflife, int32_t hull);

/// Expands a brush by the mirrored box, exactly (Minkowski sum): the box overlaps the brush if and
/// only if its origin is inside `grown`. Adds the six axial sides and a side for each edge that a
/// box edge slides along. Order, line and contents are kept. False if rounding left no volume.
bool MC_GrowBrush(mc_pools_t *pools, mc_planes_t *table, const mc_brush_t *brush, dbounds_t box,
                  mc_brush_t *grown);

#endif
