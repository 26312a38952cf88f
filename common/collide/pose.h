/// collide/pose.h - where a model stands, and the way into its space and back.
//
// Floor:   collide.
// Units:   qu; angles in degrees.
// Memory:  none.
// Repeat:  bit-identical on every supported compiler.

#ifndef EDICTD_COLLIDE_POSE_H
#define EDICTD_COLLIDE_POSE_H

#include "math/vec3.h"

/// What boxes collide with (sv_solids). Points ask hull 0, but in CM_SOLIDS_BRUSHES.
typedef enum {
    CM_SOLIDS_AUTO, ///< the hull that fits the box exactly, else the brushes where the map has them
    CM_SOLIDS_HULLS,  ///< always a hull: the nearest in size (brushes when the map has no hulls)
    CM_SOLIDS_BRUSHES ///< always the brushes, where the map has them
} cm_solids_t;

/// A model where it stands. Angles that are all whole turns = unturned.
typedef struct {
    int32_t model;
    int32_t solids; ///< cm_solids_t; models of the map's own kind only
    vec3_t origin, angles;
    bool for_monster; ///< the box is a monster's: CONTENTS_MONSTERCLIP of brushes stops it
} cm_place_t;

/// The same, worked out: its origin, and, when turned, its axes in the world.
typedef struct {
    vec3_t origin;
    vec3_t axes[3]; ///< forward, left, up
    bool turned;
    bool for_monster; ///< as cm_place_t says
} cm_pose_t;

/// Full turns, and what is no angle, count as unturned.
bool CM_IsTurned(const cm_place_t *place);

cm_pose_t CM_MakePose(const cm_place_t *place);

/// A point of the world in the model's space.
static inline vec3_t CM_ToModel(const cm_pose_t *pose, vec3_t p) {
    vec3_t d = VectorSubtract(p, pose->origin);
    return pose->turned ? Vector(DotProduct(d, pose->axes[0]), DotProduct(d, pose->axes[1]),
                                 DotProduct(d, pose->axes[2]))
                        : d;
}

/// A direction of the model's space in the world.
static inline vec3_t CM_TurnToWorld(const cm_pose_t *pose, vec3_t v) {
    return pose->turned ? VectorMA(VectorMA(VectorScale(pose->axes[0], v.x), v.y, pose->axes[1]),
                                   v.z, pose->axes[2])
                        : v;
}

#endif
