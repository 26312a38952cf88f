/// physics/follow.c - MOVETYPE_FOLLOW: an edict copies the pose of its leader.
//
// Units:   qu, degrees. An offset is forward, left, up of the leader, or along x, y, z of its bone.
//
// Followers copy their leaders after everything has moved, leaders first. A follower pushes nothing
// and touches no trigger, but others touch a trigger that follows. A player's pitch and roll count
// as 0.

#include "physics/physics_local.h"

#include "move/pusher.h"
#include "physics/actions.h"
#include "world/client.h"
#include "world/events.h"
#include "world/faults.h"
#include "world/followers.h"
#include "world/hitboxes.h"

#include <stdio.h>

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

// Returns the end of a sweep from the leader to the follower, because the offset may lead into or
// behind a wall.
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
    edict->follow_bone = 0;
    if (edict->movetype == MOVETYPE_FOLLOW) {
        edict->movetype = World_ClientOf(sv->world, edict) ? MOVETYPE_WALK : MOVETYPE_TOSS;
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

static bool refuse(sv_context_t *sv, const edict_t *edict, const edict_t *leader,
                   const char *fault) {
    const world_t *world = sv->world;
    const int32_t number = World_EdictNumber(world, edict);
    const char *name = World_Text(world, edict->classname);
    if (leader) {
        SV_ReportFault(sv, "", "edict %d (%s) cannot follow edict %d: %s", number, name,
                       World_EdictNumber(world, leader), fault);
    } else {
        SV_ReportFault(sv, "", "edict %d (%s) cannot follow: %s", number, name, fault);
    }
    return false;
}

bool SV_Follow(sv_context_t *sv, edict_t *edict, edict_t *leader, vec3_t offset, vec3_t angles) {
    world_t *world = sv->world;
    const char *fault = follow_fault(world, edict, leader, offset, angles);
    if (fault) {
        return refuse(sv, edict, leader, fault);
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
    edict->follow_bone = 0;
    edict->flags &= ~FL_ONGROUND;
    edict->groundentity = (edict_ref_t){0, 0};
    Followers_Append(world, edict);
    Followers_PutLedLast(world, edict);
    World_MarkWritten(world, edict);
    return true;
}

// Returns the bone's name that follow_bone contains. A game may write any number there.
static const char *bone_name(const world_t *world, const edict_t *edict) {
    return World_Text(world, edict->follow_bone < 0 ? ~edict->follow_bone : edict->follow_bone);
}

bool SV_FollowBone(sv_context_t *sv, edict_t *edict, const char *bone) {
    world_t *world = sv->world;
    const edict_t *leader =
        edict->movetype == MOVETYPE_FOLLOW ? World_Deref(world, edict->aiment) : NULL;
    char fault[96];
    pose_t pose;
    if (!leader) {
        return refuse(sv, edict, NULL, "it has no leader; call follow before follow_bone");
    }
    if (bone[0] != '\0' && !SV_BonePose(sv, leader, bone, &pose)) {
        snprintf(fault, sizeof fault, "the leader's model has no bone \"%.31s\"", bone);
        return refuse(sv, edict, leader, fault);
    }
    edict->follow_bone = World_String(world, bone);
    World_MarkWritten(world, edict);
    return bone[0] == '\0' || edict->follow_bone != 0;
}

// Computes the pose of a follower of a bone. Returns false if it follows the leader's origin. A
// leader without a skeleton may get it back. Another skeleton without the bone is logged once for
// each follow_bone, also if the leader's model alternates.
static bool pose_on_bone(sv_context_t *sv, edict_t *edict, const edict_t *leader, pose_t *out) {
    world_t *world = sv->world;
    int32_t id = edict->follow_bone;
    const char *name = bone_name(world, edict);
    pose_t bone;
    if (name[0] == '\0') {
        return false;
    }
    bool has_bone = SV_BonePose(sv, leader, name, &bone);
    if (!has_bone && id > 0 && SV_SkeletonModel(sv, leader->skeleton)) {
        edict->follow_bone = ~id;
        World_MarkWritten(world, edict);
        Events_Log(sv->events, LOG_WARN,
                   "edict %d (%s): the model of its leader, edict %d, no longer has the bone "
                   "\"%s\", so it follows the leader's origin",
                   World_EdictNumber(world, edict), World_Text(world, edict->classname),
                   World_EdictNumber(world, leader), name);
    }
    if (has_bone) {
        *out = PM_PoseOnBone(bone, (pose_t){edict->follow_offset, edict->follow_angles});
    }
    return has_bone;
}

static pose_t follower_pose(const edict_t *edict, const edict_t *leader) {
    return PM_FollowerPose((pose_t){leader->origin, leader->angles}, leader->flags & FL_CLIENT,
                           (pose_t){edict->follow_offset, edict->follow_angles});
}

// Copies the pose to the client's player, whose snapshot follows this step. The view stays its own.
static void copy_to_player(const edict_t *edict, player_state_t *player, int32_t leader) {
    player->movetype = edict->movetype;
    player->origin = edict->origin;
    player->velocity = edict->velocity;
    player->flags &= ~PMF_ONGROUND;
    player->groundentity = -1;
    player->carrier = leader;
    player->basevelocity = vec3_zero;
}

static void copy_leader(sv_context_t *sv, edict_t *edict, const edict_t *leader) {
    pose_t pose;
    if (edict->follow_bone == 0 || !pose_on_bone(sv, edict, leader, &pose)) {
        pose = follower_pose(edict, leader);
    }
    client_t *client = World_ClientOf(sv->world, edict);
    if (client) {
        pose.angles = edict->angles;
        if (!VectorWithin(pose.origin, MAX_WORLD_COORD)) {
            pose.origin = edict->origin; // a quarantined edict would end the game for its client
        }
    }
    if (!client && VectorCompare(pose.origin, edict->origin) &&
        VectorCompare(pose.angles, edict->angles) &&
        VectorCompare(leader->velocity, edict->velocity)) {
        return;
    }
    edict->origin = pose.origin;
    edict->angles = pose.angles;
    edict->velocity = leader->velocity;
    SV_LinkEdict(sv, edict, false);
    if (client) {
        copy_to_player(edict, &client->player, World_EdictNumber(sv->world, leader));
    }
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
            World_MarkWritten(world, edict);
        } else if (!leader || !World_IsLive(leader)) {
            Followers_Unlink(world, edict);
            detach(sv, edict);
        } else {
            copy_leader(sv, edict, leader);
        }
    }
}
