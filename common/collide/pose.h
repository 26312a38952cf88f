/// collide/pose.h - the pose of a model, and transforms between model and world space.
//
// Units:   qu; angles in degrees.
// Repeat:  bit-identical on every supported compiler.

#ifndef EDICTD_COLLIDE_POSE_H
#define EDICTD_COLLIDE_POSE_H

#include "math/vec3.h"

/// The cvar sv_solids: what boxes collide with. Points use hull 0, except with CM_SOLIDS_BRUSHES.
typedef enum {
    CM_SOLIDS_AUTO,   ///< a hull of exactly this size, otherwise brushes if the map has any
    CM_SOLIDS_HULLS,  ///< the hull nearest in size; brushes only without hulls
    CM_SOLIDS_BRUSHES ///< brushes if the map has them
} cm_solids_t;

/// A model with a position and angles, and how boxes collide with it.
typedef struct {
    int32_t model;
    int32_t solids; ///< cm_solids_t; used only for models of map files
    vec3_t origin, angles;
    bool for_monster; ///< a monster moves: CONTENTS_MONSTERCLIP stops it
} cm_object_t;

/// The pose of a model. `axes` is valid only if it is turned.
typedef struct {
    vec3_t origin;
    vec3_t axes[3]; ///< forward, left, up
    bool turned;
    bool for_monster; ///< as in cm_object_t
} cm_pose_t;

/// Returns false if all angles are multiples of 360, or one is not finite.
bool CM_IsTurned(const cm_object_t *object);

cm_pose_t CM_MakePose(const cm_object_t *object);

/// Transforms a point from world to model space.
static inline vec3_t CM_ToModel(const cm_pose_t *pose, vec3_t p) {
    vec3_t d = VectorSubtract(p, pose->origin);
    return pose->turned ? Vector(DotProduct(d, pose->axes[0]), DotProduct(d, pose->axes[1]),
                                 DotProduct(d, pose->axes[2]))
                        : d;
}

/// Rotates a direction from model to world space.
static inline vec3_t CM_TurnToWorld(const cm_pose_t *pose, vec3_t v) {
    return pose->turned ? VectorMA(VectorMA(VectorScale(pose->axes[0], v.x), v.y, pose->axes[1]),
                                   v.z, pose->axes[2])
                        : v;
}

#endif
