/// move/pmove.c - runs one step of one player, in order: position, duck, jump, move, position.
//
// Units:   qu, qu/s, degrees, ms.
// Repeat:  only +, -, *, / and sqrtf on floats; no state outside the arguments.

#include "move/pmove.h"

#include "base/assert.h"
#include "math/angles.h"
#include "move/pm_local.h"

pm_input_t PM_InputFromCmd(const usercmd_t *cmd) {
    return (pm_input_t){
        .angles = Vector(AngleNormalize180(ShortToAngle(cmd->pitch)), ShortToAngle(cmd->yaw), 0.0f),
        .forward = (float)cmd->forward,
        .side = (float)cmd->side,
        .up = (float)cmd->up,
        .buttons = cmd->buttons,
    };
}

bool PM_PositionIsFree(const player_state_t *player, const pm_world_t *world) {
    trace_t trace =
        world->trace(world->context, player->origin, player->mins, player->maxs, player->origin);
    return !trace.startsolid && !trace.allsolid;
}

void PM_AddTouch(pm_step_t *pm, int32_t entnum) {
    pm_touch_t *touch = pm->touch;
    if (entnum < 0) {
        return;
    }
    for (int32_t i = 0; i < touch->count; i++) {
        if (touch->entnums[i] == entnum) {
            return;
        }
    }
    if (touch->count == PM_MAX_TOUCH) {
        touch->dropped++;
        return;
    }
    touch->entnums[touch->count++] = entnum;
}

// Clamps the velocity per axis to sv_maxvelocity; NaN becomes 0. Runs at start and end of a step,
// against overflows.
static void clamp_velocity(pm_step_t *pm) {
    pm->player->velocity = VectorClamp(pm->player->velocity, pm->vars->sv_maxvelocity);
}

static float clamp_wish(float wish) {
    if (fabsf(wish) <= MAX_WISH_SPEED) {
        return wish;
    }
    return isnan(wish) ? 0.0f : Q_ClampF(wish, -MAX_WISH_SPEED, MAX_WISH_SPEED);
}

// Returns 0 above 1e6 degrees, where floats are too coarse.
static float clamp_angle(float degrees) {
    return fabsf(degrees) <= 1e6f ? degrees : 0.0f;
}

static pm_input_t clamp_input(const pm_input_t *input) {
    return (pm_input_t){
        .angles = Vector(clamp_angle(input->angles.x), clamp_angle(input->angles.y),
                         clamp_angle(input->angles.z)),
        .forward = clamp_wish(input->forward),
        .side = clamp_wish(input->side),
        .up = clamp_wish(input->up),
        .buttons = input->buttons,
    };
}

static void count_jump(pm_step_t *pm) {
    player_state_t *player = pm->player;
    if (player->jump_ms > 0) {
        player->jump_ms += pm->step_ms;
        if (player->jump_ms > PM_JUMP_COUNT_MS) {
            player->jump_ms = 0;
        }
    }
}

// Tests the box of a rising player, which has no ground trace.
void PM_FindPosition(pm_step_t *pm) {
    bool is_free = PM_CategorizePosition(pm);
    if (is_free && pm->player->velocity.z > PM_LEAVE_GROUND) {
        is_free = PM_PositionIsFree(pm->player, pm->world);
    }
    if (!is_free) {
        PM_NudgePosition(pm);
        PM_CategorizePosition(pm);
    }
}

void PM_FindFreePosition(pm_step_t *pm) {
    PM_SetAirborne(pm);
    if (!PM_PositionIsFree(pm->player, pm->world)) {
        PM_NudgePosition(pm);
    }
    PM_CategorizeWater(pm);
}

void PM_Float(pm_step_t *pm) {
    player_state_t *player = pm->player;
    PM_SetAirborne(pm);
    player->waterjump_ms = 0;
    player->jump_ms = 0;
    player->flags &= ~(PMF_JUMP_HELD | PMF_ONLADDER);
}

static void drive_in_world(pm_step_t *pm) {
    PM_FindPosition(pm);
    PM_FindFooting(pm);
    PM_FindCarrier(pm);
    PM_DriveMove(pm);
    PM_CategorizePosition(pm);
    PM_FindFooting(pm);
}

static void move_in_world(pm_step_t *pm) {
    player_state_t *player = pm->player;
    PM_FindPosition(pm);
    PM_Duck(pm);
    PM_FindCarrier(pm);
    if (PM_LadderMove(pm)) {
        PM_CategorizePosition(pm);
        return;
    }
    if (player->waterlevel == 2) {
        PM_CheckWaterJump(pm);
    }
    if (player->velocity.z < 0.0f) {
        player->waterjump_ms = 0;
    }
    count_jump(pm);
    PM_CheckJump(pm);
    PM_Friction(pm);
    if (player->waterlevel >= 2) {
        PM_WaterMove(pm);
    } else {
        PM_AirMove(pm);
    }
    PM_CategorizePosition(pm);
}

static void move_by_type(pm_step_t *pm) {
    const player_state_t *player = pm->player;
    if (player->pm_type == PM_SPECTATOR || player->movetype == MOVETYPE_NOCLIP) {
        PM_SpectatorMove(pm);
    } else if (player->movetype == MOVETYPE_FLY) {
        PM_FlyMove(pm);
    } else if (player->movetype == MOVETYPE_TOSS) {
        PM_TossMove(pm);
    } else if (player->movetype == MOVETYPE_WALK && player->pm_type == PM_DRIVING) {
        drive_in_world(pm);
    } else if (player->movetype == MOVETYPE_WALK) {
        move_in_world(pm);
    } // MOVETYPE_NONE and MOVETYPE_FOLLOW: only the view turns
}

void PM_Move(player_state_t *player, const pm_input_t *input, int32_t step_ms,
             const movevars_t *vars, const pm_world_t *world, pm_touch_t *touch) {
    ASSERT(step_ms >= 1 && step_ms <= MAX_CMD_MSEC);
    pm_step_t pm; // set by member, which is faster
    pm.player = player;
    pm.vars = vars;
    pm.world = world;
    pm.touch = touch;
    pm.dt = (float)step_ms / 1000.0f;
    pm.step_ms = step_ms;
    pm.ground_normal = vec3_zero;
    pm.surface = (pm_surface_t){.friction = 0.0f};
    pm.volume = (pm_volume_t){.ladder = false};
    pm.carried = vec3_zero;
    touch->count = 0;
    touch->dropped = 0;
    // Outside the world, nothing is solid and floats are too coarse.
    if (player->pm_type == PM_FROZEN || !VectorWithin(player->origin, 2.0f * MAX_WORLD_COORD)) {
        return;
    }
    if (world->prefetch) {
        world->prefetch(world->context, player->origin, player->mins, player->maxs);
    }
    pm.input = clamp_input(input);
    clamp_velocity(&pm);
    player->heading = clamp_angle(player->heading);
    player->steer = clamp_angle(player->steer);
    if (player->pm_type == PM_DEAD) {
        pm.input = (pm_input_t){0};
    } else {
        player->angles = pm.input.angles;
    }
    AngleVectors(pm.input.angles, &pm.forward, &pm.right, NULL);
    move_by_type(&pm);
    clamp_velocity(&pm);
    ASSERT(VectorWithin(player->velocity, vars->sv_maxvelocity));
    ASSERT(PM_OnGround(&pm) == (player->groundentity >= 0));
    ASSERT(player->waterlevel >= 0 && player->waterlevel <= 3);
    ASSERT(touch->count <= PM_MAX_TOUCH);
}
