/// core/rejoin.c - players whose connection was lost, and the return of their clients.
//
// A lost session keeps slot, name and limits; its player gets no commands. The world receives an
// input only if the client does not return: INPUT_LEAVE.
// Limits:  8 players of one address wait, unless it is exempt. They count for sv_maxperaddress.

#include "core/server_local.h"
#include "world/block.h"
#include "world/tick_time.h"

#include <sodium.h>
#include <string.h>

#define MAX_WAITING   8 // of one address; else it could hold every slot by joining again and again
#define LOG_WINDOW_MS 5000

static bool is_none(const rejoin_key_t *key) {
    return sodium_is_zero((const unsigned char *)key, sizeof *key) != 0;
}

void Rejoin_NewKey(const server_t *server, session_t *session) {
    session->rejoin = (rejoin_key_t){{0}};
    if (server->config.grace_ms > 0 && !session->is_bot) {
        randombytes_buf(&session->rejoin, sizeof session->rejoin);
    }
}

// Moves a session to where it waits. Its old place remains for the transport to close.
static session_t *move_out(server_t *server, int32_t peer) {
    session_t *session = &server->sessions[peer];
    const int32_t to = server->max_sessions + session->slot;
    Session_Include(server, to);
    session_t *lost = &server->sessions[to];
    SnapshotRing_Destroy(session->ring);
    session->ring = NULL;
    *lost = *session;
    lost->state = SESSION_LOST;
    lost->since_ms = server->now_ms;
    server->peer_of_slot[session->slot] = to;
    server->num_clients++;
    session->slot = -1;
    session->state = SESSION_LEAVING;
    return lost;
}

// Counts the players of an address that wait and, with `all`, those that are connected.
static int32_t count_players(const server_t *server, uint32_t host, bool all) {
    int32_t count = 0;
    for (int32_t i = all ? 0 : server->max_sessions; i < server->num_sessions; i++) {
        const session_t *session = &server->sessions[i];
        count += session->slot >= 0 && session->address.host == host ? 1 : 0;
    }
    return count;
}

static bool may_wait(server_t *server, const session_t *session) {
    const uint32_t host = session->address.host;
    if (count_players(server, host, false) < MAX_WAITING ||
        Net_IsExempt(server->config.exempt, host)) {
        return true;
    }
    server->stats.lost_above++;
    if (Log_BurstAllows(&server->wait_burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_WARN,
                  "slot %d (%s) lost the connection and does not wait: %d players of its address "
                  "wait already%s",
                  session->slot, session->name, MAX_WAITING, server->wait_burst.more);
    }
    return false;
}

bool Rejoin_HasRoom(server_t *server, int32_t peer) {
    const uint32_t host = server->sessions[peer].address.host;
    const int32_t max = server->config.max_per_address;
    if (max == 0 || Net_IsExempt(server->config.exempt, host) ||
        count_players(server, host, true) < max) {
        return true;
    }
    server->stats.refused_waiting++;
    Session_Refuse(server, peer, NET_REASON_ADDRESS,
                   "too many players of your address, with those who wait for their clients");
    return false;
}

void Rejoin_AddInputs(server_t *server) {
    const game_cvars_t *cvars = &server->world->cvars;
    if (cvars->sv_input_timeout_ms > 0 || cvars->sv_synchronousclients) {
        return; // the tick fills the missing time
    }
    for (int32_t i = server->max_sessions; i < server->num_sessions; i++) {
        const session_t *lost = &server->sessions[i];
        if (lost->state != SESSION_LOST || !lost->joined) {
            continue;
        }
        input_t *input = Inputs_Add(server->inputs, INPUT_USERCMD, lost->slot);
        if (input) { // if NULL, Inputs_Add counted it
            const usercmd_t *last = &World_Client(server->world, lost->slot)->last_cmd;
            input->cmd =
                (usercmd_t){.tick = server->world->tick,
                            .msec = (uint8_t)Q_MinI(World_TickMs(server->world), MAX_CMD_MSEC),
                            .pitch = last->pitch,
                            .yaw = last->yaw};
        }
    }
}

bool Rejoin_Wait(server_t *server, int32_t peer, net_reason_t reason) {
    const session_t *session = &server->sessions[peer];
    const bool is_loss =
        reason == NET_REASON_NONE || reason == NET_REASON_TIMEOUT || reason == NET_REASON_OVERFLOW;
    if (session->slot < 0 || !is_loss || is_none(&session->rejoin) ||
        server->config.grace_ms == 0 || server->is_shutting_down || !may_wait(server, session)) {
        return false;
    }
    session_t *lost = move_out(server, peer);
    server->stats.lost++;
    MatchLog_Visit(server, lost, "lost", "reason", Net_ReasonText(reason));
    Session_SendInfo(server, lost);
    return true;
}

int32_t Rejoin_Find(const server_t *server, int32_t peer, const rejoin_key_t *key) {
    transport_t *net = server->config.net;
    const bool is_sealed = net->is_sealed(net, peer);
    int32_t found = -1;
    for (int32_t i = 0; i < server->num_sessions && !is_none(key); i++) {
        const session_t *session = &server->sessions[i];
        const bool is_same = sodium_memcmp(key, &session->rejoin, sizeof *key) == 0 ||
                             sodium_memcmp(key, &session->used_rejoin, sizeof *key) == 0;
        found = is_same && session->slot >= 0 && (is_sealed || !session->is_sealed) ? i : found;
    }
    return found;
}

void Rejoin_Take(server_t *server, int32_t from, int32_t peer, const rejoin_key_t *key) {
    transport_t *net = server->config.net;
    session_t *session = &server->sessions[peer];
    session_t *lost = &server->sessions[from];
    if (lost->state != SESSION_LOST) {
        control_msg_t msg = {.type = CTL_GOODBYE, .u.text.text = "you have joined again elsewhere"};
        Session_Send(server, from, &msg);
        lost = move_out(server, from);
        net->drop(net, from, NET_REASON_KICKED);
    }
    const session_t fresh = *session;
    const address_t *address = Addresses_Get(&server->addresses, fresh.address.host);
    *session = *lost;
    session->state = fresh.state;
    session->address = fresh.address;
    session->ring = fresh.ring;
    session->is_sealed = fresh.is_sealed;
    session->active_ms = fresh.active_ms;
    session->ping_ms = fresh.ping_ms;
    session->used_rejoin = *key;
    if (session->muted_until_ms < address->muted_until_ms) {
        session->muted_until_ms = address->muted_until_ms;
    }
    server->peer_of_slot[session->slot] = peer;
    lost->slot = -1;
    Session_Free(server, (int32_t)(lost - server->sessions));
    server->stats.returns++;
    MatchLog_Visit(server, session, "back", NULL, NULL);
}
