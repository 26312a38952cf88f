/// move/command.c - runs usercmds in sub-steps of a fixed length.
//
// Units:   ms.
// Repeat:  a sub-step depends only on the input during its time, not on commands' limits.
//
//   commands  |---- A ----|-- B --|------- C -------|
//   sub-steps |---1---|---2---|---3---|---4---|---5-|    5 is incomplete: its time stays in step_ms
//                      2 ends in B: it uses B's view and movement, and the buttons of A | B

#include "base/assert.h"
#include "base/limits.h"
#include "math/angles.h"
#include "move/pmove.h"

typedef struct {
    player_state_t *player;
    const usercmd_t *cmd;
    const movevars_t *vars;
    const pm_world_t *world;
    const pm_hooks_t *hooks;
} pm_run_t;

static bool run_step(const pm_run_t *run, uint32_t buttons, int32_t step_ms) {
    pm_input_t input = PM_InputFromCmd(run->cmd);
    input.buttons = buttons;
    // Add turns by teleports and pushers; the client's yaw lacks them.
    input.angles.y = ShortToAngle((uint16_t)(run->cmd->yaw + run->player->delta_yaw));
    pm_touch_t touch;
    PM_Move(run->player, &input, step_ms, run->vars, run->world, &touch);
    if (!run->hooks) {
        return true;
    }
    usercmd_t seen = *run->cmd;
    seen.msec = (uint8_t)step_ms;
    seen.buttons = (uint8_t)buttons;
    seen.impulse = 0;
    return run->hooks->after_step(run->hooks->context, run->player, &seen, step_ms, &touch);
}

// Runs a command as one step. After a change of the cvar, first runs the time left over.
static void run_whole(const pm_run_t *run, int32_t msec) {
    player_state_t *player = run->player;
    int32_t waiting_ms = player->step_ms;
    uint32_t buttons = player->step_buttons | run->cmd->buttons;
    player->step_ms = 0;
    player->step_buttons = 0;
    if (waiting_ms > 0 && !run_step(run, buttons, waiting_ms)) {
        return;
    }
    run_step(run, run->cmd->buttons, Q_MinI(msec, MAX_CMD_MSEC));
}

static void run_sub_steps(const pm_run_t *run, int32_t msec) {
    player_state_t *player = run->player;
    const int32_t step_ms = Q_MinI(run->vars->pm_step_ms, MAX_CMD_MSEC);
    int32_t left_ms = msec;
    for (;;) {
        // 0 if the time left over exceeds a reduced pm_step_ms.
        int32_t missing_ms = Q_MaxI(step_ms - player->step_ms, 0);
        if (missing_ms > left_ms || (missing_ms == 0 && player->step_ms == 0)) {
            break;
        }
        uint32_t buttons = player->step_buttons | (missing_ms > 0 ? run->cmd->buttons : 0u);
        left_ms -= missing_ms;
        player->step_ms += missing_ms - step_ms;
        ASSERT(left_ms >= 0 && player->step_ms >= 0);
        player->step_buttons = player->step_ms > 0 ? buttons : 0u;
        if (!run_step(run, buttons, step_ms)) {
            return;
        }
    }
    if (left_ms > 0) {
        player->step_ms += left_ms;
        player->step_buttons |= run->cmd->buttons;
    }
}

void PM_RunCommand(player_state_t *player, const usercmd_t *cmd, int32_t msec,
                   const movevars_t *vars, const pm_world_t *world, const pm_hooks_t *hooks) {
    const pm_run_t run = {player, cmd, vars, world, hooks};
    if (msec < 1) {
        return;
    }
    player->step_ms = Q_ClampI(player->step_ms, 0, MAX_CMD_MSEC);
    if (vars->pm_step_ms < 1) {
        run_whole(&run, msec);
    } else {
        run_sub_steps(&run, msec);
    }
}
