/// move/push.h - pushes one box that is in a pusher's path. The server's push and the client's
/// prediction call the same code.
//
// Floor:   move. Knows the world only through pm_push_world_t.
// Repeat:  same world, same box = same bits.
// Source:  QuakeWorld, Quake II and Quake III move the box first and test it then. Here the box is
//          also swept back from where the pusher's rigid motion would take it, so that it moves
//          just as far as it must. Article 001 describes the order.

#ifndef EDICTD_MOVE_PUSH_H
#define EDICTD_MOVE_PUSH_H

#include "move/pusher.h"
#include "state/trace.h"

#define PM_RAISE_HEIGHT 18.0f // qu; a pusher that tilts lifts a box by at most a step

/// A box that is pushed: mins and maxs are relative to origin.
typedef struct {
    int32_t number; ///< of its edict, for is_free
    vec3_t origin, mins, maxs;
} pm_pushed_t;

/// The world in the middle of a push: pushers are at their new poses.
typedef struct {
    void *context;
    /// Sweeps the box against the world model alone.
    trace_t (*trace_map)(void *context, const pm_pushed_t *box, vec3_t start, vec3_t end);
    /// Sweeps the box against the pusher `part` alone.
    trace_t (*trace_part)(void *context, int32_t part, const pm_pushed_t *box, vec3_t start,
                          vec3_t end);
    /// Returns true when the box at `origin` overlaps nothing that is solid to its edict.
    bool (*is_free)(void *context, const pm_pushed_t *box, vec3_t origin);
} pm_push_world_t;

/// Returns a point 1 qu beyond `to`, so that a sweep back stops in front of a solid that `to`
/// touches.
static inline vec3_t PM_Beyond(vec3_t from, vec3_t to) {
    return VectorAdd(to, VectorNormalize(VectorSubtract(to, from), NULL));
}

/// Returns where the box stops on the path from its origin to `to`. Only the world model stops it,
/// and not if it starts in the model. *is_hit (may be NULL) receives whether the model stopped it.
vec3_t PM_PushThroughMap(const pm_push_world_t *world, const pm_pushed_t *box, vec3_t to,
                         bool *is_hit);

/// Lifts a box onto the pusher that tilted or turned into it. Returns false when no origin
/// within PM_RAISE_HEIGHT is free, else writes it to *origin.
bool PM_RaiseOnto(const pm_push_world_t *world, const pm_pushed_t *box, int32_t part,
                  vec3_t *origin);

/// Pushes a box out of the pusher's path. `motion`: the pusher's rigid motion in this tick. Returns
/// false when the pusher is not in the box's path, else *to is where the box touches the pusher;
/// the caller moves it there with PM_PushThroughMap.
bool PM_PushAway(const pm_push_world_t *world, const pm_pushed_t *box, int32_t part,
                 const pm_carry_t *motion, vec3_t *to);

#endif
