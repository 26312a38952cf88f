/// core/stats.c - sends changed client fields with FIELD_OWNER or FIELD_ALL, by reliable messages.
//
// Reads the world between ticks, never writes it.
//
// server->sent_stats holds the values sent last. A client starts a map with all values 0, then
// receives all other values, then the changes of each tick.

#include "core/server_local.h"

#include <string.h>

#define SENT_FLAGS (FIELD_OWNER | FIELD_ALL)

// Lists the fields that clients receive, in the table's order. Returns the number of fields.
static int32_t sent_fields(const server_t *server, const game_field_t *list[CTL_MAX_STATS]) {
    const game_fields_t *fields = &server->config.game->client_fields;
    int32_t count = 0;
    for (int32_t i = 0; i < fields->count && count < CTL_MAX_STATS; i++) {
        if (fields->list[i].flags & SENT_FLAGS) {
            list[count++] = &fields->list[i];
        }
    }
    return count;
}

void Stats_SendNames(server_t *server, int32_t peer) {
    const game_field_t *fields[CTL_MAX_STATS];
    control_msg_t msg = {.type = CTL_STAT_NAMES};
    int32_t count = sent_fields(server, fields);
    msg.u.stat_names.count = count;
    for (int32_t i = 0; i < count; i++) {
        // SV_CheckGame bounds the names.
        memcpy(msg.u.stat_names.names[i], fields[i]->name, strlen(fields[i]->name));
    }
    Session_Send(server, peer, &msg);
}

// Returns a bit for each listed field that the peer may see. `is_owner`: the peer is the player.
static uint32_t visible(const game_field_t *const fields[], int32_t count, bool is_owner) {
    uint32_t bits = 0;
    for (int32_t i = 0; i < count; i++) {
        bits |= is_owner || (fields[i]->flags & FIELD_ALL) ? 1u << i : 0u;
    }
    return bits;
}

static void send_stats(server_t *server, int32_t peer, int32_t slot, uint32_t changed) {
    if (changed == 0) {
        return;
    }
    control_msg_t msg = {.type = CTL_STATS};
    msg.u.stats.slot = slot;
    msg.u.stats.changed = changed;
    for (int32_t i = 0; i < CTL_MAX_STATS; i++) {
        msg.u.stats.values[i] = changed & 1u << i ? server->sent_stats[slot][i] : 0;
    }
    Session_Send(server, peer, &msg);
}

void Stats_SendAll(server_t *server, int32_t peer) {
    const game_field_t *fields[CTL_MAX_STATS];
    int32_t count = sent_fields(server, fields);
    for (int32_t slot = 0; count > 0 && slot < server->config.max_clients; slot++) {
        uint32_t changed = 0;
        for (int32_t i = 0; i < count; i++) {
            changed |= server->sent_stats[slot][i] != 0 ? 1u << i : 0u;
        }
        bool is_owner = server->sessions[peer].slot == slot;
        send_stats(server, peer, slot, changed & visible(fields, count, is_owner));
    }
}

static void send_slot(server_t *server, int32_t slot, const game_field_t *const fields[],
                      int32_t count) {
    const client_t *client = World_Client(server->world, slot);
    uint32_t changed = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t value = 0; // stays 0 if the slot is empty
        if (client->inuse) {
            memcpy(&value, client->game + fields[i]->offset, sizeof value);
        }
        changed |= value != server->sent_stats[slot][i] ? 1u << i : 0u;
        server->sent_stats[slot][i] = value;
    }
    for (int32_t peer = 0; changed != 0 && peer < server->num_sessions; peer++) {
        const session_t *session = &server->sessions[peer];
        if (session->state == SESSION_ACTIVE) {
            send_stats(server, peer, slot, changed & visible(fields, count, session->slot == slot));
        }
    }
}

void Stats_Send(server_t *server) {
    const game_field_t *fields[CTL_MAX_STATS];
    int32_t count = sent_fields(server, fields);
    for (int32_t slot = 0; count > 0 && slot < server->config.max_clients; slot++) {
        send_slot(server, slot, fields, count);
    }
}

void Stats_Forget(server_t *server, int32_t slot) {
    memset(server->sent_stats[slot], 0, sizeof server->sent_stats[slot]);
}

void Stats_ForgetAll(server_t *server) {
    memset(server->sent_stats, 0, (size_t)server->config.max_clients * sizeof *server->sent_stats);
}
