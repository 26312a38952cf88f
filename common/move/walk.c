/// move/walk.c - walking on the ground and falling.
//
// Floor:   move.
// Source:  QuakeWorld's ground and air move; gravity is a full Euler step before the move.

#include "move/pm_local.h"

// Straight on if nothing is in the way, else around and over it.
static void ground_move(pm_step_t *pm) {
    player_state_t *player = pm->player;
    player->velocity.z = 0.0f;
    vec3_t end = VectorMA(player->origin, pm->dt, player->velocity);
    if (VectorCompare(end, player->origin)) {
        return;
    }
    trace_t trace = PM_PlayerTrace(pm, player->origin, end);
    if (trace.fraction >= 1.0f) {
        player->origin = trace.endpos;
        return;
    }
    PM_StepSlideMove(pm, &trace);
}

void PM_AirMove(pm_step_t *pm) {
    player_state_t *player = pm->player;
    vec3_t ahead = VectorNormalize(Vector(pm->forward.x, pm->forward.y, 0.0f), NULL);
    vec3_t aside = VectorNormalize(Vector(pm->right.x, pm->right.y, 0.0f), NULL);
    vec3_t wish =
        VectorAdd(VectorScale(ahead, pm->input.forward), VectorScale(aside, pm->input.side));
    float wishspeed;
    vec3_t wishdir = PM_WishDirection(wish, pm->vars->sv_maxspeed, &wishspeed);
    if (PM_OnGround(pm)) {
        PM_Accelerate(pm, wishdir, wishspeed, pm->vars->sv_accelerate);
        ground_move(pm);
        return;
    }
    PM_AirAccelerate(pm, wishdir, wishspeed);
    player->velocity.z -= pm->vars->sv_gravity * pm->dt;
    PM_SlideMove(pm, NULL);
}
