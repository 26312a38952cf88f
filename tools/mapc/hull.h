/// mapc/hull.h - the brushes of a clip hull: each one grown by the box that moves.
//
// Floor:   tool. brush.
// Units:   qu.
// Memory:  the keep pool given; the temp pool is left as found.

#ifndef EDICTD_MAPC_HULL_H
#define EDICTD_MAPC_HULL_H

#include "mapc/brush.h"

/// The number of hulls of a map: Quake's 3, Half-Life's 4. Hull 0 is the point.
int32_t MC_NumHulls(bool halflife);

/// The box that hull 1, 2 or 3 is made for.
dbounds_t MC_HullBox(bool halflife, int32_t hull);

/// The set of places where the box's origin is while the box overlaps the brush: the brush grown
/// by the mirrored box, exactly (Minkowski sum): each side moved out, the six axial sides, and a
/// side for each edge that the box's edges slide along. `grown` keeps order, line and contents.
/// False when rounding left nothing of it.
bool MC_GrowBrush(mc_pools_t *pools, mc_planes_t *table, const mc_brush_t *brush, dbounds_t box,
                  mc_brush_t *grown);

#endif
