/// physics/push_local.h - one set of pushers on its way: what the files of the push share.
//
// Floor:   physics.
// Memory:  one push_t on the stack of SV_PushMove; how everything was before lies in the world
//          block (push_save_t), so that there is room for all edicts.

#ifndef EDICTD_PHYSICS_PUSH_LOCAL_H
#define EDICTD_PHYSICS_PUSH_LOCAL_H

#include "math/angles.h"
#include "move/push.h"
#include "physics/physics_local.h"
#include "world/pushers.h"

/// A list through push_save_t; numbers, -1 = none.
typedef struct {
    int32_t first, last;
} push_list_t;

typedef struct {
    sv_context_t *sv;
    edict_t *root;
    push_list_t saved;  ///< parts first, in order, then all that was near
    push_list_t riders; ///< of parts, of riders, and so on
    int32_t num_parts;  ///< that moved
    edict_t *part;      ///< blocked: the pusher that could not go on ...
    edict_t *obstacle;  ///< ... because of this
    int32_t carrier;    ///< whose rigid motion `carry` is; 0 = nobody's
    pm_carry_t carry;
    pm_push_world_t world; ///< over this push
} push_t;

/// Where a pusher's motion puts it at a local time, where its parent stands now.
pose_t Pusher_PoseAt(const sv_context_t *sv, const edict_t *edict, int64_t ltime_ms);

/// It lives, is a pusher, and was not spawned in this tick.
bool Pusher_IsMoved(const sv_context_t *sv, const edict_t *edict);

/// Saves an edict as it is, once.
push_save_t *Push_Save(push_t *push, edict_t *edict);

/// The rigid motion of a part in this push.
const pm_carry_t *Push_CarryOf(push_t *push, int32_t part);

/// A movetype that pushers push: not NONE, NOCLIP, PUSH, FOLLOW; and it lives.
bool Push_IsPushed(const edict_t *edict);

/// Finds what rests on or is near the parts, and what rests on that.
void Push_FindNear(push_t *push, edict_t *part, bounds_t box);
void Push_FindUnlinked(push_t *push);
void Push_FindStacks(push_t *push);

/// The world as move/push.h sees it during a push.
pm_push_world_t Push_World(push_t *push);

/// Carries the riders, pushes what is in the way. False: truly stuck, part and obstacle are set.
bool Push_CarryRiders(push_t *push);
bool Push_MoveObstacles(push_t *push);

/// Everything is again as it was.
void Push_RollBack(push_t *push);

/// It holds: wakes, touches, forgets the saves.
void Push_Commit(push_t *push);

/// Moves the set of `root` to where its motions put it now. `capped`: no part beyond its next
/// think. False: something is truly stuck, nothing has moved; *part and *obstacle say who.
bool SV_PushMove(sv_context_t *sv, edict_t *root, bool capped, edict_t **part, edict_t **obstacle);

#endif
