/// physics/follow.c - MOVETYPE_FOLLOW: an edict copies the pose of its leader.
//
// Units:   qu, degrees. An offset is forward, left, up of the leader.
//
// Followers copy their leaders after everything has moved, leaders first, so a chain of followers
// never lags. A follower pushes nothing and touches no trigger. A player's pitch and roll count as
// 0, so followers stay upright when the player looks up.

#include "physics/physics_local.h"

#include "math/angles.h"
#include "physics/actions.h"
#include "world/events.h"
#include "world/followers.h"

// Returns true if `edict` follows `leader`, directly or through other followers.
static bool is_led_by(const world_t *world, const edict_t *edict, const edict_t *leader) {
    const edict_t *at = edict;
    for (int32_t i = 0; i < world->max_edicts && at && at->movetype == MOVETYPE_FOLLOW; i++) {
        at = World_Deref(world, at->aiment);
        if (at == leader) {
            return true;
        }
    }
    return false;
}

// Returns the end of a sweep from the leader to the follower, whose offset may lead into or behind
// a wall. A leader that was just removed still has its origin.
static vec3_t visible_origin(sv_context_t *sv, const edict_t *edict) {
    const edict_t *leader = World_Deref(sv->world, edict->aiment);
    if (!leader) {
        return edict->origin;
    }
    trace_t trace = SV_Move(sv, leader->origin, edict->mins, edict->maxs, edict->origin,
                            MOVE_NOMONSTERS, leader);
    return trace.startsolid ? edict->origin : trace.endpos;
}

static void detach(sv_context_t *sv, edict_t *edict) {
    if (edict->movetype == MOVETYPE_FOLLOW) {
        edict->origin = visible_origin(sv, edict);
    }
    edict->aiment = (edict_ref_t){0, 0};
    if (edict->movetype == MOVETYPE_FOLLOW) {
        edict->movetype = MOVETYPE_TOSS;
        edict->hidden = 0; // in case the leader was hidden
    }
    edict->flags &= ~FL_ONGROUND;
    edict->groundentity = (edict_ref_t){0, 0};
    SV_LinkEdict(sv, edict, false); // touches start in the next tick
}

// Returns the reason why an edict cannot follow, or NULL.
static const char *follow_fault(const world_t *world, const edict_t *edict, const edict_t *leader,
                                vec3_t offset, vec3_t angles) {
    if (edict->movetype == MOVETYPE_PUSH || edict->pusher_set > 0) {
        return "it is a pusher; glue it instead";
    }
    if (World_EdictNumber(world, edict) == EDICT_WORLD || leader == edict ||
        (leader && is_led_by(world, leader, edict))) {
        return "it would follow itself";
    }
    if (!VectorWithin(offset, MAX_WORLD_COORD) || !VectorWithin(angles, MAX_TURN)) {
        return "its offset or angles are out of range";
    }
    return NULL;
}

bool SV_Follow(sv_context_t *sv, edict_t *edict, edict_t *leader, vec3_t offset, vec3_t angles) {
    world_t *world = sv->world;
    const char *fault = follow_fault(world, edict, leader, offset, angles);
    if (fault) {
        Events_Log(sv->events, LOG_WARN, "edict %d (%s) cannot follow edict %d: %s",
                   World_EdictNumber(world, edict), World_Text(world, edict->classname),
                   leader ? World_EdictNumber(world, leader) : 0, fault);
        return false;
    }
    Followers_Unlink(world, edict);
    if (!leader) {
        detach(sv, edict);
        return true;
    }
    edict->movetype = MOVETYPE_FOLLOW;
    edict->aiment = World_Ref(world, leader);
    edict->follow_offset = offset;
    edict->follow_angles = angles;
    edict->flags &= ~FL_ONGROUND;
    edict->groundentity = (edict_ref_t){0, 0};
    Followers_Append(world, edict);
    Followers_PutLedLast(world, edict);
    World_MarkWritten(world, edict);
    return true;
}

static pose_t follower_pose(const edict_t *edict, const edict_t *leader) {
    bool is_player = (leader->flags & FL_CLIENT) != 0;
    vec3_t turn = is_player ? Vector(0.0f, leader->angles.y, 0.0f) : leader->angles;
    vec3_t forward, right, up;
    AngleVectors(turn, &forward, &right, &up);
    vec3_t origin = VectorMA(leader->origin, edict->follow_offset.x, forward);
    origin = VectorMA(origin, -edict->follow_offset.y, right);
    origin = VectorMA(origin, edict->follow_offset.z, up);
    return (pose_t){origin, VectorAdd(turn, edict->follow_angles)};
}

static void copy_leader(sv_context_t *sv, edict_t *edict, const edict_t *leader) {
    pose_t pose = follower_pose(edict, leader);
    if (VectorCompare(pose.origin, edict->origin) && VectorCompare(pose.angles, edict->angles) &&
        VectorCompare(leader->velocity, edict->velocity) && edict->hidden == leader->hidden) {
        return;
    }
    edict->origin = pose.origin;
    edict->angles = pose.angles;
    edict->velocity = leader->velocity;
    edict->hidden = leader->hidden;
    SV_LinkEdict(sv, edict, false);
}

void SV_Followers(sv_context_t *sv) {
    world_t *world = sv->world;
    edict_t *next = NULL;
    for (edict_t *edict = Followers_Next(world, NULL); edict; edict = next) {
        next = Followers_Next(world, edict);
        const edict_t *leader = World_Deref(world, edict->aiment);
        if (!World_IsLive(edict) || edict->movetype != MOVETYPE_FOLLOW) {
            Followers_Unlink(world, edict);
            edict->aiment = (edict_ref_t){0, 0};
        } else if (!leader || !World_IsLive(leader)) {
            Followers_Unlink(world, edict);
            detach(sv, edict);
        } else {
            copy_leader(sv, edict, leader);
        }
    }
}
