/// model/hitbox.h - a sweep against the hitboxes of a posed model.
//
// Floor:   model.
// Units:   qu.
// Memory:  none.
// Repeat:  bit-identical on every supported compiler.

#ifndef EDICTD_MODEL_HITBOX_H
#define EDICTD_MODEL_HITBOX_H

#include "collide/pose.h"
#include "model/pose.h"
#include "state/trace.h"

EXTERN_C_BEGIN

/// A hitbox of a model that stands in the world.
turned_box_t Hitbox_Place(const model_t *model, const model_pose_t *pose, int32_t hitbox,
                          const cm_pose_t *at);

/// All hitboxes of a model that does this and stands there. From the cache (NULL = none), when entry
/// `slot` (any number; who is asked for often has his own) holds the answer to the same question;
/// else they are worked out, there or into `scratch`. Good until the next call.
const turned_box_t *Hitbox_PlaceAll(pose_cache_t *cache, uint32_t slot, const model_t *model,
                                    const pose_request_t *request, const cm_place_t *place,
                                    turned_box_t scratch[MAX_HITBOXES]);

/// Sweeps a box, which is never turned, or a point against a turned box. Exact: the sum of both has
/// faces across the axes of both and the crosses of their edges. Stops CM_DIST_EPSILON before the
/// face; who starts inside is allsolid unless he leaves.
trace_t CM_TurnedBoxTrace(const turned_box_t *box, vec3_t start, vec3_t end, vec3_t mins,
                          vec3_t maxs);

/// Sweeps against all hitboxes of a model as they were placed: the nearest, of several equally near
/// one the sweep starts in, then the first. hitgroup and bone say what was hit.
trace_t CM_PlacedTrace(const model_t *model, const turned_box_t *boxes, vec3_t start, vec3_t end,
                       bounds_t swept);

/// The same for a pose.
trace_t CM_HitboxTrace(const model_t *model, const model_pose_t *pose, const cm_pose_t *at,
                       vec3_t start, vec3_t end, bounds_t swept);

EXTERN_C_END

#endif
