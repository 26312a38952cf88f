/// model/hitbox.h - sweeps against the hitboxes of a model in a bone pose.
//
// Repeat:  bit-identical on every supported compiler.

#ifndef EDICTD_MODEL_HITBOX_H
#define EDICTD_MODEL_HITBOX_H

#include "collide/pose.h"
#include "model/pose.h"
#include "state/trace.h"

EXTERN_C_BEGIN

/// Returns a hitbox in world space. `at`: pose of the model.
turned_box_t Hitbox_Place(const model_t *model, const model_pose_t *pose, int32_t hitbox,
                          const cm_pose_t *at);

/// Returns all hitboxes in world space, valid until the next call. `cache`: NULL = use `scratch`.
/// `slot`: cache entry; give every entity its own.
const turned_box_t *Hitbox_PlaceAll(pose_cache_t *cache, uint32_t slot, const model_t *model,
                                    const pose_request_t *request, const cm_object_t *object,
                                    turned_box_t scratch[MAX_HITBOXES]);

/// Sweeps an axis-aligned box or point against a turned box. Stops CM_DIST_EPSILON before the face.
/// If the sweep starts inside and never leaves, allsolid is set.
trace_t CM_TurnedBoxTrace(const turned_box_t *box, vec3_t start, vec3_t end, vec3_t mins,
                          vec3_t maxs);

/// Returns the nearest hit of all hitboxes, with hitgroup and bone. On a tie, a hitbox that
/// contains the start wins, otherwise the first.
trace_t CM_PlacedTrace(const model_t *model, const turned_box_t *boxes, vec3_t start, vec3_t end,
                       bounds_t swept);

/// Like CM_PlacedTrace, but computes the hitboxes.
trace_t CM_HitboxTrace(const model_t *model, const model_pose_t *pose, const cm_pose_t *at,
                       vec3_t start, vec3_t end, bounds_t swept);

EXTERN_C_END

#endif
