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

#include <stddef.h>

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

/// Returns the trace of a sweep that hit nothing.
static inline trace_t Trace_Free(vec3_t end) {
    trace_t free = {1.0f, end, {{0, 0, 0}, 0, PLANE_X}, CONTENTS_EMPTY, TRACE_NOTHING, false, false,
                    0,    0};
    return free; // without designated names: C++ reads this header, too
}

/// Returns the trace of a sweep that never left the solid of its start.
static inline trace_t Trace_AllSolid(vec3_t start) {
    trace_t solid = {
        0.0f, start, {{0, 0, 0}, 0, PLANE_X}, CONTENTS_SOLID, TRACE_NOTHING, true, true, 0, 0};
    return solid;
}

/// Sets entnum to `number` if the sweep hit something or started in solid, otherwise to
/// TRACE_NOTHING. Stores a whole vector: if only entnum was stored, a copy of the trace that loads
/// vectors would stall.
static inline void Trace_SetEntnum(trace_t *trace, int32_t number) {
    typedef int32_t word4_t __attribute__((vector_size(16)));
    const bool is_hit = trace->fraction < 1.0f || trace->startsolid;
    const word4_t others = {-1, -1, 0, -1};
    const word4_t entnum = {0, 0, is_hit ? number : TRACE_NOTHING, 0};
    char *last = (char *)trace + sizeof *trace - sizeof entnum;
    word4_t word4;
    __builtin_memcpy(&word4, last, sizeof word4);
    word4 = (word4 & others) | entnum;
    __builtin_memcpy(last, &word4, sizeof word4);
}

static_assert(sizeof(trace_t) == 48, "hitgroup and bone must fit in the padding");
static_assert(offsetof(trace_t, entnum) == 40,
              "Trace_SetEntnum needs it as the third of the last four words");

#endif
