/// client/predict.c - predicts the player by commands that the server has not run.
//
// Repeat:  runs the server's code on the server's state in the server's order: per tick pushers,
//          then commands, with push pads. Other triggers, game rules and other players, also a
//          followed one, are not predicted.

#include "client/cl_local.h"

#define MAX_TICKS_AHEAD 256 // maximum ticks of pusher motion run before one command

// Moves the pushers to the tick of a command.
static void run_ticks(cl_t *cl, int64_t tick) {
    cl_world_t *world = &cl->world;
    world->tick = world->tick < tick - MAX_TICKS_AHEAD ? tick - MAX_TICKS_AHEAD : world->tick;
    while (world->tick <= tick) {
        Client_WorldNextTick(world, &cl->prediction.player);
    }
}

static bool after_step(void *context, player_state_t *player, const usercmd_t *cmd, int32_t step_ms,
                       const pm_touch_t *touch) {
    (void)cmd, (void)step_ms, (void)touch;
    Client_WorldTouch(context, player);
    return true;
}

// Runs the part of a command that the server has not run.
static void run_cmd(cl_t *cl, cl_cmd_t *made, int64_t cmd_tick, const pm_world_t *world) {
    cl_prediction_t *prediction = &cl->prediction;
    int32_t msec = made->cmd.msec;
    if (made->cmd.tick < cmd_tick) {
        return; // the server has run it or dropped it
    }
    if (made->cmd.tick == cmd_tick) {
        int32_t ran_ms = Q_MinI(prediction->ran_ms, msec);
        prediction->ran_ms -= ran_ms;
        msec -= ran_ms;
        if (msec == 0) {
            return;
        }
    }
    run_ticks(cl, made->cmd.tick > prediction->tick ? made->cmd.tick : prediction->tick);
    const pm_hooks_t hooks = {&cl->world, after_step};
    PM_RunCommand(&prediction->player, &made->cmd, msec, &cl->map.vars, world, &hooks);
    made->after = prediction->player;
    made->predicted = true;
}

bool CL_Predicted(cl_t *cl, player_state_t *player) {
    const snapshot_t *snapshot = Client_Newest(cl);
    if (!snapshot) {
        return false;
    }
    if (CL_Followed(cl) >= 0) {
        Client_Followed(cl, player);
        return true;
    }
    if (!cl->cmap) {
        *player = snapshot->player;
        return true;
    }
    cl_prediction_t *prediction = &cl->prediction;
    if (prediction->tick != snapshot->tick) {
        *prediction = (cl_prediction_t){.tick = snapshot->tick,
                                        .upto = cl->cmds.first,
                                        .ran_ms = snapshot->cmd_ran_ms,
                                        .player = snapshot->player};
        cl->world.map = cl->cmap;
        cl->world.vars = &cl->map.vars;
        cl->world.rate_mhz = cl->map.rate_mhz;
        Client_WorldSet(&cl->world, cl->ring, snapshot->tick, cl->slot + 1);
    }
    if ((int32_t)(cl->cmds.first - prediction->upto) > 0) {
        prediction->upto = cl->cmds.first; // the ring of commands overflowed and dropped some
    }
    const pm_world_t world = Client_WorldForMove(&cl->world);
    while (prediction->upto != cl->cmds.made) {
        run_cmd(cl, Client_Cmd(cl, prediction->upto++), snapshot->cmd_tick, &world);
    }
    *player = prediction->player;
    return true;
}
