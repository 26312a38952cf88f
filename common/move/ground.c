/// move/ground.c - finds the ground under the player.
//
// Source:  QuakeWorld: ground is a walkable plane at most sv_groundprobe below the box. A player
//          who does not swim is lowered onto it. A hard landing clips the velocity.

#include "move/pm_local.h"

bool PM_CategorizePosition(pm_step_t *pm) {
    player_state_t *player = pm->player;
    PM_SetAirborne(pm);
    PM_CategorizeWater(pm);
    if (player->velocity.z > PM_LEAVE_GROUND) {
        return true;
    }
    vec3_t below = player->origin;
    below.z -= pm->vars->sv_groundprobe;
    trace_t trace = PM_PlayerTrace(pm, player->origin, below);
    if (trace.startsolid) {
        return false;
    }
    if (trace.fraction >= 1.0f || trace.plane.normal.z < PM_MIN_STEP_NORMAL) {
        return true;
    }
    if (player->velocity.z < PM_HARD_LANDING) {
        player->velocity = PM_ClipVelocity(pm, player->velocity, trace.plane.normal);
    }
    player->flags |= PMF_ONGROUND;
    player->groundentity = trace.entnum;
    pm->ground_normal = trace.plane.normal;
    player->waterjump_ms = 0;
    PM_AddTouch(pm, trace.entnum);
    if (player->waterlevel < 2) {
        player->origin = trace.endpos;
    }
    return true;
}
