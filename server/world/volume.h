/// world/volume.h - ladders, currents and ground surfaces of the edicts, as pmove reads them.

#ifndef EDICTD_WORLD_VOLUME_H
#define EDICTD_WORLD_VOLUME_H

#include "move/pmove.h"
#include "world/world.h"

/// Returns ladders and currents of all volumes whose true shape touches a box. If several are
/// ladders, the lowest edict number wins.
pm_volume_t SV_VolumesOf(const sv_context_t *sv, bounds_t box);

/// Returns the effect of edict `number` on an edict that stands on it at `at`: conveyor, friction,
/// velocity of a pusher there.
pm_surface_t SV_SurfaceOf(const sv_context_t *sv, int32_t number, vec3_t at);

#endif
