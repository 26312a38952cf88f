/// probe/column.h - samples a map's collision: what lies under a point, and behind it.
//
// Floor:   tools.
// Units:   qu.

#ifndef EDICTD_PROBE_COLUMN_H
#define EDICTD_PROBE_COLUMN_H

#include "collide/cmodel.h"

/// The highest floor of the world under a point of the plan.
typedef struct {
    bool found;        ///< false: nothing but solid, sky and drops without end
    bool stands;       ///< a player's box fits there, on ground that is not too steep
    contents_t liquid; ///< CONTENTS_EMPTY, or the liquid over the floor
    float floor;       ///< its height
    float surface;     ///< the liquid's surface; the floor where there is none
} column_t;

/// What a section through the map shows at a point: what it cuts, or how far one sees on along +y.
typedef struct {
    contents_t contents; ///< where the section cuts
    float depth;         ///< qu to the next solid, when the cut is not solid
} section_t;

/// The highest floor at (x, y) whose height lies within z_min..z_max.
column_t Probe_SampleColumn(const cmap_t *map, float x, float y, float z_min, float z_max);

/// The section y = point.y at one point; looks at most max_depth along +y.
section_t Probe_SampleSection(const cmap_t *map, vec3_t point, float max_depth);

#endif
