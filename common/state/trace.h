/// state/trace.h - the result of sweeping a point or a box through the world.
//
// Floor:   state. Filled by collide/ (models) and server/world/ (edicts), read by move/.
// Units:   qu; fractions in [0, 1]; +z is up.
// Memory:  none; returned by value.
// Repeat:  bit-identical on every supported compiler (tests/golden).

#ifndef EDICTD_STATE_TRACE_H
#define EDICTD_STATE_TRACE_H

#include "math/plane.h"
#include "state/contents.h"

/// Gap that a trace leaves in front of a surface, so that the next trace does not start in solid.
/// Server and client must use the same value.
#define CM_DIST_EPSILON 0.03125f // qu; 1/32, exact in binary

/// Value of `entnum` if a trace hit nothing.
#define TRACE_NOTHING (-1)

/// The result of a trace. Without a hit, fraction is 1, endpos is the end and plane.normal is zero.
/// If allsolid is set, fraction is 0 and endpos is the start.
typedef struct {
    float fraction;      ///< fraction of the sweep before the stop, [0, 1]
    vec3_t endpos;       ///< origin at the stop, CM_DIST_EPSILON in front of the surface
    plane_t plane;       ///< plane that was hit, in world space, facing the motion
    contents_t contents; ///< contents at endpos (of the hull that was swept)
    int32_t entnum;      ///< edict that was hit, 0 = the world, or TRACE_NOTHING
    bool startsolid;     ///< the start was in solid; the sweep may have left it
    bool allsolid;       ///< the whole sweep was in solid
    uint8_t hitgroup;    ///< hit_group_t of the hitbox, if a hitbox was hit
    uint8_t bone;        ///< 1 + bone of the hitbox; 0 = no hitbox was hit
} trace_t;

static_assert(sizeof(trace_t) == 48, "hitgroup and bone must fit in the padding");

#endif
