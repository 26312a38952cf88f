/// core/server_cvars.c - cvars that the operator or the game sets while the server runs.
//
// A changed value enters the world as an input. Values of the game are adopted after each tick.

#include "core/game_tables.h"
#include "core/server_local.h"

#include <stdio.h>
#include <string.h>

#define LOG_WINDOW_MS 5000

const cvar_def_t *SV_FindCvar(const game_export_t *game, const char *name, bool *is_own) {
    int32_t count = 0;
    const cvar_def_t *engine = GameCvars_Defs(&count);
    const cvar_def_t *def = Cvar_Find(engine, count, name);
    *is_own = def == NULL;
    return def ? def : Cvar_Find(game->cvars.list, game->cvars.count, name);
}

void SV_CopyGameCvars(const game_export_t *game, uint8_t *to, const uint8_t *from) {
    for (int32_t i = 0; i < game->cvars.count; i++) {
        size_t offset = game->cvars.list[i].offset;
        memcpy(to + offset, from + offset, SV_CvarBytes(&game->cvars.list[i]));
    }
}

// Adds the cvar's value in `values` to the inputs of the next tick.
static bool add_cvar_input(server_t *server, const cvar_def_t *def, const void *values,
                           err_t *err) {
    char text[CVAR_STRING_BYTES];
    input_t *input = Inputs_Add(server->inputs, INPUT_CVAR, -1);
    if (!input) {
        return Err_Set(err, "%s: too many inputs wait for the next tick; set it again later",
                       def->name);
    }
    Cvar_Format(def, values, text, sizeof text);
    int length = snprintf(input->text, sizeof input->text, "%s %s", def->name, text);
    ASSERT(length > 0 && (size_t)length < sizeof input->text); // SV_CheckGame bounds name and value
    return true;
}

static bool set_game_cvar(server_t *server, const cvar_def_t *def, const char *value, err_t *err) {
    uint8_t next[WORLD_GAME_BYTES];
    memcpy(next, server->game_values, sizeof next);
    if (!Cvar_Set(def, next, value, err)) {
        return false;
    }
    bool acts_now = server->world && !(def->flags & CVAR_LATCH) &&
                    memcmp(next, server->game_values, sizeof next) != 0;
    if (acts_now && !add_cvar_input(server, def, next, err)) {
        return false;
    }
    memcpy(server->game_values, next, sizeof next);
    return true;
}

bool Server_SetCvar(server_t *server, const char *name, const char *value, err_t *err) {
    bool is_own = false;
    const cvar_def_t *def = SV_FindCvar(server->config.game, name, &is_own);
    if (!def || is_own) {
        return def ? set_game_cvar(server, def, value, err)
                   : Err_Set(err, "%s: no such game cvar", name);
    }
    game_cvars_t next = server->cvars;
    if (!Cvar_Set(def, &next, value, err)) {
        return false;
    }
    bool is_same =
        memcmp(&next, &server->cvars, sizeof next) == 0; // as in a config that is read again
    if (is_same || (def->flags & CVAR_LATCH) || !server->world) {
        server->cvars = next;
        return true;
    }
    if (!add_cvar_input(server, def, &next, err)) {
        return false;
    }
    server->cvars = next;
    control_msg_t msg = {.type = CTL_MOVEVARS};
    msg.u.movevars.tick = server->world->tick;
    msg.u.movevars.vars = Server_NextMoveVars(server);
    Session_Broadcast(server, &msg);
    return true;
}

movevars_t Server_NextMoveVars(const server_t *server) {
    movevars_t vars = server->cvars.move;
    vars.pm_step_ms = server->world->cvars.move.pm_step_ms; // latched: changes with the map
    return vars;
}

const game_cvars_t *Server_Cvars(const server_t *server) {
    return &server->cvars;
}

void Cvars_Adopt(server_t *server) {
    const game_cvar_table_t *cvars = &server->config.game->cvars;
    for (int32_t i = 0; i < cvars->count; i++) {
        const cvar_def_t *def = &cvars->list[i];
        const uint8_t *now = server->world->game;
        char text[CVAR_STRING_BYTES];
        err_t err;
        if ((def->flags & CVAR_LATCH) ||
            memcmp(now + def->offset, server->game_values + def->offset, SV_CvarBytes(def)) == 0) {
            continue;
        }
        Cvar_Format(def, now, text, sizeof text);
        if (!Cvar_Set(def, server->game_values, text, &err)) {
            if (Log_BurstAllows(&server->cvars_burst, server->now_ms, LOG_WINDOW_MS)) {
                Log_Print(server->config.log, LOG_WARN,
                          "the game wrote a value to its cvar that is not valid, and the old value "
                          "returns: %s%s",
                          err.text, server->cvars_burst.more);
            }
            add_cvar_input(server, def, server->game_values, &err);
        }
    }
}

void Cvars_Carry(server_t *server, const game_export_t *next) {
    const game_cvar_table_t *now = &server->config.game->cvars;
    uint8_t values[WORLD_GAME_BYTES] = {0};
    Cvar_Reset(next->cvars.list, next->cvars.count, values);
    for (int32_t i = 0; i < now->count; i++) {
        char text[CVAR_STRING_BYTES];
        const cvar_def_t *def = Cvar_Find(next->cvars.list, next->cvars.count, now->list[i].name);
        if (def) {
            Cvar_Format(&now->list[i], server->game_values, text, sizeof text);
            Cvar_Set(def, values, text, NULL); // a value out of range leaves the new default
        }
    }
    memcpy(server->game_values, values, sizeof values);
}
