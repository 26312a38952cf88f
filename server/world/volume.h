/// world/volume.h - ladders, water currents and ground surfaces that edicts add to player movement.

#ifndef EDICTD_WORLD_VOLUME_H
#define EDICTD_WORLD_VOLUME_H

#include "move/pmove.h"
#include "world/world.h"

struct neighbours_s; // world/neighbours.h

/// Returns the ladder and the currents of the volumes that touch a box. A volume is a trigger edict
/// with contents, such as water. If several are ladders, the lowest edict number counts.
pm_volume_t SV_VolumesOf(const sv_context_t *sv, bounds_t box);

/// Like SV_VolumesOf, of the edicts near one move. `near`: NULL = none.
pm_volume_t SV_VolumesNear(const sv_context_t *sv, const struct neighbours_s *near, bounds_t box);

/// Returns the friction of edict `number` as ground, and the velocity of that ground at `at`.
pm_surface_t SV_SurfaceOf(const sv_context_t *sv, int32_t number, vec3_t at);

#endif
