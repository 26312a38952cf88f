/// move/push.h - pushes a box out of a pusher's path, for the server and the client's prediction.
//
// Floor:   move. Queries the world only through pm_push_world_t.
// Repeat:  the same world and box give exactly the same result.
// Source:  Quake engines move a box by the pusher's motion and then test it. Here the box is also
//          swept back towards its start, so that it moves only as far as it must. Article 001
//          describes the order.

#ifndef EDICTD_MOVE_PUSH_H
#define EDICTD_MOVE_PUSH_H

#include "move/pusher.h"
#include "state/trace.h"

#define PM_RAISE_HEIGHT 18.0f // maximum lift of a box by a tilting pusher, qu: one step

/// A box that is pushed. mins and maxs are relative to origin.
typedef struct {
    int32_t number; ///< number of its edict, for is_free
    vec3_t origin, mins, maxs;
} pm_pushed_t;

/// The world during a push, with the pushers at their new poses, as callbacks.
typedef struct {
    void *context;
    /// Sweeps the box against the world model alone.
    trace_t (*trace_map)(void *context, const pm_pushed_t *box, vec3_t start, vec3_t end);
    /// Sweeps the box against the pusher `part` alone.
    trace_t (*trace_part)(void *context, int32_t part, const pm_pushed_t *box, vec3_t start,
                          vec3_t end);
    /// Returns true if the box at `origin` overlaps nothing that is solid to its edict.
    bool (*is_free)(void *context, const pm_pushed_t *box, vec3_t origin);
} pm_push_world_t;

/// Returns a point 1 qu beyond `to`, on the line from `from`.
static inline vec3_t PM_Beyond(vec3_t from, vec3_t to) {
    return VectorAdd(to, VectorNormalize(VectorSubtract(to, from), NULL));
}

/// Sweeps the box to `to` against the world model alone, and returns where it stops. A box that
/// starts in solid is not stopped. *is_hit (may be NULL): whether it was stopped.
vec3_t PM_PushThroughMap(const pm_push_world_t *world, const pm_pushed_t *box, vec3_t to,
                         bool *is_hit);

/// Lifts a box onto a pusher that tilted or turned into it. Returns false if no origin within
/// PM_RAISE_HEIGHT is free; otherwise writes it to *origin.
bool PM_RaiseOnto(const pm_push_world_t *world, const pm_pushed_t *box, int32_t part,
                  vec3_t *origin);

/// Computes the position to which a pusher pushes the box. `motion`: the pusher's motion in this
/// tick. Returns false if the box is not in its path. Move the box there with PM_PushThroughMap.
bool PM_PushAway(const pm_push_world_t *world, const pm_pushed_t *box, int32_t part,
                 const pm_carry_t *motion, vec3_t *to);

#endif
