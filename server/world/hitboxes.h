/// world/hitboxes.h - edicts with a skeleton: how they stand, and sweeps against their hitboxes.
//
// Floor:   world.
// Repeat:  the pose is that of world->time_ms, all through a tick. A cache changes no answer.

#ifndef EDICTD_WORLD_HITBOXES_H
#define EDICTD_WORLD_HITBOXES_H

#include "model/hitbox.h"
#include "world/world.h"

/// The model of an edict that has hitboxes; else NULL.
const model_t *SV_Skeleton(const sv_context_t *sv, const edict_t *edict);

/// Where the model stands: at the edict's origin, as its angles say; a client's is upright and faces
/// his yaw.
cm_pose_t SV_SkeletonPlace(const edict_t *edict);

/// What its bones do now.
pose_request_t SV_SkeletonRequest(const world_t *world, const edict_t *edict);

/// A sweep against the hitboxes of an edict as its bones are now; entnum is left to the caller.
trace_t SV_HitboxTrace(const sv_context_t *sv, const edict_t *edict, const model_t *model,
                       vec3_t start, vec3_t end, bounds_t swept);

#endif
