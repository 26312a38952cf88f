/// client/session.c - handles the server's messages.
//
// Errors:  an invalid or misplaced message ends the session.

#include "client/cl_local.h"

#include <stdio.h>
#include <string.h>

#define MAPS_AT_ONCE 8                                   // searches for a map file at once ...
#define MAP_EVERY_MS 10000                               // ... and one more in this time
#define MAX_TICK     (MSG_MAX_TICK - (INT64_C(1) << 20)) // leaves room for commands ahead

bool Client_Send(cl_t *cl, const control_msg_t *msg) {
    uint8_t data[MAX_MESSAGE_BYTES];
    size_t size = CTL_Write(msg, data);
    transport_t *net = cl->config.net;
    return net->send(net, cl->peer, NET_CHANNEL_CONTROL, true, data, size);
}

static void bad_data(cl_t *cl, const char *why) {
    char text[MAX_TEXT_BYTES];
    snprintf(text, sizeof text, CL_BAD_DATA ": %.200s", why);
    Client_Drop(cl, NET_REASON_BAD_DATA, text);
}

// ---- control messages ----

static void welcome(cl_t *cl, const ctl_welcome_t *message) {
    cl->slot = message->slot;
    cl->state = CL_LOADING;
    cl->is_back = message->is_back;
    cl->deadline_ms = cl->now_ms + SNAPSHOT_TIMEOUT_MS;
    cl->has_map_info = false;
    cl->reason[0] = '\0';
    cl->back.key = message->rejoin;
    cl->back.grace_ms = message->grace_ms;
    cl->back.was_sealed = CL_IsSealed(cl);
    Client_Event(cl, message->is_back ? CL_EVENT_RETURNED : CL_EVENT_CONNECTED, cl->slot,
                 message->server);
}

// Looks for the map. Returns false if the server changes maps too fast.
static bool find_map(cl_t *cl) {
    Client_ReleaseMap(cl);
    cl->map_fault.text[0] = '\0';
    cl_maps_t *maps = cl->config.maps;
    cl->cmap = maps ? CL_MapsFind(maps, cl->map.name, cl->map.hash) : NULL;
    if (!maps || cl->cmap) {
        return true;
    }
    // A search may read a whole file, so a server can start only some.
    int64_t empty_ms = cl->maps_empty_ms > cl->now_ms ? cl->maps_empty_ms : cl->now_ms;
    if (empty_ms - cl->now_ms > (MAPS_AT_ONCE - 1) * MAP_EVERY_MS) {
        Err_Set(&cl->map_fault, "map %s: the server changes maps too fast", cl->map.name);
        return false;
    }
    cl->maps_empty_ms = empty_ms + MAP_EVERY_MS;
    cl->cmap = CL_MapsLoad(maps, cl->map.name, cl->map.hash, &cl->map_fault);
    return true;
}

void Client_MapFound(cl_t *cl) {
    control_msg_t ready = {.type = CTL_READY};
    ready.u.ready.epoch = cl->map.epoch;
    ready.u.ready.has_map = cl->cmap != NULL;
    (void)Client_Send(cl, &ready); // fails only if the connection is lost
    const int32_t is_loaded = cl->cmap ? 1 : 0;
    if (cl->known_map != is_loaded) {
        Client_Event(cl, CL_EVENT_MAP, is_loaded, cl->map.name);
    }
}

// Reports the players who left while this client was lost. The own one is announced after MAP.
static void forget_stale(cl_t *cl) {
    for (int32_t slot = 0; slot < PROTO_MAX_CLIENTS; slot++) {
        cl_player_t *player = &cl->players[slot];
        if (player->inuse && player->is_stale && slot != cl->slot) {
            player->inuse = false;
            Client_Event(cl, CL_EVENT_LEFT, slot, player->name);
        }
    }
}

static void new_map(cl_t *cl, const ctl_map_t *message) {
    const bool is_same = cl->is_back && message->epoch == cl->map.epoch &&
                         message->hash == cl->map.hash && strcmp(message->name, cl->map.name) == 0;
    cl->known_map = !is_same ? -1 : cl->cmap ? 1 : 0;
    forget_stale(cl);
    cl->is_back = false;
    cl->map = *message;
    cl->has_map_info = true;
    cl->wants_full = false;
    cl->is_busy = false;
    cl->state = CL_LOADING;
    cl->deadline_ms = cl->now_ms + SNAPSHOT_TIMEOUT_MS;
    cl->last_filled_ms = 0;
    cl->last_dropped_cmds = 0;
    cl->received_events = (event_window_t){0};
    cl->skeletons.count = 0;
    Client_ResetNames(cl);
    cl->schema = cl->next_schema;
    memset(&cl->next_schema, 0, sizeof cl->next_schema);
    SnapshotRing_Reset(cl->ring, message->epoch, message->rate_mhz, &cl->schema);
    Clock_Reset(&cl->clock, message->rate_mhz, cl->config.cmd_ms);
    Client_ResetCmds(cl, true);
    Client_ViewReset(cl);
    Client_ResetRoundTrip(cl);
    cl->link = (cl_link_t){0};
    const bool may_download = find_map(cl) && !cl->cmap;
    if (!may_download || !Client_StartDownload(cl)) {
        Client_EndDownload(cl);
        Client_MapFound(cl);
    }
}

// Stores the settings of a player. Returns false if they are the same as before.
static bool set_settings(cl_t *cl, int32_t slot, const ctl_infos_t *infos) {
    cl_player_t *player = &cl->players[slot];
    bool is_same = player->num_settings == infos->count;
    for (int32_t i = 0; i < infos->count; i++) {
        ctl_info_t *setting = &cl->settings[i][slot];
        is_same = is_same && memcmp(setting, &infos->list[i], sizeof *setting) == 0;
        *setting = infos->list[i];
    }
    player->num_settings = infos->count;
    return !is_same;
}

static void player_info(cl_t *cl, const ctl_player_info_t *message) {
    cl_player_t *player = &cl->players[message->slot];
    bool was_here = player->inuse;
    player->is_stale = false;
    if (!message->inuse && was_here) {
        Client_Event(cl, CL_EVENT_LEFT, message->slot, player->name);
    }
    player->inuse = message->inuse;
    if (!message->inuse) {
        return; // the name stays, because the lines of a player who left may follow
    }
    bool is_changed = set_settings(cl, message->slot, &message->infos);
    bool is_same = was_here && !is_changed && player->is_spectator == message->spectator &&
                   strcmp(player->name, message->name) == 0;
    cl_event_type_t type = was_here ? CL_EVENT_INFO : CL_EVENT_JOINED;
    cl_event_t *event = is_same ? NULL : Client_Event(cl, type, message->slot, message->name);
    if (event && was_here) {
        memcpy(event->name, player->name, sizeof event->name);
    }
    memcpy(player->name, message->name, sizeof player->name);
    player->is_spectator = message->spectator;
    if (was_here && player->is_lost != message->is_lost) {
        Client_Event(cl, message->is_lost ? CL_EVENT_LOST : CL_EVENT_BACK, message->slot,
                     message->name);
    }
    player->is_lost = message->is_lost;
}

static void chat(cl_t *cl, const ctl_chat_t *message) {
    cl_event_t *event = Client_Event(cl, CL_EVENT_CHAT, message->slot, message->text);
    if (event) {
        event->team = message->team;
    }
    if (event && message->slot >= 0) {
        memcpy(event->name, cl->players[message->slot].name, sizeof event->name);
    }
}

static void ticket(cl_t *cl, const char *text) {
    if (cl->token[0] != '\0') {
        snprintf(cl->token, sizeof cl->token, "%s", text);
        Client_Event(cl, CL_EVENT_TICKET, 0, text);
    }
}

static bool is_in_turn(const cl_t *cl, control_type_t type) {
    bool is_joined = cl->state == CL_LOADING || cl->state == CL_ACTIVE;
    if (type == CTL_REFUSED || type == CTL_WELCOME) {
        return !is_joined;
    }
    if (type == CTL_GOODBYE) {
        return true;
    }
    bool needs_map = type == CTL_MOVEVARS || type == CTL_SKELETONS || type == CTL_NAMES ||
                     type == CTL_EVENT || type == CTL_PIECE;
    return is_joined && (!needs_map || cl->has_map_info);
}

static void control_message(cl_t *cl, const uint8_t *data, size_t size) {
    control_msg_t msg;
    err_t err;
    if (!CTL_Read(&msg, false, data, size, &err)) {
        bad_data(cl, err.text);
        return;
    }
    if (!is_in_turn(cl, msg.type)) {
        snprintf(err.text, sizeof err.text, "a %s message at the wrong time",
                 CTL_TypeName(msg.type));
        bad_data(cl, err.text);
        return;
    }
    switch (msg.type) {
    case CTL_WELCOME:
        welcome(cl, &msg.u.welcome);
        break;
    case CTL_REFUSED:
        Client_Drop(cl, NET_REASON_LEFT, msg.u.refused.text);
        break;
    case CTL_MAP:
        new_map(cl, &msg.u.map);
        break;
    case CTL_MOVEVARS:
        cl->map.vars = msg.u.movevars.vars;
        cl->prediction.tick = 0;
        break;
    case CTL_PRINT:
        Client_Event(cl, CL_EVENT_PRINT, 0, msg.u.text.text);
        break;
    case CTL_CHAT:
        chat(cl, &msg.u.chat);
        break;
    case CTL_EVENT:
        Client_GameEvent(cl, &msg.u.event.event, msg.u.event.tick);
        break;
    case CTL_PLAYER_INFO:
        player_info(cl, &msg.u.player_info);
        break;
    case CTL_CENTER:
        Client_Event(cl, CL_EVENT_CENTER, 0, msg.u.text.text);
        break;
    case CTL_SKELETONS:
        cl->skeletons = msg.u.skeletons;
        break;
    case CTL_FIELDS:
        cl->next_schema = msg.u.fields;
        break;
    case CTL_NAMES:
        if (!Client_AddNames(cl, &msg.u.names)) {
            bad_data(cl, "names that do not continue their table, or too many");
        }
        break;
    case CTL_PIECE:
        if (!Client_Piece(cl, &msg.u.piece)) {
            bad_data(cl, "a piece of the map that does not follow the last one");
        }
        break;
    case CTL_TICKET:
        ticket(cl, msg.u.text.text);
        break;
    case CTL_GOODBYE:
        Client_Drop(cl, NET_REASON_LEFT, msg.u.text.text);
        break;
    default:
        break; // CTL_Read rejects the types that only clients send
    }
}

// ---- snapshots ----

static void count_snapshot(cl_t *cl, const snapshot_t *snapshot, int64_t before) {
    cl->stats.snapshots++;
    cl->stats.snapshots_missed += before > 0 ? (uint64_t)(snapshot->tick - before - 1) : 0;
    cl->stats.deferred_entities += (uint64_t)snapshot->num_deferred;
    if (before > 0) { // the first has also those of an earlier connection
        cl->stats.filled_ms += snapshot->filled_ms - cl->last_filled_ms;
        cl->stats.dropped_cmds += snapshot->dropped_cmds - cl->last_dropped_cmds;
    }
    cl->last_filled_ms = snapshot->filled_ms;
    cl->last_dropped_cmds = snapshot->dropped_cmds;
}

static void new_snapshot(cl_t *cl, int64_t before) {
    const snapshot_t *snapshot = Client_Newest(cl);
    if (snapshot->tick > MAX_TICK) {
        bad_data(cl, "a snapshot tick above the maximum");
        return;
    }
    cl->wants_full = false;
    cl->is_busy = false;
    Client_MeasureRoundTrip(cl);
    count_snapshot(cl, snapshot, before);
    if (Clock_Snapshot(&cl->clock, snapshot, cl->now_ms, Client_RoundTrip(cl))) {
        Client_ResetCmds(cl, false);
    }
    Client_LinkSnapshot(cl);
    Client_AckCmds(cl, snapshot);
    Client_ViewSnapshot(cl, snapshot->tick, before);
    Client_SnapshotEvents(cl, SnapshotRing_Events(cl->ring));
    if (cl->state == CL_LOADING) {
        cl->state = CL_ACTIVE;
        Client_Event(cl, CL_EVENT_ACTIVE, 0, cl->map.name);
    }
}

static void snapshot_message(cl_t *cl, const uint8_t *data, size_t size) {
    err_t err;
    if (size == SNAPSHOT_BUSY_BYTES) {
        // A late one is of the epoch before.
        cl->is_busy = cl->is_busy || !cl->has_map_info || data[0] == (cl->map.epoch & 0xffu);
        return;
    }
    if (!cl->has_map_info) {
        bad_data(cl, "a snapshot before the map");
        return;
    }
    int64_t before = SnapshotRing_Newest(cl->ring);
    msg_reader_t msg = MSG_Reader(data, size);
    cl->stats.snapshot_bytes += size;
    switch (Snapshot_Read(&msg, cl->ring, &err)) {
    case SNAPSHOT_OK:
        new_snapshot(cl, before);
        break;
    case SNAPSHOT_STALE:
        cl->stats.snapshots_stale++;
        break;
    case SNAPSHOT_NO_BASE:
        cl->stats.snapshots_stale++;
        cl->wants_full = true;
        break;
    case SNAPSHOT_BAD:
        bad_data(cl, err.text);
        break;
    }
}

void Client_Message(cl_t *cl, uint8_t channel, const uint8_t *data, size_t size) {
    if (channel == NET_CHANNEL_CONTROL) {
        control_message(cl, data, size);
    } else if (channel == NET_CHANNEL_SNAPSHOT) {
        snapshot_message(cl, data, size);
    } else {
        bad_data(cl, "a message on the channel for usercmds");
    }
}
