/// move/push.h - pushes a box out of a pusher's path, for the server and the client's prediction.
//
// Queries the world only through pm_push_world_t.
// Repeat:  the same world and box give exactly the same result.
// Source:  article 001. Unlike in Quake, a sweep back towards the start moves the box only as far
//          as necessary.

#ifndef EDICTD_MOVE_PUSH_H
#define EDICTD_MOVE_PUSH_H

#include "move/pusher.h"
#include "state/trace.h"

#define PM_RAISE_HEIGHT 18.0f  // maximum lift by a tilting pusher, qu: one step
#define PM_SMALL_GAP    0.125f // qu; every profile's ground probe finds ground this far below

/// A pushed box. mins and maxs are relative to origin.
typedef struct {
    int32_t number; ///< edict of the box, for is_free
    vec3_t origin, mins, maxs;
} pm_pushed_t;

/// The world during a push, with pushers at their new poses.
typedef struct {
    void *context;
    /// Sweeps the box against the world model only.
    trace_t (*trace_map)(void *context, const pm_pushed_t *box, vec3_t start, vec3_t end);
    /// Sweeps the box against pusher `part` only.
    trace_t (*trace_part)(void *context, int32_t part, const pm_pushed_t *box, vec3_t start,
                          vec3_t end);
    /// Returns true if the box at `origin` overlaps nothing solid to its edict.
    bool (*is_free)(void *context, const pm_pushed_t *box, vec3_t origin);
} pm_push_world_t;

/// Returns the point 1 qu beyond `to`, seen from `from`.
static inline vec3_t PM_Beyond(vec3_t from, vec3_t to) {
    return VectorAdd(to, VectorNormalize(VectorSubtract(to, from), NULL));
}

/// Sweeps the box through the world model and returns where it stops. Does not stop a box that
/// starts in solid. *is_hit (may be NULL): whether it was stopped.
vec3_t PM_PushThroughMap(const pm_push_world_t *world, const pm_pushed_t *box, vec3_t to,
                         bool *is_hit);

/// Lifts a box onto a pusher that turned into it. Writes *origin, or returns false if nothing
/// within PM_RAISE_HEIGHT is free.
bool PM_RaiseOnto(const pm_push_world_t *world, const pm_pushed_t *box, int32_t part,
                  vec3_t *origin);

/// Lowers a rider onto its ground `part`, which turned away below it. Writes *origin, or returns
/// false if the gap is within the ground probes of all profiles or exceeds PM_RAISE_HEIGHT.
bool PM_LowerOnto(const pm_push_world_t *world, const pm_pushed_t *box, int32_t part,
                  vec3_t *origin);

/// Computes where pusher `part` pushes the box. `motion`: of the pusher in this tick. Returns false
/// if the box is not in its path. Call PM_PushThroughMap to move the box.
bool PM_PushAway(const pm_push_world_t *world, const pm_pushed_t *box, int32_t part,
                 const pm_carry_t *motion, vec3_t *to);

#endif
