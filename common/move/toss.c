/// move/toss.c - MOVETYPE_TOSS: a corpse or a player that was knocked out.
//
// Source:  the rules of server/physics/toss.c for MOVETYPE_TOSS, a sub-step instead of a tick at a
//          time: full gravity, one sweep, overbounce 1, rest on floors. Unlike other edicts, a
//          player that gets an upward velocity leaves its floor.

#include "move/clip.h"
#include "move/pm_local.h"

// Sweeps once and clips the velocity. Returns false if nothing was hit.
static bool sweep(pm_step_t *pm) {
    player_state_t *player = pm->player;
    vec3_t end = VectorMA(player->origin, pm->dt, player->velocity);
    trace_t trace = PM_PlayerTrace(pm, player->origin, end);
    player->origin = trace.endpos;
    if (trace.fraction >= 1.0f) {
        return false;
    }
    PM_AddTouch(pm, trace.entnum);
    bool rests = trace.startsolid || trace.allsolid || trace.plane.normal.z >= PM_MIN_STEP_NORMAL;
    player->velocity =
        rests ? vec3_zero
              : PM_Clip(player->velocity, trace.plane.normal, 1.0f, pm->vars->sv_stopepsilon);
    return true;
}

// Gravity presses a body into a steep slope in every step, so a single sweep would never move it.
static void fall(pm_step_t *pm) {
    const vec3_t start = pm->player->origin;
    if (sweep(pm) && VectorLength(VectorSubtract(pm->player->origin, start)) < CM_DIST_EPSILON) {
        sweep(pm);
    }
}

static void find_rest(pm_step_t *pm) {
    if (pm->player->velocity.z > 0.0f) {
        PM_FindFreePosition(pm);
    } else {
        PM_FindPosition(pm);
    }
}

void PM_TossMove(pm_step_t *pm) {
    player_state_t *player = pm->player;
    PM_Float(pm);
    find_rest(pm);
    PM_FindCarrier(pm);
    if (PM_OnGround(pm)) {
        player->velocity = vec3_zero;
    } else {
        player->velocity.z -= PM_Fall(pm);
    }
    if (!PM_OnGround(pm) || !VectorCompare(pm->carried, vec3_zero)) {
        PM_MoveCarried(pm, fall);
        find_rest(pm);
    }
    if (PM_OnGround(pm)) {
        player->velocity = vec3_zero;
    }
}
