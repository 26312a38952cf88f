/// physics/push_local.h - private declarations for moving one set of pushers: a push.
//
// Memory:  one push_t on the stack of SV_PushMove. The saved states are in the world block
//          (push_save_t), which has room for all edicts.

#ifndef EDICTD_PHYSICS_PUSH_LOCAL_H
#define EDICTD_PHYSICS_PUSH_LOCAL_H

#include "math/angles.h"
#include "move/fit.h"
#include "physics/physics_local.h"
#include "world/pushers.h"

/// A list of edict numbers, linked through push_save_t; -1 = none.
typedef struct {
    int32_t first, last;
} push_list_t;

/// One push. Each pusher that it has moved is a part of it.
typedef struct {
    sv_context_t *sv;
    push_list_t saved;  ///< parts first, in order, then every edict near a part
    push_list_t riders; ///< riders of parts, then riders of riders, and so on
    int32_t num_parts;
    edict_t *part;        ///< if the push is blocked: the part that could not move
    edict_t *obstacle;    ///< if the push is blocked: the edict that blocked `part`
    int32_t carrier;      ///< part whose rigid motion is in `carry`; 0 = none
    pm_carry_t carry;     ///< see Push_CarryOf
    pm_fit_world_t world; ///< result of Push_World
} push_t;

/// Returns a pusher's pose at a local time, relative to the parent's current pose.
pose_t Pusher_PoseAt(const sv_context_t *sv, const edict_t *edict, int64_t ltime_ms);

/// Returns true if the edict may be a pusher: it is live, and neither the world nor a client's.
static inline bool Pusher_CanBe(const world_t *world, const edict_t *edict) {
    return World_IsLive(edict) && World_EdictNumber(world, edict) > world->max_clients;
}

/// Returns true for a live pusher that was not spawned in this tick.
bool Pusher_IsMoved(const sv_context_t *sv, const edict_t *edict);

/// Saves an edict's state, unless this push has saved it already.
push_save_t *Push_Save(push_t *push, edict_t *edict);

bool Push_IsPart(const push_t *push, int32_t number);

/// Returns the rigid motion of a part in this push. The next call may overwrite it.
const pm_carry_t *Push_CarryOf(push_t *push, int32_t part);

/// Returns true if pushers can push the edict: it is live and has a movetype that allows it.
bool Push_IsPushed(const edict_t *edict);

/// Saves the edicts near a part's path and the riders of the part.
void Push_FindNear(push_t *push, edict_t *part, bounds_t box);

/// Adds unlinked edicts on a part, such as dead players, which Push_FindNear does not find.
void Push_FindUnlinked(push_t *push);

/// Adds the edicts that rest on riders, and so on.
void Push_FindStacks(push_t *push);

/// Returns the world during a push, as callbacks for move/fit.h.
pm_fit_world_t Push_World(push_t *push);

/// Carries the riders. Returns false, with push->part and push->obstacle, if an edict is stuck.
bool Push_CarryRiders(push_t *push);
/// Pushes the obstacles away. Returns like Push_CarryRiders.
bool Push_MoveObstacles(push_t *push);

/// Moves the set whose first pusher is `root`. `capped`: stops each pusher at the time of its next
/// think. If an edict blocks the push, moves nothing, sets *part and *obstacle and returns false.
bool SV_PushMove(sv_context_t *sv, edict_t *root, bool capped, edict_t **part, edict_t **obstacle);

#endif
