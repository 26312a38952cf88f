/// state/trace.h - the answer to a sweep of a point or a box through the world.
//
// Floor:   state. Filled by collide/ (models) and server/world/ (edicts), read by move/.
// Units:   qu; fractions in [0, 1]; +z is up.
// Memory:  none; the answer is returned by value.
// Repeat:  bit-identical on every supported compiler (tests/golden).

#ifndef EDICTD_STATE_TRACE_H
#define EDICTD_STATE_TRACE_H

#include "math/plane.h"
#include "state/contents.h"

/// A trace stops this far in front of a surface, so that the next one does not start solid.
/// Client prediction and server must agree on it.
#define CM_DIST_EPSILON 0.03125f // qu; 1/32, exact in binary

/// entnum of a trace that hit nothing.
#define TRACE_NOTHING (-1)

/// What stopped a sweep. With no hit, fraction is 1, endpos is the end and plane.normal is zero.
/// allsolid: fraction is 0 and endpos is the start.
typedef struct {
    float fraction;      ///< share of start..end travelled, [0, 1]
    vec3_t endpos;       ///< where the origin stopped, already backed off by the epsilon
    plane_t plane;       ///< surface hit, in world space, facing the motion
    contents_t contents; ///< contents at endpos (of the hull that was swept)
    int32_t entnum;      ///< what was hit: edict number, 0 = world, TRACE_NOTHING
    bool startsolid;     ///< start was inside a solid; the sweep may still have left it
    bool allsolid;       ///< never left the solid
    uint8_t hitgroup;    ///< of the hitbox that was hit (hit_group_t), where one was asked for
    uint8_t bone;        ///< 1 + the bone it is on; 0 = no hitbox was hit
} trace_t;

_Static_assert(sizeof(trace_t) == 48, "what hitboxes add fits into what was padding");

#endif
