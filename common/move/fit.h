/// move/fit.h - finds room for the boxes that moved pushers have carried or pushed, for the server
/// and the client's prediction.
//
// Boxes, pushers and the map (0) are known by their edict numbers. A pusher that moved is a part.
// Queries and moves the boxes only through pm_fit_world_t.
// Repeat:  the same world gives exactly the same result.
// Source:  QuakeWorld, Quake II and Quake III first move an edict, then test it. If it does not
//          fit, they try its old position and small nudges before they crush it. Here an obstacle
//          moves only as far as needed (move/push.h), and pushes the boxes in its own path in
//          turn.

#ifndef EDICTD_MOVE_FIT_H
#define EDICTD_MOVE_FIT_H

#include "math/bounds.h"
#include "move/push.h"

#define PM_FREE     (-1) // result of stuck_at: nothing overlaps
#define PM_MAX_LOAD 16   // riders of a box that is pushed; further riders stay behind

/// A box that is not a part.
typedef struct {
    vec3_t origin, mins, maxs;
    bool is_pushed;    ///< pushers and other boxes may push it
    bool is_corpse;    ///< may overlap boxes
    bool never_blocks; ///< if it has no room, it stays behind
    bool is_pusher;    ///< of another set
} pm_fit_box_t;

typedef struct {
    pm_push_world_t push; ///< its context is that of all callbacks
    pm_fit_box_t (*box)(void *context, int32_t number);
    /// Returns the number of what a box would overlap at `origin`, or PM_FREE.
    int32_t (*stuck_at)(void *context, int32_t number, vec3_t origin);
    void (*put)(void *context, int32_t number, vec3_t origin);
    /// Sweeps a box against another one.
    trace_t (*trace_box)(bounds_t target, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs);
    /// Returns the motion of a part, NULL for anything else.
    const pm_carry_t *(*motion_of)(void *context, int32_t number);
    /// Returns the origin of a box before the push, or NULL if the push did not note it.
    const vec3_t *(*origin_before)(void *context, int32_t number);
    /// Notes the origin of a box, unless this push has noted it.
    void (*note)(void *context, int32_t number);
    /// Writes the boxes that rest on a box, which was at `origin`, and that no part carries.
    /// Returns their number, at most `max`.
    int32_t (*riders_of)(void *context, int32_t number, vec3_t origin, int32_t *list, int32_t max);
    /// Optional. A box ran into another one, or into the map.
    void (*hit)(void *context, int32_t number, int32_t other);
} pm_fit_world_t;

/// Moves a rider of a part with it, through the map. Call it for all riders before PM_FitRider.
void PM_CarryRider(const pm_fit_world_t *world, int32_t number, int32_t part);

/// Finds room for a rider, which stands on `ground`. Returns false if the part is blocked.
bool PM_FitRider(const pm_fit_world_t *world, int32_t number, int32_t part, int32_t ground);

/// Pushes a box out of a part that moved near it. The boxes that rest on it, and so on, move with
/// it where there is room. `is_only`: no other part moved. Returns false if the part is blocked.
bool PM_PushObstacle(const pm_fit_world_t *world, int32_t number, int32_t part, bool is_only);

/// Sweeps a box from `from` to `to` through the map, and puts it where it stops.
void PM_PutThroughMap(const pm_fit_world_t *world, int32_t number, vec3_t from, vec3_t to);

#endif
