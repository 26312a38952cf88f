/// move/fly.c - MOVETYPE_FLY: a player with a jetpack swims through air and water.
//
// Friction, acceleration and speed are those of a swimmer, without sinking. The jump button rises.

#include "move/pm_local.h"

void PM_FlyMove(pm_step_t *pm) {
    PM_Float(pm);
    PM_FindFreePosition(pm);
    PM_Duck(pm);
    PM_FindCarrier(pm);
    if (pm->input.buttons & BUTTON_JUMP) {
        pm->input.up = pm->vars->sv_maxspeed;
    }
    PM_Friction(pm);
    PM_WaterMove(pm);
    PM_CategorizeWater(pm);
}
