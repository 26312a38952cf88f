/// physics/push_local.h - private declarations of the push of one set of pushers.
//
// Memory:  one push_t on the stack of SV_PushMove. The saved states are in the world block
//          (push_save_t), which has room for all edicts.

#ifndef EDICTD_PHYSICS_PUSH_LOCAL_H
#define EDICTD_PHYSICS_PUSH_LOCAL_H

#include "math/angles.h"
#include "move/push.h"
#include "physics/physics_local.h"
#include "world/pushers.h"

/// A list through push_save_t, of edict numbers; -1 = none.
typedef struct {
    int32_t first, last;
} push_list_t;

/// One push. A part is a pusher of the set that has moved in it.
typedef struct {
    sv_context_t *sv;
    push_list_t saved;  ///< parts first, in order, then every edict near them
    push_list_t riders; ///< of parts, then riders of those riders, and so on
    int32_t num_parts;
    edict_t *part;         ///< of a blocked push: the part that could not move ...
    edict_t *obstacle;     ///< ... because of this edict
    int32_t carrier;       ///< part whose rigid motion `carry` holds; 0 = none
    pm_carry_t carry;      ///< see Push_CarryOf
    pm_push_world_t world; ///< the world during this push
} push_t;

/// Returns the pose of a pusher at a local time, with its parent at the parent's present pose.
pose_t Pusher_PoseAt(const sv_context_t *sv, const edict_t *edict, int64_t ltime_ms);

/// Returns true for a live pusher that was not spawned in this tick.
bool Pusher_IsMoved(const sv_context_t *sv, const edict_t *edict);

/// Saves an edict's state, unless this push has saved it already.
push_save_t *Push_Save(push_t *push, edict_t *edict);

/// Returns true when an edict is a part of this push.
bool Push_IsPart(const push_t *push, int32_t number);

/// Returns the rigid motion of a part in this push. The next call may overwrite it.
const pm_carry_t *Push_CarryOf(push_t *push, int32_t part);

/// Returns true for a live edict with a movetype that pushers push: not NONE, NOCLIP, PUSH, FOLLOW.
bool Push_IsPushed(const edict_t *edict);

/// Saves the edicts near a part's path and the riders of the part.
void Push_FindNear(push_t *push, edict_t *part, bounds_t box);

/// Adds dead players that ride on a part. Push_FindNear misses them because they are not linked.
void Push_FindUnlinked(push_t *push);

/// Adds the riders of riders.
void Push_FindStacks(push_t *push);

/// Returns the world during a push, as callbacks for move/push.h.
pm_push_world_t Push_World(push_t *push);

/// Carry the riders; push the obstacles away. Return false if an edict is stuck for good and set
/// push->part and push->obstacle.
bool Push_CarryRiders(push_t *push);
bool Push_MoveObstacles(push_t *push);

/// Moves the set of `root`, which must be the first of its set, to the poses of its motions now.
/// `capped`: no part goes beyond its next think. Returns false when an edict is stuck for good:
/// nothing has moved then, and *part and *obstacle are set.
bool SV_PushMove(sv_context_t *sv, edict_t *root, bool capped, edict_t **part, edict_t **obstacle);

#endif
