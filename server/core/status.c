/// core/status.c - prints the match and the players for the operator.
//
// Reads the world between ticks, never writes it.

#include "core/core_local.h"
#include "core/server_local.h"
#include "world/block.h"
#include "world/running.h"

#include <stdio.h>
#include <string.h>

bool Server_Describe(server_t *server, char *line, size_t bytes) {
    const game_export_t *game = server->config.game;
    line[0] = '\0';
    if (!server->world || !game->describe) {
        return false;
    }
    uint64_t before = World_Hash(server->world);
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    SV_BeginRun(&sv);
    sv_running_t outer = SV_EnterGame(&sv, "describe", "", NULL);
    game->describe(&sv, line, bytes);
    SV_LeaveGame(&sv, outer);
    SV_EndRun(&sv);
    line[bytes - 1] = '\0'; // in case the game wrote no NUL
    if (World_Hash(server->world) != before) {
        Log_Print(server->config.log, LOG_WARN,
                  "game %s: describe changed the world, which it may only read", game->name);
    }
    return line[0] != '\0';
}

// Appends the ints among the client fields with FIELD_ALL, for example "  frags 3  deaths 1".
static void add_fields(const game_fields_t *fields, const uint8_t *values, char *line,
                       size_t bytes) {
    for (int32_t i = 0; i < fields->count; i++) {
        const game_field_t *field = &fields->list[i];
        size_t used = strlen(line);
        int32_t value;
        if (!(field->flags & FIELD_ALL) || field->type != FIELD_INT) {
            continue;
        }
        memcpy(&value, values + field->offset, sizeof value);
        snprintf(line + used, bytes - used, "  %s %d", field->name, value);
    }
}

static int32_t num_half_open(const server_t *server) {
    transport_t *net = server->config.net;
    netaddr_t from;
    int32_t count = 0;
    for (int32_t peer = 0; peer < server->max_sessions; peer++) {
        count += net->more->half_open_ms(net, peer, &from) >= 0 ? 1 : 0;
    }
    return count;
}

// Writes, for example, "  spectator  team 1  follows slot 2", or "" for a player without a team.
static const char *describe_role(const server_client_t *client, int32_t slot, char role[64]) {
    char team[24] = "", follows[24] = "";
    if (client->team > 0) {
        snprintf(team, sizeof team, "  team %d", client->team);
    }
    if (client->follows != slot) {
        snprintf(follows, sizeof follows, "  follows slot %d", client->follows);
    }
    snprintf(role, 64, "%s%s%s%s", client->is_bot ? "  bot" : "",
             client->is_spectator ? "  spectator" : "", team, follows);
    return role;
}

void Server_PrintClients(const server_t *server, void (*print)(void *context, const char *line),
                         void *context) {
    transport_t *net = server->config.net;
    const server_stats_t *stats = &server->stats;
    const net_counters_t counters = net->more->counters(net);
    char line[512];
    char address[32];
    char role[64];
    snprintf(line, sizeof line,
             "joins refused: banned %llu  full %llu  same address %llu  password %llu  token %llu  "
             "rate %llu  not sealed %llu; "
             "not joined yet %d, half-open %d",
             (unsigned long long)counters.banned, (unsigned long long)stats->refused_full,
             (unsigned long long)counters.same_address, (unsigned long long)stats->refused_password,
             (unsigned long long)stats->refused_token, (unsigned long long)stats->refused_rate,
             (unsigned long long)counters.plain,
             Server_NumClients(server) - Server_NumPlayers(server), num_half_open(server));
    print(context, line);
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        server_client_t client;
        if (!Server_Client(server, slot, &client)) {
            continue;
        }
        Net_FormatAddress(client.address, address, sizeof address);
        snprintf(line, sizeof line,
                 "slot %3d  %-20s %-21s %-6s  ping %4d ms  rate %d bytes/s  waited %d ms  "
                 "filled %u ms  late %u  over credit %u ms%s%s%s%s%s",
                 slot, client.name, address, client.is_sealed ? "sealed" : "plain", client.ping_ms,
                 client.rate, client.wait_ms, client.filled_ms, client.late, client.over_credit_ms,
                 describe_role(&client, slot, role), client.is_muted ? "  muted" : "",
                 client.is_lost ? "  lost the connection" : "", client.id[0] != '\0' ? "  id " : "",
                 client.id);
        add_fields(&server->config.game->client_fields, client.game, line, sizeof line);
        print(context, line);
    }
}

bool Server_Client(const server_t *server, int32_t slot, server_client_t *client) {
    transport_t *net = server->config.net;
    int32_t peer = server->peer_of_slot[slot];
    if (peer < 0 || !server->world) {
        return false;
    }
    const session_t *session = &server->sessions[peer];
    const client_t *state = World_Client(server->world, slot);
    const bool is_lost = session->state == SESSION_LOST;
    *client = (server_client_t){.name = session->name,
                                .id = session->id,
                                .address = session->address,
                                .ping_ms = is_lost ? 0 : net->rtt_ms(net, peer),
                                .filled_ms = state->filled_ms,
                                .late = state->dropped_late,
                                .over_credit_ms = state->dropped_credit_ms,
                                .rate = session->rate.rate,
                                .wait_ms = server->priorities[slot].longest_wait_ms,
                                .team = state->team,
                                .follows = SV_ViewSlot(server->world, slot),
                                .is_bot = session->is_bot,
                                .is_spectator = state->spectator,
                                .is_muted = session->muted_until_ms > server->now_ms,
                                .is_sealed = session->is_sealed,
                                .is_lost = is_lost,
                                .game = state->game};
    return true;
}
