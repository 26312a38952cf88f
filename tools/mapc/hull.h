/// mapc/hull.h - expands brushes by the box of a clip hull, so that the box is swept as a point.
//
// Memory:  from the keep pool given; temporary memory is released on return.

#ifndef EDICTD_MAPC_HULL_H
#define EDICTD_MAPC_HULL_H

#include "mapc/brush.h"

/// Returns the number of hulls: 3 for Quake, 4 for Half-Life. Hull 0 is for points.
int32_t MC_NumHulls(bool halflife);

/// Returns the box of hull 1, 2 or 3.
dbounds_t MC_HullBox(bool halflife, int32_t hull);

/// Expands a brush exactly (Minkowski sum): a box with its origin at p overlaps the brush if and
/// only if p is inside `grown`. Adds the six axial sides, and a side for each brush edge along
/// which a box edge can slide. Keeps order, line and contents. Returns false if rounding left no
/// volume.
bool MC_GrowBrush(mc_pools_t *pools, mc_planes_t *table, const mc_brush_t *brush, dbounds_t box,
                  mc_brush_t *grown);

#endif
