/// move/water.c - how deep in water, swimming, and jumping out of it.
//
// Floor:   move.
// Source:  QuakeWorld's water.

#include "move/pm_local.h"

#define SWIM_SCALE       0.7f   // of the wished speed
#define SINK_SPEED       60.0f  // qu/s down when nothing is wished
#define EDGE_AHEAD       24.0f  // qu ahead where a wall to jump onto is looked for
#define EDGE_WALL_HEIGHT 8.0f   // qu above the origin: solid there ...
#define EDGE_OPEN_HEIGHT 32.0f  // ... and empty there
#define WATERJUMP_AHEAD  50.0f  // qu/s
#define WATERJUMP_UP     310.0f // qu/s
#define WATERJUMP_MS     2000
#define FALLS_TOO_FAST   (-180.0f) // qu/s; who plunges in does not jump out at once

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
    point.z = player->origin.z + PM_VIEW_HEIGHT;
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
    vec3_t point = VectorMA(player->origin, EDGE_AHEAD, ahead);
    point.z = player->origin.z + EDGE_WALL_HEIGHT;
    if (contents_at(pm, point) != CONTENTS_SOLID) {
        return;
    }
    point.z = player->origin.z + EDGE_OPEN_HEIGHT;
    if (contents_at(pm, point) != CONTENTS_EMPTY) {
        return;
    }
    player->velocity = VectorScale(ahead, WATERJUMP_AHEAD);
    player->velocity.z = WATERJUMP_UP;
    player->waterjump_ms = WATERJUMP_MS;
    player->flags |= PMF_JUMP_HELD; // the button that brought it up does not jump on the edge
}

void PM_WaterMove(pm_step_t *pm) {
    const pm_input_t *input = &pm->input;
    vec3_t wish =
        VectorAdd(VectorScale(pm->forward, input->forward), VectorScale(pm->right, input->side));
    bool idle = fabsf(input->forward) + fabsf(input->side) + fabsf(input->up) == 0.0f;
    wish.z += idle ? -SINK_SPEED : input->up;
    float wishspeed;
    vec3_t wishdir = PM_WishDirection(wish, pm->vars->sv_maxspeed, &wishspeed);
    PM_Accelerate(pm, wishdir, wishspeed * SWIM_SCALE, pm->vars->sv_wateraccelerate);
    if (PM_OnGround(pm)) {
        PM_StepSlideMove(pm, NULL); // wading: steps under water are climbed
    } else {
        PM_SlideMove(pm, NULL);
    }
}
