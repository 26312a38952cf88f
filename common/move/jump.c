/// move/jump.c - jumping, and swimming up.
//
// Source:  QuakeWorld. As in mvdsv, a jump first clips the velocity to the ground.

#include "move/pm_local.h"

// values of sv_jumpmode
#define JUMP_AT_LEAST 1
#define JUMP_SETS     2

#define BUNNY_SCALE 0.65f   // share of the cap that a faster jump keeps
#define INTO_GROUND (-0.1f) // qu/s; faster speeds into the ground are clipped

static float swim_up_speed(int32_t watertype) {
    return watertype == CONTENTS_SLIME ? 80.0f : watertype == CONTENTS_LAVA ? 50.0f : 100.0f;
}

// Half-Life's rule against bunny hopping: a jump above the cap keeps BUNNY_SCALE of it.
static void cap_speed(pm_step_t *pm) {
    const movevars_t *vars = pm->vars;
    float cap = vars->sv_bunnycap * vars->sv_maxspeed;
    float speed = VectorLength(pm->player->velocity);
    if (cap > 0.0f && speed > cap) {
        pm->player->velocity = VectorScale(pm->player->velocity, cap / speed * BUNNY_SCALE);
    }
}

static void add_jump(pm_step_t *pm) {
    player_state_t *player = pm->player;
    float up = pm->vars->sv_jumpspeed;
    cap_speed(pm);
    player->velocity.z = pm->vars->sv_jumpmode == JUMP_SETS ? up : player->velocity.z + up;
    if (pm->vars->sv_jumpmode == JUMP_AT_LEAST && player->velocity.z < up) {
        player->velocity.z = up;
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
    // A held button jumps again only within PM_JUMP_COUNT_MS after a jump, if the player is still
    // on the ground (a stair).
    if ((player->flags & PMF_JUMP_HELD) && player->jump_ms == 0) {
        return;
    }
    if (player->velocity.z < 0.0f &&
        DotProduct(player->velocity, pm->ground_normal) < INTO_GROUND) {
        player->velocity = PM_ClipVelocity(pm, player->velocity, pm->ground_normal);
    }
    add_jump(pm);
    PM_LeaveCarrier(pm);
    player->flags |= PMF_JUMP_HELD;
    player->jump_ms = pm->step_ms;
    PM_SetAirborne(pm);
}
