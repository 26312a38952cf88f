/// move/walk.c - walking on the ground and falling.
//
// Source:  QuakeWorld. For half the gravity before and half after the move, as in Half-Life, see
//          sv_gravitymode.

#include "move/body.h"
#include "move/pm_local.h"

// Returns a component of the velocity, clamped between 0 and its old value `own` if it was carried.
static float without_recoil(float after, float own, float carried) {
    float lowest = own < 0.0f ? own : 0.0f;
    float highest = own > 0.0f ? own : 0.0f;
    return carried == 0.0f ? after : Q_ClampF(after, lowest, highest);
}

// Moves a player that a conveyor or current carries. Clamps the player's own velocity after the
// carrier's is subtracted: if a wall stopped both, the difference would point backward.
void PM_MoveCarried(pm_step_t *pm, void (*move)(pm_step_t *pm)) {
    player_state_t *player = pm->player;
    if (VectorCompare(pm->carried, vec3_zero)) {
        move(pm);
        return;
    }
    vec3_t own = player->velocity;
    player->velocity = VectorAdd(own, pm->carried);
    move(pm);
    vec3_t after = VectorSubtract(player->velocity, pm->carried);
    player->velocity = Vector(without_recoil(after.x, own.x, pm->carried.x),
                              without_recoil(after.y, own.y, pm->carried.y),
                              without_recoil(after.z, own.z, pm->carried.z));
}

// Moves by the mover of sv_movemode. The ground is found again at the end of the step. Whatever
// pushes the player upwards takes it off the ground.
static void mover_move(pm_step_t *pm) {
    player_state_t *player = pm->player;
    pm_body_t body = {.origin = player->origin,
                      .velocity = player->velocity,
                      .mins = player->mins,
                      .maxs = player->maxs,
                      .step_height = pm->vars->sv_stepsize,
                      .up = {0.0f, 0.0f, 1.0f},
                      .ground = player->velocity.z > 0.0f ? -1 : player->groundentity};
    PM_RunMover(&body, pm->vars->sv_movemode == 1 ? MOVER_SWEEP : MOVER_DROP, pm->dt, pm->vars,
                pm->world);
    player->origin = body.origin;
    player->velocity = body.velocity;
    PM_AddTouch(pm, body.bumped);
}

// Slides in the air. Allows a step onto the bank, because Half-Life's jump out of water is too low.
static void air_slide(pm_step_t *pm) {
    if (pm->vars->sv_movemode != 0) {
        mover_move(pm);
        return;
    }
    if (pm->player->waterjump_ms > 0 && pm->vars->sv_waterjumpmode == 2) {
        PM_StepSlideMove(pm, NULL);
    } else {
        PM_SlideMove(pm, NULL);
    }
}

float PM_Fall(const pm_step_t *pm) {
    float scale = pm->player->gravity != 0.0f ? pm->player->gravity : 1.0f;
    return scale * pm->vars->sv_gravity * pm->dt;
}

void PM_GroundMove(pm_step_t *pm) {
    player_state_t *player = pm->player;
    vec3_t end = VectorMA(player->origin, pm->dt, player->velocity);
    if (VectorCompare(end, player->origin)) {
        return;
    }
    if (pm->vars->sv_movemode != 0) {
        mover_move(pm);
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
    wishspeed *= PM_PostureScale(pm);
    if (PM_OnGround(pm)) {
        PM_Accelerate(pm, wishdir, wishspeed, pm->vars->sv_accelerate);
        pm->player->velocity.z = 0.0f;
        PM_MoveCarried(pm, PM_GroundMove);
        return;
    }
    PM_AirAccelerate(pm, wishdir, wishspeed);
    float fall = PM_Fall(pm);
    bool halves = pm->vars->sv_gravitymode == 1;
    player->velocity.z -= halves ? 0.5f * fall : fall;
    PM_MoveCarried(pm, air_slide);
    player->velocity.z -= halves ? 0.5f * fall : 0.0f;
}
