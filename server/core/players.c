/// core/players.c - finds, lists and drops players and other peers for the operator.

#include "core/server_local.h"
#include "world/block.h"

#include <stdio.h>
#include <string.h>

static const session_t *session_in(const server_t *server, int32_t slot) {
    bool is_used =
        slot >= 0 && slot < server->config.max_clients && server->peer_of_slot[slot] >= 0;
    return is_used ? &server->sessions[server->peer_of_slot[slot]] : NULL;
}

const char *Server_PlayerName(const server_t *server, int32_t slot) {
    const session_t *session = session_in(server, slot);
    return session ? session->name : "";
}

netaddr_t Server_PlayerAddress(const server_t *server, int32_t slot) {
    const session_t *session = session_in(server, slot);
    return session ? session->address : (netaddr_t){0};
}

const char *Server_PlayerId(const server_t *server, int32_t slot) {
    const session_t *session = session_in(server, slot);
    return session ? session->id : "";
}

bool Server_Kick(server_t *server, int32_t slot, const char *reason) {
    if (!session_in(server, slot)) {
        return false;
    }
    Session_Drop(server, server->peer_of_slot[slot], NET_REASON_KICKED, reason);
    return true;
}

int32_t Server_DropWhere(server_t *server, net_allow_fn *allows, void *context, const char *text) {
    int32_t dropped = 0;
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        const session_t *session = &server->sessions[peer];
        if (session->state == SESSION_FREE || session->state == SESSION_LEAVING) {
            continue;
        }
        net_reason_t reason = allows(context, session->address);
        if (reason != NET_REASON_NONE) {
            Session_Drop(server, peer, reason, text);
            dropped++;
        }
    }
    return dropped;
}

bool Server_NextPeer(const server_t *server, int32_t *peer, server_peer_t *found) {
    transport_t *net = server->config.net;
    while (*peer < Q_MaxI(server->max_sessions, server->num_sessions)) {
        static const session_t none = {.state = SESSION_FREE, .slot = -1};
        const session_t *session = *peer < server->num_sessions ? &server->sessions[*peer] : &none;
        bool is_free = session->state == SESSION_FREE;
        *found = (server_peer_t){.address = session->address,
                                 .half_open_ms = -1,
                                 .connected_ms = server->now_ms - session->connected_ms,
                                 .bytes_in = session->bytes_in,
                                 .is_leaving = session->state != SESSION_NEW};
        if (is_free && *peer < server->max_sessions) {
            found->half_open_ms = net->more->half_open_ms(net, *peer, &found->address);
        }
        ++*peer;
        if (is_free ? found->half_open_ms >= 0 : session->slot < 0) {
            return true;
        }
    }
    return false;
}

void Server_PrintPeers(const server_t *server, void (*print)(void *context, const char *line),
                       void *context) {
    char line[128], address[32];
    server_peer_t found;
    bool is_empty = true;
    for (int32_t peer = 0; Server_NextPeer(server, &peer, &found); is_empty = false) {
        Net_FormatAddress(found.address, address, sizeof address);
        if (found.half_open_ms >= 0) {
            snprintf(line, sizeof line, "%-21s  half-open %lld ms: not acknowledged yet", address,
                     (long long)found.half_open_ms);
        } else {
            snprintf(line, sizeof line, "%-21s  connected %lld s  received %llu bytes  %s", address,
                     (long long)found.connected_ms / 1000, (unsigned long long)found.bytes_in,
                     found.is_leaving ? "leaves" : "has not joined");
        }
        print(context, line);
    }
    if (is_empty) {
        print(context, "every connection has joined");
    }
}
