/// physics/glue.c - sets of pushers: teams, and pushers that ride on pushers.

#include "physics/actions.h"
#include "physics/push_local.h"
#include "world/faults.h"

#include <float.h>

static void log_refused(sv_context_t *sv, const edict_t *edict, const edict_t *with,
                        const char *why) {
    SV_ReportFault(sv, "", "edict %d (%s) cannot move with edict %d: %s",
                   World_EdictNumber(sv->world, edict), World_Text(sv->world, edict->classname),
                   World_EdictNumber(sv->world, with), why);
}

static bool are_pushers(sv_context_t *sv, const edict_t *a, const edict_t *b) {
    bool good = Pusher_CanBe(sv->world, a) && a->movetype == MOVETYPE_PUSH &&
                Pusher_CanBe(sv->world, b) && b->movetype == MOVETYPE_PUSH;
    if (!good) {
        log_refused(sv, a, b, "both must be pushers, and no clients");
    }
    return good;
}

void SV_PusherTeam(sv_context_t *sv, edict_t *edict, edict_t *with) {
    if (edict != with && are_pushers(sv, edict, with)) {
        Pushers_Join(sv->world, edict, with);
        SV_WakeEdict(sv, edict);
    }
}

// Returns true if `child` is `parent` or an ancestor of `parent`.
static bool makes_cycle(const world_t *world, const edict_t *child, const edict_t *parent) {
    if (child != parent && (child->pusher_set <= 0 || child->pusher_set != parent->pusher_set)) {
        return false;
    }
    for (int32_t i = 0; parent && i < world->max_edicts; i++) {
        if (parent == child) {
            return true;
        }
        parent = Pushers_Parent(world, parent);
    }
    return parent != NULL;
}

bool SV_PusherGlue(sv_context_t *sv, edict_t *child, edict_t *parent) {
    world_t *world = sv->world;
    if (!are_pushers(sv, child, parent)) {
        return false;
    }
    if (makes_cycle(world, child, parent)) {
        log_refused(sv, child, parent, "it would ride on itself");
        return false;
    }
    if (!VectorWithin(parent->origin, MAX_WORLD_COORD) || !VectorWithin(parent->angles, FLT_MAX)) {
        log_refused(sv, child, parent, "its parent's pose is not finite or outside the world");
        return false;
    }
    SV_PusherUnglue(sv, child);
    Pushers_Hang(world, child, parent);
    if (child->motion.kind == MOTION_NONE) {
        child->motion.base = (pose_t){child->origin, child->angles};
    }
    child->motion.parent = World_EdictNumber(world, parent);
    child->motion.parent_base = (pose_t){parent->origin, parent->angles};
    SV_WakeEdict(sv, child);
    World_MarkWritten(world, child);
    return true;
}

void SV_PusherUnglue(sv_context_t *sv, edict_t *child) {
    if (child->pusher_up == 0) {
        return;
    }
    Pushers_Unhang(sv->world, child);
    SV_WakeEdict(sv, child);
}
