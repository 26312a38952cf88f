/// probe/column.h - samples a map's collision: the floor below a point, the solid beyond it.

#ifndef EDICTD_PROBE_COLUMN_H
#define EDICTD_PROBE_COLUMN_H

#include "collide/cmodel.h"

/// The highest floor of the world below a point of the plan.
typedef struct {
    bool found;        ///< false: only solid, sky and bottomless drops
    bool stands;       ///< a player's box fits on the floor, and the floor is not too steep
    contents_t liquid; ///< CONTENTS_EMPTY, or the liquid over the floor
    float floor;       ///< height of the floor
    float surface;     ///< height of the liquid's surface; `floor` without a liquid
} column_t;

/// A point of a section through the map: the contents, or the free distance along +y.
typedef struct {
    contents_t contents; ///< at the point
    float depth;         ///< qu to the next solid, if the point is not solid
} section_t;

/// Returns the highest floor at (x, y) with a height in z_min..z_max.
column_t Probe_SampleColumn(const cmap_t *map, float x, float y, float z_min, float z_max);

/// Samples the section y = point.y at one point, at most `max_depth` qu deep along +y.
section_t Probe_SampleSection(const cmap_t *map, vec3_t point, float max_depth);

#endif
