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

/// A box that is turned in any way.
typedef struct {
    vec3_t middle;
    vec3_t axes[3]; ///< of length 1, each at right angles to the others
    vec3_t half;    ///< along each axis
} turned_box_t;

/// A hitbox of a model that stands in the world.
turned_box_t Hitbox_Place(const model_t *model, const model_pose_t *pose, int32_t hitbox,
                          const cm_pose_t *at);

/// Sweeps a box, which is never turned, or a point against a turned box. Exact: the sum of both has
/// faces across the axes of both and the crosses of their edges. Stops CM_DIST_EPSILON before the
/// face; who starts inside is allsolid unless he leaves.
trace_t CM_TurnedBoxTrace(const turned_box_t *box, vec3_t start, vec3_t end, vec3_t mins,
                          vec3_t maxs);

/// Sweeps against all hitboxes: the nearest, of several equally near one the sweep starts in, then
/// the first. hitgroup and bone say what was hit.
trace_t CM_HitboxTrace(const model_t *model, const model_pose_t *pose, const cm_pose_t *at,
                       vec3_t start, vec3_t end, bounds_t swept);

#endif
