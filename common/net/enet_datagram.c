#include "net/enet_local.h"

#include <stdlib.h>

#define LOG_WINDOW_MS 5000 // at most one line of a kind in that time

/// Returns true if a slot is free for a CONNECT, or if ENet has accepted it already.
static bool has_room(const enet_transport_t *net, const guard_datagram_t *in) {
    const ENetHost *host = net->host;
    uint32_t connect_id =
        htonl(Guard_ConnectID(&net->guard, in)); // ENet stores it in network order
    ENetAddress from = Net_ToEnet(in->from);
    int32_t num_free = 0;
    int32_t num_same = 0;
    for (size_t i = 0; i < host->peerCount; i++) {
        const ENetPeer *peer = &host->peers[i];
        if (peer->state == ENET_PEER_STATE_DISCONNECTED) {
            num_free++;
        } else if (peer->address.host == from.host) {
            num_same++;
            if (peer->address.port == from.port && peer->connectID == connect_id) {
                return true;
            }
        }
    }
    return num_free > 0 &&
           (net->max_peers_per_address == 0 || num_same < net->max_peers_per_address);
}

/// Starts ENet's connect with the cookie and connectID of the server.
static void start_connecting(enet_transport_t *net, enet_slot_t *slot, uint32_t cookie,
                             uint32_t connect_id) {
    // ENet adds 1 to its seed and sends the bytes of the result in host order.
    net->host->randomSeed = htonl(connect_id) - 1u;
    ENetAddress to = Net_ToEnet(slot->address);
    ENetPeer *peer = enet_host_connect(net->host, &to, NET_NUM_CHANNELS, cookie);
    if (!peer) {
        EnetSlot_Gone(net, slot, NET_REASON_NONE);
        return;
    }
    peer->data = slot;
    slot->peer = peer;
    EnetSlot_SetState(net, slot, SLOT_CONNECTING);
}

/// Handles a reply to a handshake. Returns true for any such reply, even if its handshake is over.
static bool take_answer(enet_transport_t *net, const guard_datagram_t *in) {
    if (!Handshake_IsAnswer(in)) {
        return false;
    }
    for (int32_t i = 0; i < net->max_peers && net->num_timed > 0; i++) {
        enet_slot_t *slot = &net->slots[i];
        uint32_t cookie = 0;
        uint32_t connect_id = 0;
        net_reason_t reason = NET_REASON_NONE;
        if (slot->state == SLOT_ASKING &&
            Handshake_TakeCookie(&slot->handshake, in, &cookie, &connect_id)) {
            start_connecting(net, slot, cookie, connect_id);
            return true;
        }
        if (slot->state == SLOT_CONNECTING &&
            Handshake_TakeRefusal(&slot->handshake, in, ntohl(slot->peer->connectID), &reason)) {
            enet_peer_reset(slot->peer);
            EnetSlot_Gone(net, slot, reason);
            return true;
        }
    }
    return true;
}

/// Logs a dropped datagram, one line per burst. `is_crowd`: too many clients or requests, logged as
/// a warning; other drops are logged as info.
static void log_drop(enet_transport_t *net, netaddr_t from, bool is_crowd, const char *why) {
    char text[32];
    uint32_t suppressed = 0;
    log_burst_t *burst = is_crowd ? &net->crowd_burst : &net->drop_burst;
    if (Log_BurstAllows(burst, net->now_ms, LOG_WINDOW_MS, &suppressed)) {
        Net_FormatAddress(from, text, sizeof text);
        Log_Print(net->log, is_crowd ? LOG_WARN : LOG_INFO,
                  "network: dropped a datagram from %s: %s (and %u more since the last line)", text,
                  why, suppressed);
    }
}

/// Judges a received datagram. Returns true if it is for ENet. Remembers one for the owner of the
/// transport in net->oob.
static bool judge(enet_transport_t *net, const guard_datagram_t *in) {
    guard_verdict_t verdict;
    Guard_Check(&net->guard, &net->buckets, in, &verdict);
    switch (verdict.action) {
    case GUARD_PASS:
        return true;
    case GUARD_CONNECT:
        if (has_room(net, in)) {
            return true;
        }
        net->counters.guard_dropped++;
        log_drop(net, in->from, true, "no slot is free");
        verdict.reply_size = Guard_Refuse(&net->guard, in, NET_REASON_FULL, verdict.reply);
        EnetSocket_Send(net, in->from, verdict.reply, verdict.reply_size);
        return false;
    case GUARD_REPLY:
        net->counters.guard_replied++;
        EnetSocket_Send(net, in->from, verdict.reply, verdict.reply_size);
        return false;
    case GUARD_OOB:
        if (net->guard.is_server || !take_answer(net, in)) {
            net->oob = *in;
        }
        return false;
    case GUARD_DROP:
        break;
    }
    net->counters.guard_dropped++;
    net->dropped[verdict.why]++;
    log_drop(net, in->from, verdict.why == GUARD_RATE, Guard_WhyText(verdict.why));
    return false;
}

bool EnetDatagram_Next(enet_transport_t *net, guard_datagram_t *in) {
    while (!net->oob.data &&
           (net->impair_in ? EnetImpair_Receive(net, in) : EnetSocket_Receive(net, in))) {
        in->now_ms = net->now_ms;
        if (judge(net, in)) {
            return true;
        }
    }
    return false;
}

void EnetDatagram_Send(enet_transport_t *net, netaddr_t to, const void *data, size_t size) {
    if (net->impair_out) {
        Impair_Push(net->impair_out, net->now_ms, to, data, size);
    } else {
        EnetSocket_Send(net, to, data, size);
    }
}
