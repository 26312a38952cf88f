/// world/hitboxes.h - edicts with a skeleton: their bone poses, and sweeps against their hitboxes.
//
// Repeat:  the bone pose is that of world->time_ms during a whole tick. A cache changes no result.

#ifndef EDICTD_WORLD_HITBOXES_H
#define EDICTD_WORLD_HITBOXES_H

#include "model/hitbox.h"
#include "world/world.h"

/// Returns the model of an edict with hitboxes; otherwise NULL.
const model_t *SV_Skeleton(const sv_context_t *sv, const edict_t *edict);

/// Returns a model by its number (edict->skeleton); NULL if there is none.
const model_t *SV_SkeletonModel(const sv_context_t *sv, int32_t number);

/// Returns the pose of the model: the edict's origin and angles; of a client, only the yaw.
cm_pose_t SV_SkeletonPlace(const edict_t *edict);

/// Returns the edict's animations and controllers at the world's time.
pose_request_t SV_SkeletonRequest(const world_t *world, const edict_t *edict);

/// Sweeps a box against the hitboxes of an edict in its current bone pose. The caller sets entnum.
trace_t SV_HitboxTrace(const sv_context_t *sv, const edict_t *edict, const model_t *model,
                       vec3_t start, vec3_t end, bounds_t swept);

/// Writes the box around an edict's origin that contains its hitboxes during its whole first
/// animation, with its current controllers and angles. Samples at most 64 moments, adds 1 qu on all
/// sides for the moments between, and rounds outwards to whole units. Returns false for an edict
/// without hitboxes.
bool SV_SkeletonBox(const sv_context_t *sv, const edict_t *edict, bounds_t *box);

#endif
