/// probe/column.h - samples a map: the highest floor at (x, y) for views from above, or the
/// distance to the next solid along +y for side views.

#ifndef EDICTD_PROBE_COLUMN_H
#define EDICTD_PROBE_COLUMN_H

#include "collide/cmodel.h"

/// The highest floor of the world at a point (x, y).
typedef struct {
    bool found;        ///< false: there is only solid, sky or a bottomless drop
    bool stands;       ///< a player's box fits on the floor, and the floor is not too steep
    contents_t liquid; ///< CONTENTS_EMPTY, or the liquid over the floor
    float floor;       ///< height of the floor
    float surface;     ///< height of the liquid's surface; `floor` without a liquid
} column_t;

/// One point of a vertical cut through the map.
typedef struct {
    contents_t contents; ///< contents of the map at the point
    float depth;         ///< distance along +y to the next solid, qu; 0 in solid
} section_t;

/// Returns the highest floor at (x, y) between z_min and z_max.
column_t Probe_SampleColumn(const cmap_t *map, float x, float y, float z_min, float z_max);

/// Returns the contents at a point and the distance to the next solid, at most `max_depth` qu.
section_t Probe_SampleSection(const cmap_t *map, vec3_t point, float max_depth);

#endif
