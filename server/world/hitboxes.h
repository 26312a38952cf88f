/// world/hitboxes.h - bone poses and hitbox sweeps of edicts with a skeleton.
//
// Repeat:  bones do not move within a tick. A cache changes no result.

#ifndef EDICTD_WORLD_HITBOXES_H
#define EDICTD_WORLD_HITBOXES_H

#include "model/hitbox.h"
#include "state/shown.h"
#include "world/world.h"

/// Returns the model of an edict's skeleton, or NULL if there is none or it has no hitboxes.
const model_t *SV_Skeleton(const sv_context_t *sv, const edict_t *edict);

/// Returns the model with a number (edict->skeleton), or NULL.
const model_t *SV_SkeletonModel(const sv_context_t *sv, int32_t number);

/// Returns the edict's origin and angles. A player's pitch and roll are 0.
cm_pose_t SV_SkeletonPlace(const edict_t *edict);

/// Returns the input of a bone pose: the edict's animations and bone controllers at this time.
pose_request_t SV_SkeletonRequest(const world_t *world, const edict_t *edict);

/// Returns the time from the world's clock to that of snapshots, ms: `tick` ticks end now.
int64_t SV_ShownShift(const world_t *world, int64_t tick);

/// Returns an edict's animation for clients. `shift_ms`: SV_ShownShift.
entity_bones_t SV_ShownBones(const edict_t *edict, int64_t shift_ms);

/// Sweeps a box against the hitboxes of an edict in the current bone pose. Does not set entnum.
trace_t SV_HitboxTrace(const sv_context_t *sv, const edict_t *edict, const model_t *model,
                       vec3_t start, vec3_t end, bounds_t swept);

/// Computes the pose in the world of a bone at this time. Returns false if the edict's model has no
/// bone of this name.
bool SV_BonePose(const sv_context_t *sv, const edict_t *edict, const char *name, pose_t *out);

/// Computes a box around an edict's origin that contains its hitboxes during its whole first
/// animation. Returns false if the edict has no hitboxes.
bool SV_SkeletonBox(const sv_context_t *sv, const edict_t *edict, bounds_t *box);

#endif
