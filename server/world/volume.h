/// world/volume.h - ladders, currents and ground surfaces of the edicts, as pmove reads them.

#ifndef EDICTD_WORLD_VOLUME_H
#define EDICTD_WORLD_VOLUME_H

#include "move/pmove.h"
#include "world/world.h"

/// Returns ladders and currents of all volumes whose true shape touches a box. If several are
/// ladders, the lowest edict number wins.
pm_volume_t SV_VolumesOf(const sv_context_t *sv, bounds_t box);

/// Returns conveyor velocity, friction and pusher velocity of edict `number` as ground at `at`.
pm_surface_t SV_SurfaceOf(const sv_context_t *sv, int32_t number, vec3_t at);

#endif
