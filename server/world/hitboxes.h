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

/// A model by its number, as edict->skeleton has it; NULL when there is none of that number.
const model_t *SV_SkeletonModel(const sv_context_t *sv, int32_t number);

/// Where the model stands: at the edict's origin, as its angles say; a client's is upright and faces
/// his yaw.
cm_pose_t SV_SkeletonPlace(const edict_t *edict);

/// What its bones do now.
pose_request_t SV_SkeletonRequest(const world_t *world, const edict_t *edict);

/// A sweep against the hitboxes of an edict as its bones are now; entnum is left to the caller.
trace_t SV_HitboxTrace(const sv_context_t *sv, const edict_t *edict, const model_t *model,
                       vec3_t start, vec3_t end, bounds_t swept);

/// The box around an edict's origin that holds its hitboxes wherever its first animation takes them,
/// with its controllers and angles as they are. False: it has no skeleton with hitboxes. Looks at no
/// more than 64 moments, spread over the animation, adds 1 qu on all sides for those between, and
/// goes out to whole units.
bool SV_SkeletonBox(const sv_context_t *sv, const edict_t *edict, bounds_t *box);

#endif
