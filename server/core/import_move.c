/// core/import_move.c - the functions of game_import_t that move edicts: pushers, followers and
/// monsters. Each checks its arguments and calls physics/actions.h.

#include "core/import_local.h"
#include "move/body.h"
#include "physics/actions.h"
#include "world/faults.h"

// ---- pushers ----

static bool is_pusher(const sv_context_t *sv, const char *function, const edict_t *edict) {
    if (!Import_Entity(sv, function, edict)) {
        return false;
    }
    if (edict->movetype != MOVETYPE_PUSH) {
        SV_ReportFault(sv, function,
                       "expected an edict with MOVETYPE_PUSH, found edict %d (%.40s) "
                       "with movetype %d",
                       World_EdictNumber(sv->world, edict), World_Text(sv->world, edict->classname),
                       edict->movetype);
        return false;
    }
    return true;
}

int64_t Import_PusherTime(const sv_context_t *sv, const edict_t *edict) {
    return Import_Edict(sv, "pusher_time", edict) ? SV_PusherTime(sv, edict) : 0;
}

pose_t Import_PusherPose(const sv_context_t *sv, const edict_t *edict) {
    const pose_t none = {vec3_zero, vec3_zero};
    return Import_Edict(sv, "pusher_pose", edict) ? SV_PusherPose(sv, edict) : none;
}

bool Import_PusherStart(sv_context_t *sv, edict_t *edict, const motion_t *motion) {
    const char *function = "pusher_start";
    return is_pusher(sv, function, edict) && Import_Given(sv, function, "a motion", motion) &&
           SV_PusherStart(sv, edict, motion);
}

bool Import_PusherNext(sv_context_t *sv, edict_t *edict, const motion_t *motion, int32_t wait_ms) {
    const char *function = "pusher_next";
    return is_pusher(sv, function, edict) && Import_Given(sv, function, "a motion", motion) &&
           SV_PusherNext(sv, edict, motion, wait_ms);
}

bool Import_PusherMoveTo(sv_context_t *sv, edict_t *edict, pose_t to, int32_t duration_ms) {
    return is_pusher(sv, "pusher_move_to", edict) && SV_PusherMoveTo(sv, edict, to, duration_ms);
}

void Import_PusherStop(sv_context_t *sv, edict_t *edict) {
    if (is_pusher(sv, "pusher_stop", edict)) {
        SV_PusherStop(sv, edict);
    }
}

void Import_PusherTeam(sv_context_t *sv, edict_t *edict, edict_t *with) {
    const char *function = "pusher_team";
    if (is_pusher(sv, function, edict) && is_pusher(sv, function, with)) {
        SV_PusherTeam(sv, edict, with);
    }
}

bool Import_PusherGlue(sv_context_t *sv, edict_t *child, edict_t *parent) {
    const char *function = "pusher_glue";
    return is_pusher(sv, function, child) && is_pusher(sv, function, parent) &&
           SV_PusherGlue(sv, child, parent);
}

void Import_PusherUnglue(sv_context_t *sv, edict_t *child) {
    if (is_pusher(sv, "pusher_unglue", child)) {
        SV_PusherUnglue(sv, child);
    }
}

// ---- followers ----

bool Import_Follow(sv_context_t *sv, edict_t *edict, edict_t *leader, vec3_t offset,
                   vec3_t angles) {
    const char *function = "follow";
    return Import_Entity(sv, function, edict) && Import_MayBeNull(sv, function, leader) &&
           SV_Follow(sv, edict, leader, offset, angles);
}

bool Import_FollowBone(sv_context_t *sv, edict_t *edict, const char *bone) {
    const char *function = "follow_bone";
    return Import_Entity(sv, function, edict) &&
           Import_Given(sv, function, "a bone's name", bone) && SV_FollowBone(sv, edict, bone);
}

// ---- monsters ----

// Returns true if an edict can walk `dist` along `yaw`.
static bool can_walk(const sv_context_t *sv, const char *function, const edict_t *edict, float yaw,
                     float dist) {
    return Import_Entity(sv, function, edict) && Import_Number(sv, function, "yaw", yaw) &&
           Import_Number(sv, function, "dist", dist);
}

static bool can_go_to(const sv_context_t *sv, const char *function, const edict_t *edict,
                      vec3_t point, float dist) {
    return can_walk(sv, function, edict, 0.0f, dist) && Import_Vector(sv, function, "point", point);
}

bool Import_MoveStep(sv_context_t *sv, edict_t *edict, vec3_t move, bool relink, trace_t *blocked) {
    const char *function = "move_step";
    return Import_Entity(sv, function, edict) && Import_Vector(sv, function, "move", move) &&
           SV_MoveStep(sv, edict, move, relink, blocked);
}

bool Import_WalkMove(sv_context_t *sv, edict_t *edict, float yaw, float dist, trace_t *blocked) {
    return can_walk(sv, "walk_move", edict, yaw, dist) &&
           SV_WalkMove(sv, edict, yaw, dist, blocked);
}

bool Import_StepDirection(sv_context_t *sv, edict_t *edict, float yaw, float dist,
                          trace_t *blocked) {
    return can_walk(sv, "step_direction", edict, yaw, dist) &&
           SV_StepDirection(sv, edict, yaw, dist, blocked);
}

void Import_MoveToGoal(sv_context_t *sv, edict_t *edict, const edict_t *goal, float dist,
                       trace_t *blocked) {
    const char *function = "move_to_goal";
    if (can_walk(sv, function, edict, 0.0f, dist) && Import_Edict(sv, function, goal)) {
        SV_MoveToGoal(sv, edict, goal, dist, blocked);
    }
}

bool Import_MoveToPoint(sv_context_t *sv, edict_t *edict, vec3_t point, float dist,
                        trace_t *blocked) {
    return can_go_to(sv, "move_to_point", edict, point, dist) &&
           SV_MoveToPoint(sv, edict, point, dist, blocked);
}

bool Import_Strafe(sv_context_t *sv, edict_t *edict, vec3_t point, float dist, trace_t *blocked) {
    return can_go_to(sv, "strafe", edict, point, dist) &&
           SV_Strafe(sv, edict, point, dist, blocked);
}

bool Import_SetMover(sv_context_t *sv, edict_t *edict, const char *name,
                     const mover_limits_t *limits) {
    const char *function = "set_mover";
    return Import_Entity(sv, function, edict) && Import_Given(sv, function, "a name", name) &&
           Import_Given(sv, function, "limits", limits) && SV_SetMover(sv, edict, name, limits);
}

bool Import_CheckBottom(sv_context_t *sv, edict_t *edict) {
    return Import_Entity(sv, "check_bottom", edict) && SV_CheckBottom(sv, edict);
}

void Import_ChangeYaw(sv_context_t *sv, edict_t *edict) {
    if (Import_Entity(sv, "change_yaw", edict)) {
        SV_ChangeYaw(edict);
    }
}

vec3_t Import_AlignAngles(sv_context_t *sv, float yaw, vec3_t up) {
    const char *function = "align_angles";
    bool good = Import_Number(sv, function, "yaw", yaw) && Import_Vector(sv, function, "up", up);
    return good ? PM_AlignAngles(yaw, up) : vec3_zero;
}

// ---- projectiles ----

static bool can_fly(const sv_context_t *sv, const char *function, const edict_t *edict) {
    const int32_t type = edict->movetype;
    const bool flies = type == MOVETYPE_TOSS || type == MOVETYPE_BOUNCE || type == MOVETYPE_FLY ||
                       type == MOVETYPE_FLYMISSILE || type == MOVETYPE_BOUNCEMISSILE;
    if (!flies || (edict->flags & FL_CLIENT)) {
        SV_ReportFault(sv, function, "expected an edict that flies or falls, found movetype %d",
                       (int)type);
        return false;
    }
    return true;
}

int32_t Import_FlyUnlagged(sv_context_t *sv, edict_t *edict, const edict_t *shooter,
                           int32_t max_ms) {
    const char *function = "fly_unlagged";
    return Import_Entity(sv, function, edict) && Import_Edict(sv, function, shooter) &&
                   can_fly(sv, function, edict) &&
                   Import_Range(sv, function, "max_ms", max_ms, 0, INT32_MAX)
               ? SV_FlyUnlagged(sv, edict, shooter, max_ms)
               : 0;
}
