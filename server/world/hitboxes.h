/// world/hitboxes.h - edicts with a skeleton: their bone poses, and sweeps against their hitboxes.
//
// Repeat:  the bone pose is that of world->time_ms during a whole tick. A cache changes no result.

#ifndef EDICTD_WORLD_HITBOXES_H
#define EDICTD_WORLD_HITBOXES_H

#include "model/hitbox.h"
#include "world/world.h"

/// Returns the model of an edict's skeleton, or NULL if there is none or it has no hitboxes.
const model_t *SV_Skeleton(const sv_context_t *sv, const edict_t *edict);

/// Returns a model by its number (edict->skeleton); NULL if there is none.
const model_t *SV_SkeletonModel(const sv_context_t *sv, int32_t number);

/// Returns the pose of the model: the edict's origin and angles. A client's pitch and roll are 0.
cm_pose_t SV_SkeletonPlace(const edict_t *edict);

/// Returns the edict's animations and controllers at the current world time.
pose_request_t SV_SkeletonRequest(const world_t *world, const edict_t *edict);

/// Sweeps a box against the hitboxes of an edict in its current bone pose. The caller sets entnum.
trace_t SV_HitboxTrace(const sv_context_t *sv, const edict_t *edict, const model_t *model,
                       vec3_t start, vec3_t end, bounds_t swept);

/// Writes the box around an edict's origin that contains its hitboxes during its whole first
/// animation, with its current controllers and angles. Takes at most 64 samples, adds 1 qu on all
/// sides for the times between, and rounds outwards to whole qu. Returns false without hitboxes.
bool SV_SkeletonBox(const sv_context_t *sv, const edict_t *edict, bounds_t *box);

#endif
