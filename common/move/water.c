/// move/water.c - water level, swimming, and jumping out of water.

#include "move/clip.h"
#include "move/pm_local.h"

#define SINK_SPEED     60.0f     // downward speed of a swimmer without input, qu/s
#define FALLS_TOO_FAST (-180.0f) // qu/s; faster divers do not jump out at once

/// A jump out of water, per value of sv_waterjumpmode.
typedef struct {
    float ahead;       // distance to the tested points, qu
    float wall_height; // height of the solid point, qu above the origin
    float open_height; // height of the empty point, qu above the origin; 0 = top of the box
    float speed;       // forward speed, qu/s
    float up;          // upward speed, qu/s
    int32_t time_ms;
} waterjump_t;

static const waterjump_t waterjumps[] = {
    {24.0f, 8.0f, 32.0f, 50.0f, 310.0f, 2000}, // QuakeWorld
    {30.0f, 4.0f, 16.0f, 50.0f, 350.0f, 2040}, // Quake II
    {24.0f, 8.0f, 0.0f, 50.0f, 225.0f, 2000},  // Half-Life
};

static contents_t contents_at(const pm_step_t *pm, vec3_t point) {
    return pm->world->point_contents(pm->world->context, point);
}

void PM_CategorizeWater(pm_step_t *pm) {
    player_state_t *player = pm->player;
    player->waterlevel = 0;
    player->watertype = CONTENTS_EMPTY;
    vec3_t point = player->origin;
    point.z = player->origin.z + player->mins.z + 1.0f;
    contents_t feet = contents_at(pm, point);
    if (!PM_IsLiquid(feet)) {
        return;
    }
    player->watertype = feet;
    player->waterlevel = 1;
    point.z = player->origin.z + (player->mins.z + player->maxs.z) * 0.5f;
    if (!PM_IsLiquid(contents_at(pm, point))) {
        return;
    }
    player->waterlevel = 2;
    point.z = player->origin.z + PM_ViewHeight(player, pm->vars);
    if (PM_IsLiquid(contents_at(pm, point))) {
        player->waterlevel = 3;
    }
}

void PM_CheckWaterJump(pm_step_t *pm) {
    player_state_t *player = pm->player;
    if (player->waterjump_ms > 0 || player->velocity.z < FALLS_TOO_FAST) {
        return;
    }
    vec3_t ahead = VectorNormalize(Vector(pm->forward.x, pm->forward.y, 0.0f), NULL);
    const waterjump_t *jump =
        &waterjumps[Q_ClampI(pm->vars->sv_waterjumpmode, 0, (int32_t)COUNTOF(waterjumps) - 1)];
    vec3_t point = VectorMA(player->origin, jump->ahead, ahead);
    point.z = player->origin.z + jump->wall_height;
    if (contents_at(pm, point) != CONTENTS_SOLID) {
        return;
    }
    point.z = player->origin.z + (jump->open_height > 0.0f ? jump->open_height : player->maxs.z);
    if (contents_at(pm, point) != CONTENTS_EMPTY) {
        return;
    }
    player->velocity = VectorScale(ahead, jump->speed);
    player->velocity.z = jump->up;
    player->waterjump_ms = jump->time_ms;
    player->flags |= PMF_JUMP_HELD; // a held button must not jump again on land
}

static void wade(pm_step_t *pm) {
    PM_StepSlideMove(pm, NULL);
}

static void swim(pm_step_t *pm) {
    PM_SlideMove(pm, NULL);
}

void PM_WaterMove(pm_step_t *pm) {
    const pm_input_t *input = &pm->input;
    vec3_t wish =
        VectorAdd(VectorScale(pm->forward, input->forward), VectorScale(pm->right, input->side));
    bool idle = fabsf(input->forward) + fabsf(input->side) + fabsf(input->up) == 0.0f;
    bool sinks = idle && pm->player->movetype != MOVETYPE_FLY;
    wish.z += sinks ? -SINK_SPEED : input->up;
    float wishspeed;
    vec3_t wishdir = PM_WishDirection(wish, pm->vars->sv_maxspeed, &wishspeed);
    PM_Accelerate(pm, wishdir, wishspeed * pm->vars->sv_swimscale, pm->vars->sv_wateraccelerate);
    PM_MoveCarried(pm, PM_OnGround(pm) ? wade : swim);
}
