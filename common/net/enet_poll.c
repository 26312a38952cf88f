#include "net/enet_local.h"

#include <errno.h>
#include <string.h>

#define MIN_ERRORS     256 // survived in one poll, however few peers there are
#define LOG_WINDOW_MS  5000
#define FIRST_CLOCK_MS 1000 // ENet takes a time of 0 for "not set" in places
#define THROTTLE_MS    5000
#define THROTTLE_UP    32 // the full scale: a throttle that fell recovers at once
#define THROTTLE_DOWN  0  // never: it drops unreliable packets when only the delay varies (A12)

static netaddr_t from_enet(ENetAddress address) {
    return (netaddr_t){.host = ntohl(address.host), .port = address.port};
}

static ENetAddress to_enet(netaddr_t address) {
    return (ENetAddress){.host = htonl(address.host), .port = address.port};
}

// --- datagrams before ENet -------------------------------------------------------------------

/// Whether a CONNECT of a proven address finds room. One that ENet already knows does.
static bool has_room(const enet_transport_t *net, const guard_datagram_t *in) {
    const ENetHost *host = net->host;
    uint32_t connect_id = htonl(Guard_ConnectID(&net->guard, in)); // ENet keeps it unswapped
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

/// A client's slot got its cookie: now ENet may connect.
static void start_connecting(enet_transport_t *net, enet_slot_t *slot, uint32_t cookie) {
    // ENet 1.3.17 seeds from the time of day; connectIDs must not be guessable (A7).
    net->host->randomSeed = arc4random();
    ENetAddress to = to_enet(slot->address);
    ENetPeer *peer = enet_host_connect(net->host, &to, NET_NUM_CHANNELS, cookie);
    if (!peer) {
        EnetSlot_Gone(net, slot, NET_REASON_NONE);
        return;
    }
    peer->data = slot;
    slot->peer = peer;
    EnetSlot_SetState(net, slot, SLOT_CONNECTING);
}

/// Whether an out-of-band datagram is one of a client's handshakes', be it an old one.
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

/// One line per burst, however many datagrams it has: those of a crowd as a warning, noise below.
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

/// Passes a received datagram through the impairment model, and puts the next one that is due in
/// its place. Returns false if none is due.
static bool impair(enet_transport_t *net, ENetHost *host) {
    netaddr_t from = from_enet(host->receivedAddress);
    if (!EnetSocket_IsWake(net, from, host->receivedDataLength)) {
        Impair_Push(net->impair, net->now_ms, from, host->receivedData, host->receivedDataLength);
    }
    const impair_datagram_t *due = Impair_Pop(net->impair, net->now_ms);
    if (due) {
        host->receivedData = due->data;
        host->receivedDataLength = due->size;
        host->receivedAddress = to_enet(due->address);
    }
    return due != NULL;
}

int EnetTransport_Intercept(ENetHost *host, ENetEvent *event) {
    enum { FOR_ENET = 0, SWALLOWED = 1 };
    enet_transport_t *net = host->compressor.context;
    net->num_read++;
    if (net->impair && !impair(net, host)) {
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
        return FOR_ENET;
    case GUARD_CONNECT:
        if (has_room(net, &in)) {
            return FOR_ENET;
        }
        net->counters.guard_dropped++;
        log_drop(net, in.from, true, "no room for another connection");
        verdict.reply_size = Guard_Refuse(&net->guard, &in, NET_REASON_FULL, verdict.reply);
        EnetSocket_Send(net, in.from, verdict.reply, verdict.reply_size);
        return SWALLOWED;
    case GUARD_REPLY:
        net->counters.guard_replied++;
        EnetSocket_Send(net, in.from, verdict.reply, verdict.reply_size);
        return SWALLOWED;
    case GUARD_OOB:
        if (net->guard.is_server || !take_answer(net, &in)) {
            // A RECEIVE without a peer: ENet hands it straight to poll.
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
            // ENet reused the number without telling; nobody must take the one for the other.
            enet_peer_reset(peer);
            EnetSlot_Gone(net, slot, NET_REASON_NONE);
            return false;
        }
        *slot = (enet_slot_t){.state = SLOT_FREE, .peer = peer};
        peer->data = slot;
    } else if (!slot || slot->state != SLOT_CONNECTING) {
        enet_peer_reset(peer);
        return false;
    }
    slot->address = from_enet(peer->address);
    EnetSlot_SetState(net, slot, SLOT_CONNECTED);
    // 1.3.17 takes the client's mtu up to 4096 (A11). Never below what one packet of ours needs.
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
        return false; // half a connection that nobody above has heard of
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
    if (net->impair) {
        EnetSocket_Wake(net, Impair_NumDue(net->impair, net->now_ms));
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
    // ENet's own clock is gettimeofday, which jumps; this makes it ours (A13).
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

/// ENet gave -1: a datagram it could not read, or a peer it could not send to. Both skip what comes
/// after them in this pass ("Oversize datagrams"), so the caller goes round again.
static void count_error(enet_transport_t *net, int error) {
    uint32_t suppressed = 0;
    net->counters.service_errors++;
    if (Log_BurstAllows(&net->error_burst, net->now_ms, LOG_WINDOW_MS, &suppressed)) {
        Log_Print(net->log, LOG_WARN,
                  "network: survived an error: %s (and %u more since the last line)",
                  error == 0 ? "a datagram of more than 4096 bytes" : strerror(error), suppressed);
    }
}

/// ENet says "nothing" after 256 datagrams, and takes an empty datagram for the end of what waits:
/// whoever sends a stream of those would keep everybody else's from being read.
static bool more_waits(enet_transport_t *net) {
    if (net->num_read >= NET_DRAIN_LIMIT || !EnetSocket_HasMore(net)) {
        return false;
    }
    net->num_read++; // an empty one did not come past the guard
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
    *event = (net_event_t){.type = NET_NONE, .peer = -1};
    // Each round consumes an error, or an event that concerns nobody: bounded, it may be a flood.
    int32_t errors_left = net->max_peers + MIN_ERRORS; // one per peer that cannot be sent to
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
