/// state/trace.h - the result of sweeping a point or a box through the world.
//
// Units:   qu; fractions in [0, 1]; +z is up.
// Memory:  none; returned by value.
// Repeat:  bit-identical on every supported compiler (tests/golden).

#ifndef EDICTD_STATE_TRACE_H
#define EDICTD_STATE_TRACE_H

#include "math/plane.h"
#include "state/contents.h"

/// Gap between a trace and a surface, so that the next trace starts free.
#define CM_DIST_EPSILON 0.03125f // qu; 1/32, exact in binary

/// Value of `entnum` if a trace hit nothing.
#define TRACE_NOTHING (-1)

/// The result of a trace. A miss has fraction 1, plane.normal zero and endpos at the end. allsolid
/// means fraction 0 and endpos at the start.
typedef struct {
    float fraction;      ///< fraction before the stop, [0, 1]
    vec3_t endpos;       ///< origin at the stop, CM_DIST_EPSILON before the surface
    plane_t plane;       ///< plane of the hit, world space, against the motion
    contents_t contents; ///< contents at endpos
    int32_t entnum;      ///< edict of the hit, 0 = the world, or TRACE_NOTHING
    bool startsolid;     ///< the start is in solid
    bool allsolid;       ///< the whole sweep is in solid
    uint8_t hitgroup;    ///< hit_group_t of a hit hitbox
    uint8_t bone;        ///< 1 + bone of the hitbox; 0 = none
} trace_t;

static_assert(sizeof(trace_t) == 48, "hitgroup and bone must fit in the padding");

#endif
