/// move/jump.c - jumping off the ground, and swimming up.
//
// Floor:   move.
// Source:  QuakeWorld's jump; mvdsv clips a velocity that points into the ground first.

#include "move/pm_local.h"

#define INTO_GROUND (-0.1f) // qu/s along the ground's normal

static float swim_up_speed(int32_t watertype) {
    switch (watertype) {
    case CONTENTS_SLIME:
        return 80.0f;
    case CONTENTS_LAVA:
        return 50.0f;
    default:
        return 100.0f;
    }
}

void PM_CheckJump(pm_step_t *pm) {
    player_state_t *player = pm->player;
    if (player->waterjump_ms > 0) {
        player->waterjump_ms = Q_MaxI(player->waterjump_ms - pm->step_ms, 0);
    }
    if (!(pm->input.buttons & BUTTON_JUMP)) {
        player->flags &= ~PMF_JUMP_HELD;
        return;
    }
    if (player->waterjump_ms > 0) {
        return;
    }
    if (player->waterlevel >= 2) {
        PM_SetAirborne(pm);
        player->velocity.z = swim_up_speed(player->watertype);
        return;
    }
    if (!PM_OnGround(pm)) {
        return;
    }
    // Who still stands right after a jump (on a stair, in a corner) may jump on without letting go.
    if ((player->flags & PMF_JUMP_HELD) && player->jump_ms == 0) {
        return;
    }
    if (player->velocity.z < 0.0f &&
        DotProduct(player->velocity, pm->ground_normal) < INTO_GROUND) {
        player->velocity = PM_ClipVelocity(player->velocity, pm->ground_normal);
    }
    player->velocity.z += pm->vars->sv_jumpspeed;
    player->flags |= PMF_JUMP_HELD;
    player->jump_ms = pm->step_ms;
    PM_SetAirborne(pm);
}
