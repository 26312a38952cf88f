/// move/stuck.c - moves a player out of solid.
//
// Source:  mvdsv: tries offsets of 1/8 qu along each axis, then 1 to 18 qu upwards.

#include "move/pm_local.h"

#define NUDGE        0.125f
#define MAX_NUDGE_UP 18

bool PM_TryOrigin(pm_step_t *pm, vec3_t origin) {
    vec3_t stood = pm->player->origin;
    pm->player->origin = origin;
    if (PM_PositionIsFree(pm->player, pm->world)) {
        return true;
    }
    pm->player->origin = stood;
    return false;
}

void PM_NudgePosition(pm_step_t *pm) {
    static const float nudges[3] = {0.0f, -NUDGE, NUDGE};
    const vec3_t base = pm->player->origin;
    for (int32_t i = 1; i < 27; i++) {
        vec3_t offset = {nudges[i % 3], nudges[i / 3 % 3], nudges[i / 9]};
        if (PM_TryOrigin(pm, VectorAdd(base, offset))) {
            return;
        }
    }
    for (int32_t up = 1; up <= MAX_NUDGE_UP; up++) {
        if (PM_TryOrigin(pm, VectorAdd(base, Vector(0.0f, 0.0f, (float)up)))) {
            return;
        }
    }
}
