/// client/predict.c - predicts the player by commands that the server has not run.
//
// Repeat:  runs the server's code on the server's state in the server's order: per tick pushers,
//          then commands, with push pads. Other triggers, game rules and other players, also a
//          followed one, are not predicted.

#include "client/cl_local.h"

#define MAX_TICKS_AHEAD 256   // maximum ticks of pusher motion run before one command
#define MAX_SMOOTHED    64.0f // qu; a longer correction is a jump that the game made

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
    (void)step_ms;
    Client_WorldTouch(context, player);
    Client_ShoveCrates(context, player, cmd, touch);
    Client_UseVehicle(context, player, cmd->buttons);
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
    if (!made->predicted) {
        made->first_hash = Client_HashPlayer(&prediction->player);
        made->predicted = true;
    }
    made->after = prediction->player;
}

static void run_cmds(cl_t *cl, uint32_t end, int64_t cmd_tick) {
    const pm_world_t world = Client_WorldForMove(&cl->world);
    while (cl->prediction.upto != end) {
        run_cmd(cl, Client_Cmd(cl, cl->prediction.upto++), cmd_tick, &world);
    }
}

// Returns the part of the last correction that still shows.
static vec3_t shown_error(const cl_t *cl) {
    const int32_t wanted_ms = cl->config.smooth_ms > 0 ? cl->config.smooth_ms : CL_SMOOTH_MS;
    const int64_t left_ms = cl->smooth.start_ms + wanted_ms - cl->now_ms;
    return left_ms > 0 ? VectorScale(cl->smooth.error, (float)left_ms / (float)wanted_ms)
                       : vec3_zero;
}

// Adds the difference between two predictions after the same commands to what fades out.
static void note_correction(cl_t *cl, const player_state_t *before, const player_state_t *after) {
    const vec3_t correction = VectorSubtract(before->origin, after->origin);
    if (VectorCompare(correction, vec3_zero)) {
        return;
    }
    const bool jumps = ((before->flags ^ after->flags) & (PMF_TELEPORT | PMF_WATCHED)) ||
                       before->pm_type != after->pm_type || VectorLength(correction) > MAX_SMOOTHED;
    cl->smooth.error = jumps ? vec3_zero : VectorAdd(shown_error(cl), correction);
    cl->smooth.start_ms = cl->now_ms;
}

// Predicts again from a new snapshot.
static void start_anew(cl_t *cl, const snapshot_t *snapshot) {
    const cl_prediction_t before = cl->prediction;
    cl->prediction = (cl_prediction_t){.tick = snapshot->tick,
                                       .upto = cl->cmds.first,
                                       .ran_ms = snapshot->cmd_ran_ms,
                                       .player = snapshot->player};
    cl->world.map = cl->cmap;
    cl->world.vars = &cl->map.vars;
    cl->world.rate_mhz = cl->map.rate_mhz;
    Client_WorldSet(&cl->world, cl->ring, snapshot->tick, cl->slot + 1, snapshot->player.origin);
    cl->stats.crates_left_out += (uint64_t)cl->world.left_out;
    if (before.tick == 0) {
        cl->smooth.error = vec3_zero;
    } else if ((int32_t)(before.upto - cl->cmds.first) >= 0) {
        run_cmds(cl, before.upto, snapshot->cmd_tick);
        note_correction(cl, &before.player, &cl->prediction.player);
    }
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
        start_anew(cl, snapshot);
    }
    if ((int32_t)(cl->cmds.first - prediction->upto) > 0) {
        prediction->upto = cl->cmds.first; // the ring of commands overflowed and dropped some
    }
    run_cmds(cl, cl->cmds.made, snapshot->cmd_tick);
    *player = prediction->player;
    return true;
}

bool CL_Smoothed(cl_t *cl, player_state_t *player) {
    if (!CL_Predicted(cl, player)) {
        return false;
    }
    if (cl->cmap && CL_Followed(cl) < 0) {
        player->origin = VectorAdd(player->origin, shown_error(cl));
    }
    return true;
}
