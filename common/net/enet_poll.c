#include "net/admission.h"

#define REPEAT_MS       1000 // maximum interval of the repeats of a peer's earliest message
#define REPEAT_CHECK_MS 100  // interval of limit_repeats
#define REPEAT_SEARCH   64   // messages that it visits per peer
#define HEARD_MS        1000 // a peer that ends so soon after a datagram has left; else it is lost

// --- events of ENet --------------------------------------------------------------------------

static int32_t index_of(const enet_transport_t *net, const enet_slot_t *slot) {
    return (int32_t)(slot - net->slots);
}

static bool on_connect(enet_transport_t *net, ENetPeer *peer, net_event_t *event) {
    enet_slot_t *slot = EnetSlot_OfPeer(peer);
    if (net->guard.is_server) {
        slot = &net->slots[peer->incomingPeerID];
        if (slot->state != SLOT_FREE) {
            // ENet reused the peer before it reported the disconnect. Reset the new peer, which
            // must not take over the slot.
            enet_peer_reset(peer);
            EnetSlot_Gone(net, slot, NET_REASON_NONE);
            return false;
        }
        *slot =
            (enet_slot_t){.state = SLOT_FREE, .peer = peer, .address = Net_FromEnet(peer->address)};
        // The address may have been banned since its CONNECT.
        net_reason_t reason =
            net->allows ? net->allows(net->allow_context, slot->address) : NET_REASON_NONE;
        if (reason != NET_REASON_NONE) {
            net->counters.banned++;
            slot->peer = NULL;
            enet_peer_disconnect_now(peer, (enet_uint32)reason);
            return false;
        }
        peer->data = slot;
    } else if (!slot || slot->state != SLOT_CONNECTING) {
        enet_peer_reset(peer);
        return false;
    }
    EnetSlot_SetState(net, slot, SLOT_CONNECTED);
    slot->heard_ms = slot->since_ms = net->now_ms;
    // ENet accepts any MTU up to 4096 from the client: docs/enet.md, "Client-chosen MTU".
    peer->mtu = (uint32_t)Q_ClampI((int32_t)peer->mtu, ENET_MIN_MTU, ENET_MAX_MTU);
    // Admission_Check ends silent peers. ENet's own limit must be longer.
    enet_peer_timeout(peer, ENET_PEER_TIMEOUT_LIMIT, NET_BUSY_MS, NET_BUSY_MS);
    EnetGate_Reset(net, peer);
    enet_peer_throttle_configure(peer, NET_THROTTLE_MS, NET_THROTTLE_UP, NET_THROTTLE_DOWN);
    *event =
        (net_event_t){.type = NET_CONNECTED, .peer = index_of(net, slot), .from = slot->address};
    return true;
}

static bool on_disconnect(enet_transport_t *net, ENetPeer *peer, uint32_t data,
                          net_event_t *event) {
    enet_slot_t *slot = EnetSlot_OfPeer(peer);
    if (!slot) {
        return false; // the connection was never established
    }
    net_reason_t reason = data < NET_REASON_COUNT ? (net_reason_t)data : NET_REASON_NONE;
    if (slot->state == SLOT_LEAVING) {
        reason = slot->reason;
    } else if (net->guard.is_server && reason != NET_REASON_TIMEOUT &&
               (reason != NET_REASON_NONE || net->now_ms - slot->heard_ms < HEARD_MS)) {
        // Only a claimed timeout is believed. Silence has the same effect after NET_TIMEOUT_MS.
        reason = NET_REASON_LEFT;
    }
    *event = (net_event_t){
        .type = NET_LEFT, .peer = index_of(net, slot), .reason = reason, .from = slot->address};
    slot->peer = NULL;
    EnetSlot_SetState(net, slot, SLOT_FREE);
    return true;
}

static bool on_receive(enet_transport_t *net, const ENetEvent *from, net_event_t *event) {
    static const uint8_t nothing[1] = {0};
    enet_slot_t *slot = EnetSlot_OfPeer(from->peer);
    ENetPacket *packet = from->packet;
    bool reliable = (packet->flags & ENET_PACKET_FLAG_RELIABLE) != 0;
    if (!slot || slot->state != SLOT_CONNECTED ||
        (!reliable && packet->dataLength > MAX_PACKET_BYTES)) {
        enet_packet_destroy(packet);
        return false;
    }
    net->held = packet;
    net->held_slot = index_of(net, slot);
    if (!net->guard.is_server && reliable && from->channelID == NET_CHANNEL_CONTROL) {
        net->held_at = 0;
        return EnetBundle_Next(net, event);
    }
    net->held_at = packet->dataLength;
    *event =
        (net_event_t){.type = NET_MESSAGE,
                      .peer = index_of(net, slot),
                      .channel = from->channelID,
                      .from = slot->address,
                      .data = packet->data ? packet->data : nothing,
                      .size = packet->dataLength,
                      .waited_us = net->guard.is_server ? 0 : EnetGate_WaitedUs(net, from->peer)};
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

/// Returns the earliest control message among those that were last sent at least `limit_ms` ago, or
/// NULL. ENet's list is in the order of sending. A deaf peer's may be long.
static ENetOutgoingCommand *earliest_overdue(const enet_transport_t *net, ENetPeer *peer,
                                             uint32_t limit_ms) {
    ENetOutgoingCommand *found = NULL;
    ENetListIterator at = enet_list_begin(&peer->sentReliableCommands);
    for (int32_t i = 0; i < REPEAT_SEARCH && at != enet_list_end(&peer->sentReliableCommands);
         i++, at = enet_list_next(at)) {
        ENetOutgoingCommand *sent = (ENetOutgoingCommand *)at;
        if (net->host->serviceTime - sent->sentTime < limit_ms) {
            break;
        }
        bool is_earlier =
            !found || (int16_t)(sent->reliableSequenceNumber - found->reliableSequenceNumber) < 0;
        if (sent->command.header.channelID == NET_CHANNEL_CONTROL && is_earlier) {
            found = sent;
        }
    }
    return found;
}

/// Has ENet repeat the message of each peer for which others probably wait: docs/enet.md,
/// "Repeats".
static void limit_repeats(enet_transport_t *net) {
    if (net->now_ms - net->repeats_ms < REPEAT_CHECK_MS) {
        return;
    }
    net->repeats_ms = net->now_ms;
    for (int32_t i = 0; i < net->max_peers; i++) {
        enet_slot_t *slot = &net->slots[i];
        if (slot->state != SLOT_CONNECTED || slot->queued_messages == 0) {
            continue;
        }
        ENetPeer *peer = slot->peer;
        uint32_t usual_ms = peer->roundTripTime + 4 * peer->roundTripTimeVariance; // first repeat
        uint32_t limit_ms = 2 * usual_ms > REPEAT_MS ? 2 * usual_ms : REPEAT_MS;
        ENetOutgoingCommand *overdue = earliest_overdue(net, peer, limit_ms);
        if (overdue && overdue->roundTripTimeout > limit_ms) {
            overdue->roundTripTimeout = limit_ms;
            peer->nextTimeout = net->host->serviceTime;
        }
    }
}

static void run_timers(enet_transport_t *net) {
    net->timers_due = false;
    limit_repeats(net);
    EnetShortage_Check(net);
    Admission_Check(net);
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
        net->is_cut = false;
        net->timers_due = true;
        EnetSeam_SetClock(net);
    }
}

static bool deliver_oob(enet_transport_t *net, net_event_t *event) {
    if (!net->oob.data) {
        return false;
    }
    *event = (net_event_t){.type = NET_OOB,
                           .peer = -1,
                           .from = net->oob.from,
                           .data = net->oob.data,
                           .size = net->oob.size};
    net->oob.data = NULL;
    return true;
}

/// Runs ENet. Once no datagram is left, only delivers the events of those that were read: each
/// enet_host_service visits all peers twice.
static int service(enet_transport_t *net, ENetEvent *from) {
    if (net->later.type != ENET_EVENT_TYPE_NONE) {
        *from = net->later;
        net->later.type = ENET_EVENT_TYPE_NONE;
        return 1;
    }
    return net->is_dry ? enet_host_check_events(net->host, from)
                       : enet_host_service(net->host, from, 0);
}

/// Writes the next event. Returns false if there is none.
static bool next_event(enet_transport_t *net, net_event_t *event) {
    // A round may consume an internal event, or 256 datagrams.
    for (int32_t round = 0; round < NET_DRAIN_LIMIT; round++) {
        ENetEvent from = {.type = ENET_EVENT_TYPE_NONE};
        if (deliver_gone(net, event) || deliver_oob(net, event) || EnetDirect_Next(net, event)) {
            return true;
        }
        if (service(net, &from) > 0) {
            net->has_queued = true;
            if (from.type == ENET_EVENT_TYPE_RECEIVE && net->direct.count > 0) {
                net->later = from; // messages of its peer in `direct` arrived earlier
            } else if (translate(net, &from, event)) {
                return true;
            }
        } else if (net->num_gone == 0 && !net->oob.data && net->direct.count == 0 && net->is_dry) {
            if (net->is_door_open || !EnetDoor_Opens(net)) {
                return false;
            }
            net->is_door_open = true;
            net->is_dry = false;
        }
    }
    return false;
}

void EnetTransport_Poll(transport_t *base, int64_t now_ms, net_event_t *event) {
    enet_transport_t *net = (enet_transport_t *)base;
    enet_transport_t *outer = EnetSeam_Enter(net);
    if (EnetBundle_Next(net, event)) {
        EnetSeam_Leave(outer);
        return;
    }
    set_clock(net, now_ms);
    if (net->timers_due) {
        run_timers(net);
    }
    if (net->impair_out) {
        EnetImpair_Send(net);
    }
    if (!next_event(net, event)) {
        *event = (net_event_t){.type = NET_NONE, .peer = -1};
        EnetTransport_SendQueued(net);
        net->is_dry = net->is_door_open = false;
    }
    EnetSeam_Leave(outer);
}
