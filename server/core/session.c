/// core/session.c - the sessions of connected peers, from HELLO to LEAVE. Turns the peers' messages
/// into inputs of the next tick.
//
// Errors:  a message that does not decode drops its sender only. Texts and usercmds above a
//          client's rate are ignored and counted. HELLO, READY and LEAVE have no rate limit.

#include "core/server_local.h"
#include "world/tick_time.h"

#include <stdio.h>
#include <string.h>

#define HELLO_TIMEOUT_MS   5000
#define LOADING_TIMEOUT_MS 60000
#define LOG_WINDOW_MS      5000
#define JOIN_BURST         32   // joins of one address at once; exempt addresses have no limit
#define JOIN_EVERY_MS      2000 // interval of further joins
#define JOIN_ROOM_MS       ((JOIN_BURST - 1) * JOIN_EVERY_MS)

static void set_state(server_t *server, session_t *session, session_state_t state) {
    session->state = state;
    session->since_ms = server->now_ms;
}

void Session_SendBytes(server_t *server, int32_t peer, const uint8_t *data, size_t size) {
    transport_t *net = server->config.net;
    if (server->sessions[peer].state != SESSION_LOST) {
        net->send(net, peer, NET_CHANNEL_CONTROL, true, data, size);
    }
}

void Session_Send(server_t *server, int32_t peer, const control_msg_t *msg) {
    uint8_t data[MAX_MESSAGE_BYTES];
    size_t size = CTL_Write(msg, data);
    Session_SendBytes(server, peer, data, size);
}

static void broadcast_bytes(server_t *server, const uint8_t *data, size_t size) {
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        session_state_t state = server->sessions[peer].state;
        if (state == SESSION_LOADING || state == SESSION_ACTIVE) {
            Session_SendBytes(server, peer, data, size);
        }
    }
}

void Session_Broadcast(server_t *server, const control_msg_t *msg) {
    uint8_t data[MAX_MESSAGE_BYTES];
    size_t size = CTL_Write(msg, data);
    broadcast_bytes(server, data, size);
}

// Writes the player of a session, or that its slot is empty.
static size_t write_info(const server_t *server, const session_t *about, bool inuse,
                         uint8_t data[MAX_MESSAGE_BYTES]) {
    control_msg_t msg = {.type = CTL_PLAYER_INFO};
    msg.u.player_info.slot = about->slot;
    msg.u.player_info.inuse = inuse;
    if (inuse) {
        msg.u.player_info.spectator = about->spectator;
        msg.u.player_info.is_lost = about->state == SESSION_LOST;
        snprintf(msg.u.player_info.name, sizeof msg.u.player_info.name, "%s", about->name);
        Infos_Write(server->config.game, about, &msg.u.player_info.infos);
    }
    return CTL_Write(&msg, data);
}

void Session_SendInfo(server_t *server, session_t *about) {
    uint8_t data[MAX_MESSAGE_BYTES];
    size_t size = write_info(server, about, true, data);
    about->info_size = size <= sizeof about->info ? (int32_t)size : 0;
    memcpy(about->info, data, (size_t)about->info_size);
    broadcast_bytes(server, data, size);
}

// Sends all players but `peer` itself.
static void send_players(server_t *server, int32_t peer) {
    uint8_t data[MAX_MESSAGE_BYTES];
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        int32_t other = server->peer_of_slot[slot];
        if (other >= 0 && other != peer) {
            const session_t *about = &server->sessions[other];
            bool is_kept = about->info_size > 0;
            size_t size =
                is_kept ? (size_t)about->info_size : write_info(server, about, true, data);
            Session_SendBytes(server, peer, is_kept ? about->info : data, size);
        }
    }
}

// ---- leaving ----

static void release(server_t *server, session_t *session, const char *why) {
    if (session->slot < 0) {
        return;
    }
    if (session->joined) {
        input_t *input = Inputs_Add(server->inputs, INPUT_LEAVE, session->slot);
        ASSERT(input); // Inputs_Add keeps room for a leave of every slot
        session->joined = false;
    }
    server->peer_of_slot[session->slot] = -1;
    server->stats.leaves++;
    MatchLog_Visit(server, session, "leave", "reason", why);
    Chat_Leave(server, session);
    session->state = SESSION_LEAVING; // so that the broadcast skips the leaving client
    uint8_t data[MAX_MESSAGE_BYTES];
    size_t size = write_info(server, session, false, data);
    broadcast_bytes(server, data, size);
    session->slot = -1;
    SnapshotRing_Destroy(session->ring);
    session->ring = NULL;
}

void Session_Drop(server_t *server, int32_t peer, net_reason_t reason, const char *text) {
    session_t *session = &server->sessions[peer];
    transport_t *net = server->config.net;
    control_msg_t msg = {.type = CTL_GOODBYE};
    if (session->state == SESSION_LOST) {
        release(server, session, text);
        Session_Free(server, peer);
        return;
    }
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "%s", text);
    Session_Send(server, peer, &msg);
    release(server, session, text);
    session->state = SESSION_LEAVING;
    net->drop(net, peer, reason);
}

static void drop_bad(server_t *server, int32_t peer, const char *why) {
    server->stats.bad_packets++;
    if (Log_BurstAllows(&server->bad_burst, server->now_ms, LOG_WINDOW_MS)) {
        char address[32];
        Net_FormatAddress(server->sessions[peer].address, address, sizeof address);
        Log_Print(server->config.log, LOG_WARN, "%s dropped: %s%s", address, why,
                  server->bad_burst.more);
    }
    Session_Drop(server, peer, NET_REASON_BAD_DATA, why);
}

void Session_Refuse(server_t *server, int32_t peer, net_reason_t reason, const char *text) {
    control_msg_t msg = {.type = CTL_REFUSED};
    transport_t *net = server->config.net;
    msg.u.refused.version = PROTO_VERSION;
    snprintf(msg.u.refused.text, sizeof msg.u.refused.text, "%s", text);
    server->stats.refused++;
    log_burst_t *burst = &server->refused_bursts[reason];
    if (Log_BurstAllows(burst, server->now_ms, LOG_WINDOW_MS)) {
        char address[32];
        Net_FormatAddress(server->sessions[peer].address, address, sizeof address);
        Log_Print(server->config.log, LOG_INFO, "a join from %s was refused: %s%s", address, text,
                  burst->more);
    }
    Session_Send(server, peer, &msg);
    server->sessions[peer].state = SESSION_LEAVING;
    net->drop(net, peer, reason);
}

// ---- joining ----

// Sends the names of the game's models, because snapshots contain only model numbers.
static void send_skeletons(server_t *server, int32_t peer) {
    const game_binding_t *game = &server->game;
    control_msg_t msg = {.type = CTL_SKELETONS};
    ctl_skeletons_t *models = &msg.u.skeletons;
    for (int32_t i = 1; i < game->num_models; i++) {
        models->hashes[models->count] = game->models[i].hash;
        snprintf(models->names[models->count++], CTL_SKELETON_NAME_BYTES, "%s",
                 game->game->models[i - 1].name);
    }
    if (models->count > 0) {
        Session_Send(server, peer, &msg);
    }
}

static void send_fields(server_t *server, int32_t peer) {
    control_msg_t msg = {.type = CTL_FIELDS};
    msg.u.fields = server->sent.schema;
    Session_Send(server, peer, &msg);
}

static void send_map(server_t *server, int32_t peer) {
    session_t *session = &server->sessions[peer];
    control_msg_t msg = {.type = CTL_MAP};
    msg.u.map.epoch = server->epoch;
    msg.u.map.hash = CM_Info(server->map).hash;
    msg.u.map.tick = server->world->tick;
    msg.u.map.rate_mhz = World_TickRate(server->world);
    msg.u.map.vars = Server_NextMoveVars(server);
    snprintf(msg.u.map.name, sizeof msg.u.map.name, "%s", CM_Info(server->map).name);
    Download_Describe(server, &msg.u.map);
    session->download = (download_t){0};
    SnapshotRing_Reset(session->ring, server->epoch, msg.u.map.rate_mhz, &server->sent.schema);
    EventQueue_Reset(&server->event_queues[session->slot], msg.u.map.rate_mhz);
    Rate_Restart(&session->rate);
    session->report = (snapshot_report_t){0};
    session->views = (views_t){0};
    session->sent_snapshots = session->cmd_packets = 0;
    Priority_Reset(&server->priorities[session->slot]);
    session->next_seq = 0;
    set_state(server, session, SESSION_LOADING);
    server->config.net->more->admit(server->config.net, peer,
                                    NET_BUSY_MS); // the client loads it, too
    send_fields(server, peer); // before MAP, so that no snapshot of the map comes earlier
    Session_Send(server, peer, &msg);
    send_skeletons(server, peer);
    session->names = (session_names_t){0};
    NameTables_Send(server, peer, NULL);
}

void Session_MapChanged(server_t *server) {
    Chat_MapChanged(server);
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        session_t *session = &server->sessions[peer];
        session->joined = false;
        if (session->state == SESSION_LOADING || session->state == SESSION_ACTIVE) {
            send_map(server, peer);
        }
    }
}

static int32_t free_slot(const server_t *server) {
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        if (server->peer_of_slot[slot] < 0) {
            return slot;
        }
    }
    return -1;
}

static void welcome(server_t *server, int32_t peer, bool is_back) {
    session_t *session = &server->sessions[peer];
    control_msg_t msg = {.type = CTL_WELCOME};
    msg.u.welcome.version = PROTO_VERSION;
    msg.u.welcome.slot = session->slot;
    msg.u.welcome.max_clients = server->config.max_clients;
    snprintf(msg.u.welcome.server, sizeof msg.u.welcome.server, "%s", server->hostname);
    msg.u.welcome.is_back = is_back;
    Rejoin_NewKey(server, session);
    msg.u.welcome.rejoin = session->rejoin;
    msg.u.welcome.grace_ms = session->is_bot ? 0 : server->config.grace_ms;
    Session_Send(server, peer, &msg);
    send_players(server, peer);
    send_map(server, peer);
    Session_SendInfo(server, session);
}

// Checks the rate of joins of an address. Refuses a client that may not join.
static bool check_join_rate(server_t *server, int32_t peer) {
    uint32_t host = server->sessions[peer].address.host;
    const address_t *address = Addresses_Get(&server->addresses, host);
    if (Net_IsExempt(server->config.exempt, host) ||
        Bucket_HasRoom(address->joins_empty_ms, server->now_ms, JOIN_ROOM_MS)) {
        return true;
    }
    server->stats.refused_rate++;
    Session_Refuse(server, peer, NET_REASON_FULL,
                   "too many joins from your address; wait a minute");
    return false;
}

// Drops the session with the same player id, if any: a player has one session at a time.
static void drop_older(server_t *server, const char *id) {
    for (int32_t peer = 0; peer < server->num_sessions && id[0] != '\0'; peer++) {
        const session_t *session = &server->sessions[peer];
        if (session->slot >= 0 && strcmp(session->id, id) == 0) {
            Session_Drop(server, peer, NET_REASON_KICKED, "you have joined again elsewhere");
        }
    }
}

// Sends a ticket, and newer ones before it expires, so that a player who loses the connection after
// hours can join again.
static void send_ticket(server_t *server, int32_t peer) {
    session_t *session = &server->sessions[peer];
    char ticket[TICKET_BYTES];
    control_msg_t msg = {.type = CTL_TICKET};
    Auth_Ticket(&server->auth, session->id, session->token_name, ticket);
    session->ticket_ms = server->now_ms + (int64_t)server->auth.ticket_s * 500; // half of its time
    if (ticket[0] != '\0') {
        snprintf(msg.u.text.text, sizeof msg.u.text.text, "%s", ticket);
        Session_Send(server, peer, &msg);
    }
}

// Only a join with a slot counts, so that a full server or a wrong password uses up no joins.
static bool take_slot(server_t *server, int32_t peer) {
    session_t *session = &server->sessions[peer];
    transport_t *net = server->config.net;
    session->ring = SnapshotRing_Create(SNAPSHOT_BACKUP, server->pool);
    if (!session->ring) {
        Session_Refuse(server, peer, NET_REASON_FULL, "the server is out of memory");
        return false;
    }
    session->is_sealed = net->is_sealed(net, peer);
    session->active_ms = server->now_ms;
    session->ping_ms = -1;
    Bucket_Add(&Addresses_Get(&server->addresses, session->address.host)->joins_empty_ms,
               server->now_ms, JOIN_EVERY_MS);
    return true;
}

static void come_back(server_t *server, int32_t from, int32_t peer, const rejoin_key_t *key) {
    if (take_slot(server, peer)) {
        Rejoin_Take(server, from, peer, key);
        welcome(server, peer, true);
        send_ticket(server, peer);
    }
}

static void hello(server_t *server, int32_t peer, const ctl_hello_t *message) {
    session_t *session = &server->sessions[peer];
    if (message->version != PROTO_VERSION) {
        char text[MAX_TEXT_BYTES];
        snprintf(text, sizeof text, "this server uses protocol version %d, your client uses %u",
                 PROTO_VERSION, message->version);
        Session_Refuse(server, peer, NET_REASON_VERSION, text);
        return;
    }
    if (server->is_shutting_down) {
        Session_Refuse(server, peer, NET_REASON_SHUTDOWN, "the server is shutting down");
        return;
    }
    if (!server->world) {
        Session_Refuse(server, peer, NET_REASON_NONE, "the server has no map yet");
        return;
    }
    token_t token;
    const int32_t before = Rejoin_Find(server, peer, &message->rejoin);
    if (!Auth_Admit(server, peer, message, before < 0 ? NULL : &server->sessions[before], &token) ||
        !check_join_rate(server, peer) || (before < 0 && !Rejoin_HasRoom(server, peer))) {
        return;
    }
    if (before >= 0) {
        come_back(server, before, peer, &message->rejoin);
        return;
    }
    if (message->spectator && server->cvars.sv_spectate == 0) {
        Session_Refuse(server, peer, NET_REASON_NONE,
                       "this server has no spectators; join as a player");
        return;
    }
    drop_older(server, token.id);
    int32_t slot = free_slot(server);
    if (slot < 0 && !session->is_bot) {
        slot = Idle_FreeSlot(server, session->address.host);
    }
    if (slot < 0) {
        server->stats.refused_full++;
        Session_Refuse(server, peer, NET_REASON_FULL, "the server is full");
        return;
    }
    if (!take_slot(server, peer)) {
        return;
    }
    session->slot = slot;
    session->spectator = message->spectator;
    Auth_Use(&server->auth, &token);
    memcpy(session->id, token.id, sizeof session->id);
    memcpy(session->token_name, token.name, sizeof session->token_name);
    Names_Choose(server, session, token.name[0] != '\0' ? token.name : message->name);
    SV_InfoDefaults(server->config.game, session->infos);
    Chat_Join(server, session);
    server->peer_of_slot[slot] = peer;
    server->stats.joins++;
    MatchLog_Visit(server, session, "join", "role", session->spectator ? "spectator" : NULL);
    welcome(server, peer, false);
    send_ticket(server, peer);
}

static bool add_join(server_t *server, session_t *session) {
    input_t *input = Inputs_Add(server->inputs, INPUT_JOIN, session->slot);
    if (!input) {
        return false;
    }
    input->value = session->spectator;
    snprintf(input->name, sizeof input->name, "%s", session->name);
    input->from = session->from;
    memcpy(input->kept, session->kept, sizeof input->kept);
    input->num_kept = session->num_kept;
    Infos_AddInputs(server, session);
    session->joined = true;
    return true;
}

static void ready(server_t *server, int32_t peer, const ctl_ready_t *message) {
    session_t *session = &server->sessions[peer];
    if (session->state != SESSION_LOADING || message->epoch != server->epoch) {
        server->stats.stale_packets++;
        return;
    }
    if (!session->joined && !add_join(server, session)) {
        return; // Inputs_Add counted the drop; the client is dropped by the loading timeout
    }
    session->used_rejoin = (rejoin_key_t){{0}};
    set_state(server, session, SESSION_ACTIVE);
    server->config.net->more->admit(server->config.net, peer, NET_TIMEOUT_MS);
}

void Session_NoteFlood(server_t *server, const session_t *session, const char *what) {
    server->stats.floods++;
    if (Log_BurstAllows(&server->flood_burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_WARN,
                  "slot %d (%s) sends too many %s; the excess is ignored%s", session->slot,
                  session->name, what, server->flood_burst.more);
    }
}

// ---- messages ----

static void control_message(server_t *server, const net_event_t *event) {
    session_t *session = &server->sessions[event->peer];
    control_msg_t msg;
    err_t why;
    if (!CTL_Read(&msg, true, event->data, event->size, &why)) {
        drop_bad(server, event->peer, why.text);
        return;
    }
    if (session->state == SESSION_NEW && msg.type != CTL_HELLO && msg.type != CTL_LEAVE) {
        drop_bad(server, event->peer, "the first message must be HELLO");
        return;
    }
    switch (msg.type) {
    case CTL_HELLO:
        if (session->state == SESSION_NEW) {
            hello(server, event->peer, &msg.u.hello);
        } else {
            server->stats.stale_packets++;
        }
        break;
    case CTL_READY:
        ready(server, event->peer, &msg.u.ready);
        break;
    case CTL_GET:
        Download_Get(server, event->peer, &msg.u.get);
        break;
    case CTL_SAY:
        Chat_Text(server, session, INPUT_CHAT, &msg.u.text);
        break;
    case CTL_COMMAND:
        Chat_Text(server, session, INPUT_TEXT, &msg.u.text);
        break;
    case CTL_USERINFO:
        Infos_Message(server, session, &msg.u.userinfo);
        break;
    case CTL_LEAVE:
        Session_Drop(server, event->peer, NET_REASON_LEFT, "goodbye");
        break;
    default:
        break; // CTL_Read accepts only types that a client may send
    }
}

static void acknowledge(server_t *server, session_t *session, int64_t tick) {
    const int32_t rate_mhz = World_TickRate(server->world);
    const int64_t now_ms = Ticks_EndMs(rate_mhz, server->world->tick);
    if (tick == 0 || tick != session->rate.acked_tick) { // most usercmds repeat the last one
        SnapshotRing_Ack(session->ring, tick);
        Views_Acked(&session->views, tick);
        EventQueue_Ack(&server->event_queues[session->slot], tick);
    }
    Rate_NoteAck(&session->rate, tick, now_ms - Ticks_EndMs(rate_mhz, tick));
}

static void usercmd_message(server_t *server, const net_event_t *event) {
    session_t *session = &server->sessions[event->peer];
    msg_reader_t reader = MSG_Reader(event->data, event->size);
    usercmd_packet_t packet;
    err_t why;
    if (!UserCmd_ReadNext(&reader, &packet, &session->last_packet, &why)) {
        drop_bad(server, event->peer, why.text);
        return;
    }
    if (session->state != SESSION_ACTIVE || packet.epoch != (server->epoch & 0xffu)) {
        server->stats.stale_packets++;
        return;
    }
    acknowledge(server, session, packet.ack_tick);
    session->cmd_packets++;
    if (session->cmds_tick != server->world->tick) {
        session->cmds_tick = server->world->tick;
        session->num_cmds = 0;
    }
    int32_t lost = 0;
    int32_t first = UserCmd_FirstNew(&packet, session->next_seq, &lost);
    server->stats.duplicate_cmds += (uint64_t)first;
    for (int32_t i = first; i < packet.count; i++) {
        session->next_seq = (uint16_t)(packet.first_seq + i + 1);
        Idle_NoteCmd(server, session, &packet.cmds[i]);
        if (session->num_cmds++ >= MAX_CMD_QUEUE) {
            // Skipped, so that one client cannot use up the inputs of the tick.
            Session_NoteFlood(server, session, "usercmds");
            continue;
        }
        input_t *input = Inputs_Add(server->inputs, INPUT_USERCMD, session->slot);
        if (input) { // if NULL, Inputs_Add counted the lost usercmd
            input->cmd = packet.cmds[i];
            server->stats.views_refused += !Views_Limit(&session->views, &input->cmd);
            server->stats.views_old +=
                Views_IsOld(&input->cmd, World_TickRate(server->world), server->world->tick,
                            server->world->cvars.sv_maxunlag_ms);
        }
    }
}

void Session_Include(server_t *server, int32_t index) {
    for (; server->num_sessions <= index; server->num_sessions++) {
        server->sessions[server->num_sessions].slot = -1;
    }
}

static void connected(server_t *server, int32_t peer) {
    session_t *session = &server->sessions[peer];
    Session_Include(server, peer);
    ASSERT(session->slot < 0 && !session->ring);
    transport_t *net = server->config.net;
    server->num_clients += session->state == SESSION_FREE ? 1 : 0;
    *session = (session_t){
        .slot = -1, .address = net->more->address(net, peer), .connected_ms = server->now_ms};
    set_state(server, session, SESSION_NEW);
}

void Session_Free(server_t *server, int32_t index) {
    session_t *session = &server->sessions[index];
    server->num_clients -= session->state != SESSION_FREE ? 1 : 0;
    if (server->num_clients == 0) {
        server->prints_left_out = 0; // the next client must not receive their number
    }
    *session = (session_t){.state = SESSION_FREE, .slot = -1};
    int32_t count = server->num_sessions;
    while (count > 0 && server->sessions[count - 1].state == SESSION_FREE) {
        count--;
    }
    server->num_sessions = count;
}

static void left(server_t *server, int32_t peer, net_reason_t reason) {
    if (!Rejoin_Wait(server, peer, reason)) {
        release(server, &server->sessions[peer], Net_ReasonText(reason));
    }
    Session_Free(server, peer);
}

static void unknown_oob(server_t *server, const net_event_t *event) {
    server->stats.unknown_oob++;
    if (Log_BurstAllows(&server->oob_burst, server->now_ms, LOG_WINDOW_MS)) {
        char address[32];
        Net_FormatAddress(event->from, address, sizeof address);
        Log_Print(server->config.log, LOG_INFO,
                  "network: ignored an out-of-band datagram with an unknown word from %s%s",
                  address, server->oob_burst.more);
    }
}

void Session_Event(server_t *server, const net_event_t *event) {
    if (event->type == NET_OOB) {
        unknown_oob(server, event); // the transport's guard has answered the known queries
        return;
    }
    ASSERT(event->peer >= 0 && event->peer < server->max_sessions);
    session_state_t state = server->sessions[event->peer].state;
    server->sessions[event->peer].bytes_in += event->type == NET_MESSAGE ? event->size : 0;
    if (event->type == NET_CONNECTED) {
        connected(server, event->peer);
    } else if (event->type == NET_LEFT) {
        left(server, event->peer, event->reason);
    } else if (state == SESSION_FREE || state == SESSION_LEAVING) {
        server->stats.stale_packets++;
    } else if (event->channel == NET_CHANNEL_CONTROL) {
        control_message(server, event);
    } else if (event->channel == NET_CHANNEL_USERCMD) {
        usercmd_message(server, event);
    } else {
        drop_bad(server, event->peer, "a client may not send on the snapshot channel");
    }
}

void Session_CheckTimeouts(server_t *server) {
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        const session_t *session = &server->sessions[peer];
        int64_t waited = server->now_ms - session->since_ms;
        if (session->state == SESSION_NEW && waited > HELLO_TIMEOUT_MS) {
            Session_Drop(server, peer, NET_REASON_TIMEOUT, "the client sent no HELLO in time");
        } else if (session->state == SESSION_LOADING && waited > LOADING_TIMEOUT_MS) {
            Session_Drop(server, peer, NET_REASON_TIMEOUT,
                         "the client took too long to load the map");
        } else if (session->state == SESSION_LOST && waited >= server->config.grace_ms) {
            Session_Drop(server, peer, NET_REASON_TIMEOUT, "lost the connection");
        } else if (server->now_ms >= session->ticket_ms && session->slot >= 0 && session->ring &&
                   session->id[0] != '\0') {
            send_ticket(server, peer);
        }
    }
}
