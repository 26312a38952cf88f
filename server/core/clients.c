/// core/clients.c - step 3 of the tick: each client's think, then its usercmds within its time
/// credit.
//
// Units:   ms of command time. A client gains the tick's length as credit, and a command costs its
//          msec. Time beyond the credit is dropped and counted ms by ms, so how input is split into
//          commands changes no result.
// Limits:  starved_ms and ran_ms are clamped: a client may send nothing, or one tick's commands.

#include "core/core_local.h"
#include "physics/physics.h"
#include "world/history.h"
#include "world/running.h"
#include "world/tick_time.h"

#define FAR_RESCUE         64.0f // qu; clients do not interpolate a longer move out of solid
#define MAX_STARVED_MS     60000 // above any sv_input_timeout_ms
#define MAX_RAN_OF_TICK_MS (MAX_CMD_QUEUE * MAX_CMD_MSEC)

// Returns a copy of a command without movement and buttons, to fill time without commands.
// Otherwise a player would hang in the air when packets are lost.
static usercmd_t without_input(const usercmd_t *cmd) {
    usercmd_t idle = *cmd;
    idle.forward = 0;
    idle.side = 0;
    idle.up = 0;
    idle.buttons = 0;
    idle.impulse = 0;
    return idle;
}

static void run_within_credit(sv_context_t *sv, const game_export_t *game, int32_t slot,
                              const usercmd_t *cmd, player_tick_t *tick) {
    client_t *client = World_Client(sv->world, slot);
    int32_t msec = Q_MinI(cmd->msec, client->credit_ms);
    client->credit_ms -= msec;
    uint32_t excess = (uint32_t)(cmd->msec - msec);
    client->dropped_credit_ms += excess;
    sv->world->counters.cmds_over_credit_ms += excess;
    // Dropped time counts as executed, so that the client does not predict it.
    int32_t ran_ms = cmd->tick == client->last_cmd_tick ? client->ran_ms : 0;
    client->ran_ms = Q_MinI(ran_ms, MAX_RAN_OF_TICK_MS - cmd->msec) + cmd->msec;
    client->last_cmd_tick = cmd->tick;
    client->last_cmd = *cmd;
    if (msec > 0) {
        SV_RunPlayerCommand(sv, game, slot, cmd, msec, tick);
    }
}

// Runs the due commands. Returns the time that was run, ms.
static int32_t run_due_commands(sv_context_t *sv, const game_export_t *game, int32_t slot,
                                player_tick_t *tick) {
    client_t *client = World_Client(sv->world, slot);
    int32_t credit_ms = client->credit_ms;
    while (client->queue_count > 0) {
        usercmd_t *first = &client->queue[client->queue_first];
        if (first->tick > sv->world->tick) {
            break;
        }
        usercmd_t cmd = *first;
        *first = (usercmd_t){0};
        client->queue_first = (client->queue_first + 1) % MAX_CMD_QUEUE;
        client->queue_count--;
        run_within_credit(sv, game, slot, &cmd, tick);
    }
    return credit_ms - client->credit_ms;
}

// Returns starved_ms after a tick. Only commands for a whole tick reset starved_ms. Otherwise a
// player could hang in the air by sending 1 ms now and then.
static int32_t starved_after(int32_t starved_ms, int32_t ran_ms, int32_t tick_ms) {
    return ran_ms >= tick_ms ? 0 : Q_ClampI(starved_ms + tick_ms - ran_ms, 0, MAX_STARVED_MS);
}

// Returns the ms to fill for a client without commands. After the timeout: all missing time at
// once. Then one tick in each tick until a command arrives.
static int32_t missing_ms(const world_t *world, const client_t *client) {
    const game_cvars_t *cvars = &world->cvars;
    if (cvars->sv_synchronousclients) {
        return client->credit_ms;
    }
    bool goes_on = client->floor_tick == world->tick - 1;
    bool timed_out = client->starved_ms >= cvars->sv_input_timeout_ms;
    if (cvars->sv_input_timeout_ms > 0 && (timed_out || goes_on)) {
        return Q_MinI(client->starved_ms, client->credit_ms);
    }
    return 0;
}

static void fill_missing_time(sv_context_t *sv, const game_export_t *game, int32_t slot,
                              player_tick_t *tick) {
    client_t *client = World_Client(sv->world, slot);
    int32_t missing = missing_ms(sv->world, client);
    if (missing <= 0) {
        return;
    }
    usercmd_t idle = without_input(&client->last_cmd);
    client->credit_ms -= missing;
    client->filled_ms += (uint32_t)missing;
    sv->world->counters.filled_ms += (uint64_t)missing;
    client->floor_tick = sv->world->tick;
    client->starved_ms = 0;
    for (int32_t left = missing; left > 0; left -= MAX_CMD_MSEC) {
        SV_RunPlayerCommand(sv, game, slot, &idle, Q_MinI(left, MAX_CMD_MSEC), tick);
    }
}

static void run_client(sv_context_t *sv, const game_export_t *game, int32_t slot) {
    client_t *client = World_Client(sv->world, slot);
    edict_t *edict = World_Edict(sv->world, slot + 1);
    int32_t tick_ms = World_TickMs(sv->world);
    if (World_SpawnedNow(sv->world, edict) || !SV_RunThink(sv, edict, 1)) {
        return; // a client that joined in this tick moves from the next tick on
    }
    if (game->client_think) {
        sv_running_t outer = SV_EnterGame(sv, "client_think", "", edict);
        game->client_think(sv, edict, client);
        SV_LeaveGame(sv, outer);
        if (!World_IsLive(edict)) {
            return;
        }
    }
    SV_PlayerFromEdict(sv, edict); // pushers and thinks may have moved the edict
    int32_t most_ms = Q_MaxI(sv->world->cvars.sv_maxcredit_ms, tick_ms);
    client->credit_ms = Q_MinI(client->credit_ms + tick_ms, most_ms);
    player_tick_t tick;
    SV_BeginPlayerTick(&tick);
    int32_t ran_ms = run_due_commands(sv, game, slot, &tick);
    client->starved_ms = starved_after(client->starved_ms, ran_ms, tick_ms);
    fill_missing_time(sv, game, slot, &tick);
    sv_query_t query;
    // A corpse may overlap players; spectators and noclip players may be inside anything.
    if (client->player.pm_type == PM_NORMAL && MoveType_IsPushed(client->player.movetype) &&
        SV_CheckStuck(sv, edict, SV_PlayerQuery(sv, slot, &tick, &query) ? &query : NULL)) {
        vec3_t moved = VectorSubtract(edict->origin, client->player.origin);
        if (VectorLength(moved) > FAR_RESCUE) {
            SV_NoteTeleport(sv->world, edict);
        }
        SV_PlayerFromEdict(sv, edict);
    }
}

void SV_CheckMovetypes(sv_context_t *sv) {
    for (int32_t slot = 0; slot < sv->world->max_clients; slot++) {
        client_t *client = World_Client(sv->world, slot);
        if (client->inuse) {
            SV_EndCheats(sv->world, client, World_Edict(sv->world, slot + 1));
            SV_CheckMovetype(sv, World_Edict(sv->world, slot + 1));
        }
    }
}

void SV_RunClients(sv_context_t *sv, const game_export_t *game) {
    for (int32_t slot = 0; slot < sv->world->max_clients; slot++) {
        if (World_Client(sv->world, slot)->inuse) {
            run_client(sv, game, slot);
        }
    }
    SV_MoveWatchers(sv);
}
