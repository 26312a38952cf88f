#include "net/admission.h"

#include <stdlib.h>
#include <string.h>

#define LOG_WINDOW_MS 5000 // one line of a kind in that time

/// Starts ENet's connect with the server's cookie and connectID.
static void start_connecting(enet_transport_t *net, enet_slot_t *slot,
                             const handshake_cookie_t *reply) {
    net_reason_t reason = EnetSeal_Start(net, slot, reply);
    if (reason != NET_REASON_NONE) {
        EnetSlot_Gone(net, slot, reason);
        return;
    }
    // ENet adds 1 to the seed and sends it in host order.
    net->host->randomSeed = htonl(reply->connect_id) - 1u;
    ENetAddress to = Net_ToEnet(slot->address);
    ENetPeer *peer = enet_host_connect(net->host, &to, NET_NUM_CHANNELS, reply->cookie);
    if (!peer) {
        EnetSeal_Cancel(net);
        EnetSlot_Gone(net, slot, NET_REASON_NONE);
        return;
    }
    EnetSeal_Bind(net, peer);
    peer->data = slot;
    slot->peer = peer;
    EnetSlot_SetState(net, slot, SLOT_CONNECTING);
}

/// Handles a reply to a handshake. Returns true even if the handshake is over.
static bool take_answer(enet_transport_t *net, const guard_datagram_t *in) {
    if (!Handshake_IsAnswer(in)) {
        return false;
    }
    for (int32_t i = 0; i < net->max_peers && net->num_timed > 0; i++) {
        enet_slot_t *slot = &net->slots[i];
        handshake_cookie_t reply;
        net_reason_t reason = NET_REASON_NONE;
        if (slot->state == SLOT_ASKING && Handshake_TakeCookie(&slot->handshake, in, &reply)) {
            start_connecting(net, slot, &reply);
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

void EnetDatagram_Drop(enet_transport_t *net, netaddr_t from, bool is_crowd, const char *why) {
    char text[32];
    log_burst_t *burst = is_crowd ? &net->crowd_burst : &net->drop_burst;
    net->counters.guard_dropped++;
    if (Log_BurstAllows(burst, net->now_ms, LOG_WINDOW_MS)) {
        Net_FormatAddress(from, text, sizeof text);
        Log_Print(net->log, is_crowd ? LOG_WARN : LOG_INFO,
                  "network: dropped a datagram from %s: %s%s", text, why, burst->more);
    }
}

/// Returns NET_REASON_NONE if an address may connect, otherwise the reason of the refusal.
static net_reason_t judge_address(enet_transport_t *net, netaddr_t from, bool is_sealed) {
    net_reason_t reason = net->allows ? net->allows(net->allow_context, from) : NET_REASON_NONE;
    net->counters.banned += reason != NET_REASON_NONE;
    if (reason == NET_REASON_NONE && net->seal_mode == NET_SEAL_REQUIRED && !is_sealed) {
        net->counters.plain++;
        reason = NET_REASON_SEAL;
    }
    return reason;
}

/// Returns true if ENet may handle a CONNECT in `data`. Otherwise counts the drop, and sends the
/// reason if a retry cannot succeed.
static bool take_connect(enet_transport_t *net, netaddr_t from, uint8_t *data, size_t *size,
                         bool is_sealed) {
    if (!EnetGate_Connect(net, data, size)) {
        return false;
    }
    guard_datagram_t in = {.data = data, .size = *size, .from = from, .now_ms = net->now_ms};
    net_reason_t reason = judge_address(net, from, is_sealed);
    bool is_allowed = reason == NET_REASON_NONE;
    admission_t admission = is_allowed ? Admission_Judge(net, &in, &reason) : ADMISSION_REFUSE;
    if (admission == ADMISSION_PASS) {
        EnetSeal_Admit(net);
        return true;
    }
    EnetDatagram_Drop(net, from, is_allowed,
                      admission == ADMISSION_IGNORE ? "too many connections are not complete"
                                                    : Net_ReasonText(reason));
    if (admission == ADMISSION_REFUSE) {
        uint8_t reply[GUARD_MAX_REPLY];
        EnetSocket_Send(net, from, reply, Guard_Refuse(&net->guard, &in, reason, reply));
    }
    return false;
}

/// Judges a sealed CONNECT, like take_connect.
static bool take_sealed(enet_transport_t *net, const guard_datagram_t *in, uint8_t *data,
                        size_t *size) {
    bool is_taken =
        EnetSeal_ReadConnect(net, in, data, size) && take_connect(net, in->from, data, size, true);
    if (!is_taken) {
        EnetSeal_Cancel(net);
    }
    return is_taken;
}

/// Judges a CONNECT whose cookie is valid.
static bool take(enet_transport_t *net, const guard_datagram_t *in, guard_action_t action,
                 uint8_t *data, size_t *size) {
    if (action == GUARD_SEALED) {
        return take_sealed(net, in, data, size);
    }
    memcpy(data, in->data, in->size);
    *size = in->size;
    return take_connect(net, in->from, data, size, false);
}

/// Judges a datagram. Returns true if it is for ENet, in `data`. Stores an out-of-band one in
/// net->oob.
static bool judge(enet_transport_t *net, const guard_datagram_t *in, uint8_t *data, size_t *size) {
    guard_verdict_t verdict;
    Guard_Check(&net->guard, &net->buckets, in, &verdict);
    switch (verdict.action) {
    case GUARD_PASS:
        return EnetGate_Receive(net, in, data, size);
    case GUARD_CONNECT:
    case GUARD_SEALED:
        return EnetDoor_Pass(net, in, verdict.action) && take(net, in, verdict.action, data, size);
    case GUARD_REPLY:
        net->counters.guard_replied++;
        EnetSeal_Offer(net, &verdict);
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
    net->dropped[verdict.why]++;
    EnetDatagram_Drop(net, in->from, verdict.why >= GUARD_RATE, Guard_WhyText(verdict.why));
    return false;
}

size_t EnetDatagram_Next(enet_transport_t *net, uint8_t *data, netaddr_t *from) {
    guard_datagram_t in;
    size_t size = 0;
    guard_action_t action;
    while (net->is_door_open && EnetDoor_Next(net, &in, &action)) {
        if (take(net, &in, action, data, &size)) {
            *from = in.from;
            return size;
        }
    }
    while (!net->oob.data &&
           (net->impair_in ? EnetImpair_Receive(net, &in) : EnetSocket_Receive(net, &in))) {
        in.now_ms = net->now_ms;
        if (judge(net, &in, data, &size)) {
            *from = in.from;
            return size;
        }
    }
    return 0;
}
