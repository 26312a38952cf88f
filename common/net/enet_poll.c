#include "net/enet_local.h"

#include <errno.h>
#include <string.h>

#define MIN_ERRORS     256 // errors that one poll tolerates, in addition to one per peer
#define LOG_WINDOW_MS  5000
#define FIRST_CLOCK_MS 1000 // first time given to ENet, which treats a time of 0 as "not set"
#define THROTTLE_MS    5000
#define THROTTLE_UP    32 // the full scale, so that a lowered throttle recovers in one step
#define THROTTLE_DOWN  0  // ENet never lowers the throttle: docs/enet.md, "Throttle"

static netaddr_t from_enet(ENetAddress address) {
    return (netaddr_t){.host = ntohl(address.host), .port = address.port};
}

static ENetAddress to_enet(netaddr_t address) {
    return (ENetAddress){.host = htonl(address.host), .port = address.port};
}

// --- datagrams before ENet -------------------------------------------------------------------

/// Returns true if a slot is free for a CONNECT, or if ENet has accepted it already.
static bool has_room(const enet_transport_t *net, const guard_datagram_t *in) {
    const ENetHost *host = net->host;
    uint32_t connect_id =
        htonl(Guard_ConnectID(&net->guard, in)); // ENet stores it in network order
    ENetAddress from = to_enet(in->from);
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

/// Starts ENet's connect with the cookie of the server.
static void start_connecting(enet_transport_t *net, enet_slot_t *slot, uint32_t cookie) {
    // ENet seeds connectIDs with the time of day: see docs/enet.md, "Forged disconnects".
    net->host->randomSeed = arc4random();
    ENetAddress to = to_enet(net->tap >= 0 ? net->tap_address : slot->address);
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
        net_reason_t reason = NET_REASON_NONE;
        if (slot->state == SLOT_ASKING && Handshake_TakeCookie(&slot->handshake, in, &cookie)) {
            start_connecting(net, slot, cookie);
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

int EnetTransport_Intercept(ENetHost *host, ENetEvent *event) {
    enum { FOR_ENET = 0, SWALLOWED = 1 };
    enet_transport_t *net = host->compressor.context;
    net->num_read++;
    if (net->impair_in && !EnetImpair_Receive(net, host)) {
        return SWALLOWED;
    }
    guard_datagram_t in = {.data = host->receivedData,
                           .size = host->receivedDataLength,
                           .from = from_enet(host->receivedAddress),
                           .now_ms = net->now_ms};
    guard_verdict_t verdict;
    Guard_Check(&net->guard, &net->buckets, &in, &verdict);
    switch (verdict.action) {
    case GUARD_PASS:
        if (net->tap >= 0 && in.from.host == net->slots[0].address.host &&
            in.from.port == net->slots[0].address.port) {
            host->receivedAddress = to_enet(net->tap_address); // the server, as ENet knows it
        }
        return FOR_ENET;
    case GUARD_CONNECT:
        if (has_room(net, &in)) {
            return FOR_ENET;
        }
        net->counters.guard_dropped++;
        log_drop(net, in.from, true, "no slot is free");
        verdict.reply_size = Guard_Refuse(&net->guard, &in, NET_REASON_FULL, verdict.reply);
        EnetSocket_Send(net, in.from, verdict.reply, verdict.reply_size);
        return SWALLOWED;
    case GUARD_REPLY:
        net->counters.guard_replied++;
        EnetSocket_Send(net, in.from, verdict.reply, verdict.reply_size);
        return SWALLOWED;
    case GUARD_OOB:
        if (net->guard.is_server || !take_answer(net, &in)) {
            // A RECEIVE event without a peer makes enet_host_service return at once, so that the
            // poll can report the out-of-band datagram.
            event->type = ENET_EVENT_TYPE_RECEIVE;
        }
        return SWALLOWED;
    case GUARD_DROP:
        break;
    }
    net->counters.guard_dropped++;
    net->dropped[verdict.why]++;
    log_drop(net, in.from, verdict.why == GUARD_RATE, Guard_WhyText(verdict.why));
    return SWALLOWED;
}

// --- events of ENet --------------------------------------------------------------------------

static enet_slot_t *slot_of_peer(const ENetPeer *peer) {
    enet_slot_t *slot = peer->data;
    return slot && slot->peer == peer ? slot : NULL;
}

static int32_t index_of(const enet_transport_t *net, const enet_slot_t *slot) {
    return (int32_t)(slot - net->slots);
}

static bool on_connect(enet_transport_t *net, ENetPeer *peer, net_event_t *event) {
    enet_slot_t *slot = slot_of_peer(peer);
    if (net->guard.is_server) {
        slot = &net->slots[peer->incomingPeerID];
        if (slot->state != SLOT_FREE) {
            // ENet reused the peer number before it reported the disconnect. Reset the new peer, so
            // that it does not take over the old peer's slot.
            enet_peer_reset(peer);
            EnetSlot_Gone(net, slot, NET_REASON_NONE);
            return false;
        }
        *slot =
            (enet_slot_t){.state = SLOT_FREE, .peer = peer, .address = from_enet(peer->address)};
        peer->data = slot;
    } else if (!slot || slot->state != SLOT_CONNECTING) {
        enet_peer_reset(peer);
        return false;
    }
    EnetSlot_SetState(net, slot, SLOT_CONNECTED);
    // ENet accepts any MTU up to 4096 from the client: docs/enet.md, "Client-chosen MTU".
    peer->mtu = (uint32_t)Q_ClampI((int32_t)peer->mtu, ENET_MIN_MTU, ENET_MAX_MTU);
    enet_peer_timeout(peer, ENET_PEER_TIMEOUT_LIMIT, NET_TIMEOUT_MS, NET_TIMEOUT_MS);
    enet_peer_throttle_configure(peer, THROTTLE_MS, THROTTLE_UP, THROTTLE_DOWN);
    *event =
        (net_event_t){.type = NET_CONNECTED, .peer = index_of(net, slot), .from = slot->address};
    return true;
}

static bool on_disconnect(enet_transport_t *net, ENetPeer *peer, uint32_t data,
                          net_event_t *event) {
    enet_slot_t *slot = slot_of_peer(peer);
    if (!slot) {
        return false; // the connection was never established
    }
    net_reason_t reason = data < NET_REASON_COUNT ? (net_reason_t)data : NET_REASON_NONE;
    if (slot->state == SLOT_LEAVING) {
        reason = slot->reason;
    }
    *event = (net_event_t){
        .type = NET_LEFT, .peer = index_of(net, slot), .reason = reason, .from = slot->address};
    slot->peer = NULL;
    EnetSlot_SetState(net, slot, SLOT_FREE);
    return true;
}

static bool on_receive(enet_transport_t *net, const ENetEvent *from, net_event_t *event) {
    static const uint8_t nothing[1] = {0};
    if (!from->peer) {
        *event = (net_event_t){.type = NET_OOB,
                               .peer = -1,
                               .from = from_enet(net->host->receivedAddress),
                               .data = net->host->receivedData,
                               .size = net->host->receivedDataLength};
        return true;
    }
    enet_slot_t *slot = slot_of_peer(from->peer);
    ENetPacket *packet = from->packet;
    bool reliable = (packet->flags & ENET_PACKET_FLAG_RELIABLE) != 0;
    if (!slot || slot->state != SLOT_CONNECTED ||
        (!reliable && packet->dataLength > MAX_PACKET_BYTES)) {
        enet_packet_destroy(packet);
        return false;
    }
    net->held = packet;
    *event = (net_event_t){.type = NET_MESSAGE,
                           .peer = index_of(net, slot),
                           .channel = from->channelID,
                           .from = slot->address,
                           .data = packet->data ? packet->data : nothing,
                           .size = packet->dataLength};
    return true;
}

static bool translate(enet_transport_t *net, const ENetEvent *from, net_event_t *event) {
    switch (from->type) {
    case ENET_EVENT_TYPE_CONNECT:
        return on_connect(net, from->peer, event);
    case ENET_EVENT_TYPE_DISCONNECT:
        return on_disconnect(net, from->peer, from->data, event);
    case ENET_EVENT_TYPE_RECEIVE:
        return on_receive(net, from, event);
    case ENET_EVENT_TYPE_NONE:
        break;
    }
    return false;
}

// --- time ------------------------------------------------------------------------------------

static void advance_handshake(enet_transport_t *net, enet_slot_t *slot) {
    uint8_t request[GUARD_REQUEST_BYTES];
    switch (Handshake_Advance(&slot->handshake, net->now_ms)) {
    case HANDSHAKE_WAIT:
        return;
    case HANDSHAKE_ASK:
        if (slot->peer) {
            enet_peer_reset(slot->peer);
            slot->peer = NULL;
            EnetSlot_SetState(net, slot, SLOT_ASKING);
        }
        Handshake_WriteRequest(&slot->handshake, request);
        EnetSocket_Send(net, slot->address, request, sizeof request);
        return;
    case HANDSHAKE_FAILED:
        if (slot->peer) {
            enet_peer_reset(slot->peer);
        }
        EnetSlot_Gone(net, slot, NET_REASON_NONE);
        return;
    }
}

static void run_timers(enet_transport_t *net) {
    net->timers_due = false;
    if (net->impair_in) {
        EnetImpair_Wake(net);
    }
    for (int32_t i = 0; i < net->max_peers && net->num_timed > 0; i++) {
        enet_slot_t *slot = &net->slots[i];
        if (slot->state == SLOT_ASKING || slot->state == SLOT_CONNECTING) {
            advance_handshake(net, slot);
        } else if (slot->state == SLOT_LEAVING && net->now_ms >= slot->deadline_ms) {
            enet_peer_disconnect_now(slot->peer, (enet_uint32)slot->reason);
            EnetSlot_Gone(net, slot, slot->reason);
        }
    }
}

static bool deliver_gone(enet_transport_t *net, net_event_t *event) {
    for (int32_t i = 0; i < net->max_peers && net->num_gone > 0; i++) {
        enet_slot_t *slot = &net->slots[i];
        if (slot->state == SLOT_GONE) {
            *event = (net_event_t){
                .type = NET_LEFT, .peer = i, .reason = slot->reason, .from = slot->address};
            EnetSlot_SetState(net, slot, SLOT_FREE);
            return true;
        }
    }
    return false;
}

static void set_clock(enet_transport_t *net, int64_t now_ms) {
    if (now_ms > net->now_ms) {
        net->now_ms = now_ms;
        net->num_read = 0;
        net->timers_due = true;
    }
    // Set ENet's clock: its own is the time of day, which may jump (docs/enet.md, "Clock").
    enet_time_set((enet_uint32)(net->now_ms + FIRST_CLOCK_MS));
}

void EnetTransport_CollectTraffic(enet_transport_t *net) {
    ENetHost *host = net->host;
    net->counters.packets_in += host->totalReceivedPackets;
    net->counters.packets_out += host->totalSentPackets;
    net->counters.bytes_in += host->totalReceivedData;
    net->counters.bytes_out += host->totalSentData;
    host->totalReceivedPackets = host->totalSentPackets = 0;
    host->totalReceivedData = host->totalSentData = 0;
}

/// Counts an error of ENet: an unreadable datagram, or a peer to which it cannot send. ENet skips
/// the rest of its pass, so repeat it (docs/enet.md, "Oversize datagrams", "Unsendable peers").
static void count_error(enet_transport_t *net, int error) {
    uint32_t suppressed = 0;
    net->counters.service_errors++;
    if (Log_BurstAllows(&net->error_burst, net->now_ms, LOG_WINDOW_MS, &suppressed)) {
        Log_Print(net->log, LOG_WARN,
                  "network: cannot receive or send: %s (and %u more errors since the last line)",
                  error == 0 ? "a datagram is longer than 4096 bytes" : strerror(error),
                  suppressed);
    }
}

/// Returns true if datagrams are waiting although ENet reports none. ENet stops after 256
/// datagrams, and after an empty one (docs/enet.md, "Empty datagrams").
static bool more_waits(enet_transport_t *net) {
    if (net->num_read >= NET_DRAIN_LIMIT || !EnetSocket_HasMore(net)) {
        return false;
    }
    net->num_read++; // the guard counts datagrams, but ENet does not pass empty ones to it
    return true;
}

void EnetTransport_Poll(transport_t *base, int64_t now_ms, net_event_t *event) {
    enet_transport_t *net = (enet_transport_t *)base;
    if (net->held) {
        enet_packet_destroy(net->held);
        net->held = NULL;
    }
    set_clock(net, now_ms);
    if (net->timers_due) {
        run_timers(net);
    }
    if (net->tap >= 0) {
        EnetImpair_Forward(net);
    }
    *event = (net_event_t){.type = NET_NONE, .peer = -1};
    // A round that returns no event has consumed an error or an internal event of ENet. The number
    // of rounds is limited, because a flood could cause them without end.
    int32_t errors_left = net->max_peers + MIN_ERRORS; // a peer may cause one error
    for (int32_t round = 0; round < NET_DRAIN_LIMIT && errors_left > 0; round++) {
        if (deliver_gone(net, event)) {
            break;
        }
        ENetEvent from = {.type = ENET_EVENT_TYPE_NONE};
        errno = 0;
        int result = net->num_read < NET_DRAIN_LIMIT ? enet_host_service(net->host, &from, 0)
                                                     : enet_host_check_events(net->host, &from);
        if (result < 0) {
            count_error(net, errno);
            errors_left--;
        } else if (result > 0) {
            if (translate(net, &from, event)) {
                break;
            }
        } else if (net->num_gone == 0 && !more_waits(net)) {
            break;
        }
    }
    EnetTransport_CollectTraffic(net);
}
