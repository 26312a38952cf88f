/// move/accelerate.c - acceleration on the ground and in the air.
//
// Source:  QuakeWorld: on the ground without, in the air with a speed cap. In Quake II the air has
//          no cap.

#include "move/pm_local.h"

vec3_t PM_WishDirection(vec3_t wish, float limit, float *wishspeed) {
    vec3_t direction = VectorNormalize(wish, wishspeed);
    if (*wishspeed > limit) {
        *wishspeed = limit;
    }
    return direction;
}

static void add_speed(pm_step_t *pm, vec3_t wishdir, float add, float missing) {
    if (missing > 0.0f) {
        float speed = add < missing ? add : missing;
        pm->player->velocity = VectorMA(pm->player->velocity, speed, wishdir);
    }
}

void PM_Accelerate(pm_step_t *pm, vec3_t wishdir, float wishspeed, float accelerate) {
    if (pm->player->waterjump_ms > 0) {
        return;
    }
    float missing = wishspeed - DotProduct(pm->player->velocity, wishdir);
    add_speed(pm, wishdir, accelerate * pm->dt * wishspeed, missing);
}

void PM_AirAccelerate(pm_step_t *pm, vec3_t wishdir, float wishspeed) {
    if (pm->player->waterjump_ms > 0) {
        return;
    }
    float cap = pm->vars->sv_airmode == 0 ? pm->vars->sv_airspeedcap : wishspeed;
    float reachable = wishspeed < cap ? wishspeed : cap;
    float missing = reachable - DotProduct(pm->player->velocity, wishdir);
    add_speed(pm, wishdir, pm->vars->sv_airaccelerate * wishspeed * pm->dt, missing);
}
