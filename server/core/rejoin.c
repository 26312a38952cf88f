/// core/rejoin.c - players whose connection was lost, and the return of their clients.
//
// A lost session keeps slot, name and limits; its player gets no commands. The world receives an
// input only if the client does not return: INPUT_LEAVE.
// Limits:  8 players of one address wait, unless it is exempt.

#include "core/server_local.h"

#include <sodium.h>
#include <string.h>

#define MAX_WAITING 8 // of one address; else it could hold every slot by joining again and again

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

static bool may_wait(const server_t *server, uint32_t host) {
    int32_t waiting = 0;
    for (int32_t i = server->max_sessions; i < server->num_sessions; i++) {
        const session_t *lost = &server->sessions[i];
        waiting += lost->state == SESSION_LOST && lost->address.host == host ? 1 : 0;
    }
    return waiting < MAX_WAITING || Net_IsExempt(server->config.exempt, host);
}

bool Rejoin_Wait(server_t *server, int32_t peer, net_reason_t reason) {
    const session_t *session = &server->sessions[peer];
    const bool is_loss =
        reason == NET_REASON_NONE || reason == NET_REASON_TIMEOUT || reason == NET_REASON_OVERFLOW;
    if (session->slot < 0 || !is_loss || is_none(&session->rejoin) ||
        server->config.grace_ms == 0 || server->is_shutting_down ||
        !may_wait(server, session->address.host)) {
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
