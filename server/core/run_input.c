/// core/run_input.c - step 1 of the tick: applies the inputs in order.

#include "core/core_local.h"
#include "core/game_tables.h"
#include "move/pmove.h"
#include "physics/physics.h"
#include "world/bits.h"
#include "world/running.h"

#include <stdio.h>
#include <string.h>

// Maximum ticks that a command may be ahead of the server; later commands would fill the queue.
#define MAX_CMD_TICKS_AHEAD MAX_CMD_QUEUE

static void make_player_edict(sv_context_t *sv, int32_t slot) {
    client_t *client = World_Client(sv->world, slot);
    edict_t *edict = SV_SpawnEdictAt(sv, slot + 1);
    edict->classname = World_String(sv->world, "player");
    edict->flags = FL_CLIENT;
    edict->type = ENTITY_PLAYER;
    edict->movetype = client->spectator ? MOVETYPE_NOCLIP : MOVETYPE_WALK;
    edict->solid = client->spectator ? SOLID_NOT : SOLID_SLIDEBOX;
    edict->visibility = client->spectator ? VISIBLE_NOBODY : VISIBLE_ALL;
    bounds_t box = PM_PlayerBox(&sv->world->cvars.move, client->player.flags & PMF_DUCKED);
    edict->mins = box.mins;
    edict->maxs = box.maxs;
    client->player.movetype = edict->movetype;
}

static void join(sv_context_t *sv, const game_export_t *game, const input_t *input) {
    client_t *client = World_Client(sv->world, input->client);
    if (client->inuse) {
        Events_Log(sv->events, LOG_WARN, "client slot %d is in use: join ignored", input->client);
        return;
    }
    memset(client, 0, sizeof *client);
    client->inuse = 1;
    client->spectator = input->value ? 1 : 0;
    client->joined_tick = sv->world->tick;
    client->floor_tick = sv->world->tick - 1;
    client->last_cmd_tick = sv->world->tick - 1;
    client->player.pm_type = client->spectator ? PM_SPECTATOR : PM_NORMAL;
    client->player.groundentity = -1;
    client->player.watertype = CONTENTS_EMPTY;
    snprintf(client->name, sizeof client->name, "%.*s", MAX_NAME_BYTES - 1, input->text);
    SV_InfoDefaults(game, client->infos);
    SV_UnpackKept(sv->world, &game->client_fields, input->kept, input->num_kept, client->game);
    bool arrives = game->client_arrive && input->from.landmark[0] != '\0';
    client->player.flags = arrives && input->from.is_ducked ? PMF_DUCKED : 0;
    make_player_edict(sv, input->client);
    edict_t *edict = World_Edict(sv->world, input->client + 1);
    if (arrives) {
        client->last_cmd.yaw = (uint16_t)input->from.cmd_yaw; // for the first teleport
        sv_running_t outer = SV_EnterGame(sv, "client_arrive", "", edict);
        game->client_arrive(sv, edict, client, &input->from);
        SV_LeaveGame(sv, outer);
    } else if (game->client_join) {
        sv_running_t outer = SV_EnterGame(sv, "client_join", "", edict);
        game->client_join(sv, edict, client);
        SV_LeaveGame(sv, outer);
    }
    edict->oldorigin = edict->origin;
    SV_LinkEdict(sv, edict, false);
    SV_PlayerFromEdict(sv, edict);
}

// Drops the events for a leaving client, and those for its team, so that the next client in the
// slot, or the wrong team, receives none.
static void drop_events_for(events_t *events, int32_t client) {
    for (int32_t i = 0; events && i < events->count; i++) {
        event_t *event = &events->list[i];
        bool is_for_team = event->client == EVENT_TO_TEAM && event->number == client;
        if (event->client == client || is_for_team) {
            event->client = EVENT_TO_NOBODY;
        }
    }
    for (int32_t i = 0; events && i < events->num_emissions; i++) {
        Bits_Clear(events->emissions[i].clients.bits, client);
    }
}

static void leave(sv_context_t *sv, const game_export_t *game, const input_t *input) {
    client_t *client = World_Client(sv->world, input->client);
    if (!client->inuse) {
        return;
    }
    edict_t *edict = World_Edict(sv->world, input->client + 1);
    if (game->client_leave) {
        sv_running_t outer = SV_EnterGame(sv, "client_leave", "", edict);
        game->client_leave(sv, edict, client);
        SV_LeaveGame(sv, outer);
    }
    SV_FreeEdict(sv, edict);
    memset(client, 0, sizeof *client);
    drop_events_for(sv->events, input->client);
}

static void queue_command(sv_context_t *sv, const input_t *input) {
    client_t *client = World_Client(sv->world, input->client);
    usercmd_t cmd = input->cmd;
    world_counters_t *counters = &sv->world->counters;
    if (!client->inuse || cmd.msec < 1 || cmd.msec > MAX_CMD_MSEC) {
        return;
    }
    if (cmd.tick <= client->floor_tick) {
        client->dropped_late++;
        counters->cmds_late++;
        return;
    }
    if (client->queue_count == MAX_CMD_QUEUE || cmd.tick > sv->world->tick + MAX_CMD_TICKS_AHEAD) {
        client->dropped_queue++;
        counters->cmds_queue_full++;
        return;
    }
    client->queue[(client->queue_first + client->queue_count) % MAX_CMD_QUEUE] = cmd;
    client->queue_count++;
}

static void client_text(sv_context_t *sv, const game_export_t *game, const input_t *input) {
    client_t *client = World_Client(sv->world, input->client);
    edict_t *edict = World_Edict(sv->world, input->client + 1);
    if (!client->inuse) {
        return;
    }
    if (input->type == INPUT_CHAT) {
        Events_Add(sv->events, EVENT_CHAT, input->value ? EVENT_TO_TEAM : EVENT_TO_ALL,
                   input->client, edict->origin, input->text);
        return;
    }
    int32_t before = sv->events ? sv->events->count : 0;
    sv_running_t outer = SV_EnterGame(sv, "client_command", "", edict);
    bool is_known = SV_RunFollow(sv, input->client, input->text, input->value != 0) ||
                    SV_RunCheat(sv, edict, client, input->text) ||
                    (game->client_command && game->client_command(sv, edict, client, input->text));
    SV_LeaveGame(sv, outer);
    for (int32_t i = before; sv->events && i < sv->events->count; i++) {
        event_t *event = &sv->events->list[i];
        bool is_text = event->type == EVENT_PRINT || event->type == EVENT_CENTERPRINT;
        if (is_text && event->client == EVENT_TO_ALL) {
            event->number = input->client + 1; // send.c limits the prints that a client causes
        }
    }
    if (!is_known) {
        char text[MAX_TEXT_BYTES];
        snprintf(text, sizeof text, "unknown command \"%.200s\"", input->text);
        Events_Add(sv->events, EVENT_PRINT, input->client, 0, (vec3_t){0}, text);
    }
}

static void set_info(sv_context_t *sv, const game_export_t *game, const input_t *input) {
    client_t *client = World_Client(sv->world, input->client);
    const game_info_t *info = SV_InfoOf(game, input->value);
    if (!client->inuse || !info) {
        return;
    }
    bool is_name = input->value == INFO_NAME;
    char *at = is_name ? client->name : client->infos[input->value - 1];
    size_t bytes = is_name ? sizeof client->name : MAX_INFO_BYTES;
    memset(at, 0, bytes);
    snprintf(at, bytes, "%.*s", (int)bytes - 1, input->text);
    if (game->client_info_changed) {
        edict_t *edict = World_Edict(sv->world, input->client + 1);
        sv_running_t outer = SV_EnterGame(sv, "client_info_changed", "", edict);
        game->client_info_changed(sv, edict, client, info->key);
        SV_LeaveGame(sv, outer);
    }
}

static void set_cvar(sv_context_t *sv, const input_t *input) {
    bool is_own = false;
    char name[64];
    err_t err;
    const char *value = strchr(input->text, ' ');
    if (!value || value - input->text >= (ptrdiff_t)sizeof name) {
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(value - input->text), input->text);
    value++;
    const cvar_def_t *def = SV_FindCvar(sv->game, name, &is_own);
    void *values = is_own ? (void *)sv->world->game : &sv->world->cvars;
    if (def && !Cvar_Set(def, values, value, &err)) {
        Events_Log(sv->events, LOG_WARN, "%s", err.text);
    }
}

void SV_RunInput(sv_context_t *sv, const game_export_t *game, const input_t *input) {
    bool needs_client =
        input->type != INPUT_SAY && input->type != INPUT_CVAR && input->type != INPUT_COMMAND;
    if (needs_client && (input->client < 0 || input->client >= sv->world->max_clients)) {
        Events_Log(sv->events, LOG_WARN, "input for client slot %d ignored, expected a slot 0..%d",
                   input->client, sv->world->max_clients - 1);
        return;
    }
    switch (input->type) {
    case INPUT_JOIN:
        join(sv, game, input);
        break;
    case INPUT_LEAVE:
        leave(sv, game, input);
        break;
    case INPUT_USERCMD:
        queue_command(sv, input);
        break;
    case INPUT_CHAT:
    case INPUT_TEXT:
        client_text(sv, game, input);
        break;
    case INPUT_INFO:
        set_info(sv, game, input);
        break;
    case INPUT_SAY:
        Events_Add(sv->events, EVENT_CHAT, EVENT_TO_ALL, -1, (vec3_t){0}, input->text);
        break;
    case INPUT_CVAR:
        set_cvar(sv, input);
        break;
    case INPUT_COMMAND:
        SV_RunGameCommand(sv, input);
        break;
    }
}
