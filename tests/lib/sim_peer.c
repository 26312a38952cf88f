#include "base/assert.h"
#include "lib/sim_local.h"
#include "net/wire.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_RTT_MS   250.0f
#define MIN_RTO_MS     30
#define MAX_RTO_MS     2000
#define NO_CHANNEL     0xff
#define CONNECT_HEADER (4 + WIRE_CHECKSUM_BYTES)

static int32_t number_of(const sim_transport_t *net, const sim_peer_t *peer) {
    return (int32_t)(peer - net->peers);
}

static bool same_address(netaddr_t a, netaddr_t b) {
    return a.host == b.host && a.port == b.port;
}

// --- sending ---------------------------------------------------------------------------------

/// The header of a datagram.
typedef struct {
    sim_kind_t kind;
    uint8_t channel;
    uint32_t id, place, stamp;
} sim_header_t;

static void send_datagram(sim_transport_t *net, const sim_peer_t *peer, sim_header_t header,
                          const void *data, size_t size) {
    uint8_t bytes[SIM_MAX_BYTES];
    ASSERT(size <= SIM_FRAGMENT_BYTES);
    Wire_WriteU16(bytes, WIRE_FLAG_SENT_TIME | peer->remote);
    Wire_WriteU16(bytes + 2, 0);
    Wire_WriteU32(bytes + 4, peer->connect_id);
    bytes[8] = (uint8_t)header.kind;
    bytes[9] = header.channel;
    Wire_WriteU32(bytes + 10, header.id);
    Wire_WriteU32(bytes + 14, header.place);
    Wire_WriteU32(bytes + 18, header.stamp);
    if (size > 0) {
        memcpy(bytes + SIM_HEADER_BYTES, data, size);
    }
    Sim_Send(net, peer->address, bytes, SIM_HEADER_BYTES + size);
}

static int32_t first_rto_ms(const sim_peer_t *peer) {
    return Q_ToInt(peer->rtt_ms + 4.0f * peer->rtt_spread_ms, MIN_RTO_MS, MAX_RTO_MS);
}

static void transmit(sim_transport_t *net, sim_peer_t *peer, sim_message_t *message) {
    int64_t now_ms = net->sim->now_ms;
    sim_header_t header = {.kind = (sim_kind_t)message->kind,
                           .channel = message->channel,
                           .id = message->id,
                           .place = message->place,
                           .stamp = (uint32_t)now_ms};
    if (message->first_ms < 0) {
        message->first_ms = now_ms;
        message->rto_ms = first_rto_ms(peer);
        peer->num_flying++;
    } else {
        message->rto_ms = Q_MinI(2 * message->rto_ms, MAX_RTO_MS);
    }
    message->due_ms = now_ms + message->rto_ms;
    peer->next_due_ms = message->due_ms < peer->next_due_ms ? message->due_ms : peer->next_due_ms;
    send_datagram(net, peer, header, message->data, message->size);
}

bool SimPeer_Queue(sim_transport_t *net, sim_peer_t *peer, sim_kind_t kind, uint8_t channel,
                   const void *data, size_t size) {
    sim_message_t *message = malloc(sizeof *message + size);
    if (!message) {
        net->counters.no_memory++;
        return false;
    }
    *message = (sim_message_t){.first_ms = -1,
                               .id = peer->next_id++,
                               .kind = (uint8_t)kind,
                               .channel = channel,
                               .size = (uint32_t)size};
    if (kind == SIM_RELIABLE || kind == SIM_FRAGMENT) {
        message->place = peer->reliable_out[channel]++;
    }
    if (size > 0) {
        memcpy(message->data, data, size);
    }
    if (peer->last) {
        peer->last->next = message;
    } else {
        peer->first = message;
    }
    peer->last = message;
    peer->num_messages += kind != SIM_FRAGMENT;
    peer->queued_bytes += size;
    if (peer->num_flying < SIM_WINDOW) {
        transmit(net, peer, message);
    }
    return true;
}

bool SimPeer_QueueMessage(sim_transport_t *net, sim_peer_t *peer, uint8_t channel, const void *data,
                          size_t size) {
    const uint8_t *bytes = data;
    for (; size > SIM_FRAGMENT_BYTES; size -= SIM_FRAGMENT_BYTES, bytes += SIM_FRAGMENT_BYTES) {
        if (!SimPeer_Queue(net, peer, SIM_FRAGMENT, channel, bytes, SIM_FRAGMENT_BYTES)) {
            return false;
        }
    }
    return SimPeer_Queue(net, peer, SIM_RELIABLE, channel, bytes, size);
}

void SimPeer_SendUnreliable(sim_transport_t *net, sim_peer_t *peer, uint8_t channel,
                            const void *data, size_t size) {
    sim_header_t header = {
        .kind = SIM_UNRELIABLE, .channel = channel, .id = ++peer->unreliable_out[channel]};
    send_datagram(net, peer, header, data, size);
}

void SimPeer_SendConnect(sim_transport_t *net, sim_peer_t *peer) {
    uint8_t bytes[CONNECT_HEADER + WIRE_CONNECT_BYTES] = {0};
    uint8_t *command = bytes + CONNECT_HEADER;
    Wire_WriteU16(bytes, WIRE_CONNECT_HEADER);
    command[0] = WIRE_CONNECT_COMMAND;
    command[1] = NO_CHANNEL;
    Wire_WriteU16(command + WIRE_CONNECT_PEER_AT, (uint32_t)number_of(net, peer));
    Wire_WriteU32(command + WIRE_CONNECT_MTU_AT, 1392);
    Wire_WriteU32(command + WIRE_CONNECT_CHANNELS_AT, NET_NUM_CHANNELS);
    Wire_WriteU32(command + WIRE_CONNECT_ID_AT, peer->connect_id);
    Wire_WriteU32(command + WIRE_CONNECT_DATA_AT, peer->cookie);
    peer->connect_due_ms = net->sim->now_ms + peer->connect_rto_ms;
    peer->connect_rto_ms = Q_MinI(2 * peer->connect_rto_ms, MAX_RTO_MS);
    Sim_Send(net, peer->address, bytes, sizeof bytes);
}

// --- beginning and end -----------------------------------------------------------------------

static void clear_queue(sim_peer_t *peer) {
    for (sim_message_t *at = peer->first, *next; at; at = next) {
        next = at->next;
        free(at);
    }
    peer->first = peer->last = NULL;
    peer->num_messages = peer->num_flying = 0;
    peer->queued_bytes = 0;
}

void SimPeer_Clear(sim_peer_t *peer) {
    clear_queue(peer);
    for (int32_t i = 0; i < NET_NUM_CHANNELS; i++) {
        for (sim_datagram_t *at = peer->waiting[i], *next; at; at = next) {
            next = at->next;
            free(at);
        }
        peer->waiting[i] = NULL;
        free(peer->partial[i]);
        peer->partial[i] = NULL;
    }
    peer->waiting_bytes = 0;
}

static void start(sim_peer_t *peer, sim_state_t state, int64_t now_ms) {
    peer->state = state;
    peer->rtt_ms = FIRST_RTT_MS;
    peer->rtt_spread_ms = FIRST_RTT_MS / 4.0f;
    peer->next_ping_ms = now_ms + SIM_PING_MS;
    peer->heard_ms = now_ms;
    peer->next_due_ms = INT64_MAX;
}

static void push_connected(sim_transport_t *net, sim_peer_t *peer) {
    peer->state = SIM_CONNECTED;
    peer->connected = (sim_event_t){
        .event = {.type = NET_CONNECTED, .peer = number_of(net, peer), .from = peer->address}};
    SimTransport_Push(net, &peer->connected);
}

void SimPeer_End(sim_transport_t *net, sim_peer_t *peer, net_reason_t reason) {
    SimPeer_Clear(peer);
    if (peer->state == SIM_ACCEPTING) {
        peer->state = SIM_FREE; // its owner never received an event of it
        return;
    }
    peer->state = SIM_GONE;
    peer->left = (sim_event_t){.event = {.type = NET_LEFT,
                                         .peer = number_of(net, peer),
                                         .reason = reason,
                                         .from = peer->address}};
    SimTransport_Push(net, &peer->left);
}

void SimPeer_Leave(sim_transport_t *net, sim_peer_t *peer, net_reason_t reason, bool at_once) {
    peer->state = SIM_LEAVING;
    peer->muted = true;
    peer->reason = reason;
    peer->deadline_ms = net->sim->now_ms + NET_GOODBYE_MS;
    if (at_once) {
        clear_queue(peer);
    }
    net->timers_due = true;
}

bool SimPeer_Accept(sim_transport_t *net, const guard_datagram_t *in) {
    const uint8_t *command = in->data + CONNECT_HEADER;
    uint32_t connect_id = Guard_ConnectID(&net->guard, in);
    sim_peer_t *room = NULL;
    for (int32_t i = net->max_peers - 1; i >= 0; i--) {
        sim_peer_t *peer = &net->peers[i];
        if (peer->state == SIM_FREE) {
            room = peer;
        } else if (same_address(peer->address, in->from) && peer->connect_id == connect_id) {
            return true; // the same CONNECT again; the timers resend VERIFY
        }
    }
    if (!room) {
        return false;
    }
    *room = (sim_peer_t){.address = in->from, .connect_id = connect_id};
    room->remote = Wire_ReadU16(command + WIRE_CONNECT_PEER_AT);
    start(room, SIM_ACCEPTING, net->sim->now_ms);
    uint8_t number[2];
    Wire_WriteU16(number, (uint32_t)number_of(net, room));
    if (!SimPeer_Queue(net, room, SIM_VERIFY, NO_CHANNEL, number, sizeof number)) {
        room->state = SIM_FREE;
        return false;
    }
    return true;
}

// --- receiving -------------------------------------------------------------------------------

static void on_ack(sim_transport_t *net, sim_peer_t *peer, uint32_t id, uint32_t stamp) {
    sim_message_t *before = NULL;
    sim_message_t *at = peer->first;
    while (at && at->id != id) {
        before = at;
        at = at->next;
    }
    if (!at || at->first_ms < 0) {
        return; // acknowledged before, or never sent
    }
    float sample = (float)((uint32_t)net->sim->now_ms - stamp);
    if (!peer->has_rtt) {
        peer->has_rtt = true;
        peer->rtt_ms = sample;
        peer->rtt_spread_ms = sample / 2.0f;
    }
    float off = sample - peer->rtt_ms;
    peer->rtt_ms += off / 8.0f;
    peer->rtt_spread_ms += ((off < 0.0f ? -off : off) - peer->rtt_spread_ms) / 4.0f;
    bool goodbye = at->kind == SIM_DISCONNECT;
    if (before) {
        before->next = at->next;
    } else {
        peer->first = at->next;
    }
    if (peer->last == at) {
        peer->last = before;
    }
    peer->num_messages -= at->kind != SIM_FRAGMENT;
    peer->num_flying--;
    peer->queued_bytes -= at->size;
    free(at);
    if (goodbye) {
        SimPeer_End(net, peer, peer->reason);
        return;
    }
    for (at = peer->first; at && peer->num_flying < SIM_WINDOW; at = at->next) {
        if (at->first_ms < 0) {
            transmit(net, peer, at);
        }
    }
}

static void push_message(sim_transport_t *net, sim_peer_t *peer, sim_datagram_t *datagram) {
    datagram->event = (sim_event_t){.datagram = datagram,
                                    .event = {.type = NET_MESSAGE,
                                              .peer = number_of(net, peer),
                                              .channel = datagram->data[9],
                                              .from = peer->address,
                                              .data = datagram->data + SIM_HEADER_BYTES,
                                              .size = datagram->size - SIM_HEADER_BYTES}};
    SimTransport_Push(net, &datagram->event);
}

/// Appends a fragment to its message. Returns NULL if the message is not whole yet, if it exceeds
/// MAX_MESSAGE_BYTES, or if out of memory; then the rest of the message is lost too.
static sim_datagram_t *join_fragments(sim_transport_t *net, sim_peer_t *peer,
                                      sim_datagram_t *fragment) {
    uint8_t channel = fragment->data[9];
    sim_datagram_t *partial = peer->partial[channel];
    bool last = fragment->data[8] == SIM_RELIABLE;
    if (!partial && last) {
        return fragment;
    }
    size_t more = fragment->size - SIM_HEADER_BYTES;
    size_t size = (partial ? partial->size : SIM_HEADER_BYTES) + more;
    sim_datagram_t *joined = NULL;
    if (size <= SIM_HEADER_BYTES + MAX_MESSAGE_BYTES) {
        joined = realloc(partial, sizeof *joined + size);
        net->counters.no_memory += !joined;
    }
    if (!joined) {
        free(partial);
        free(fragment);
        peer->partial[channel] = NULL;
        return NULL;
    }
    if (!partial) {
        *joined = *fragment;
        memcpy(joined->data, fragment->data, SIM_HEADER_BYTES);
    }
    memcpy(joined->data + size - more, fragment->data + SIM_HEADER_BYTES, more);
    joined->size = (uint32_t)size;
    free(fragment);
    peer->partial[channel] = last ? NULL : joined;
    return last ? joined : NULL;
}

static void deliver(sim_transport_t *net, sim_peer_t *peer, sim_datagram_t *datagram) {
    sim_datagram_t *message = join_fragments(net, peer, datagram);
    if (message) {
        push_message(net, peer, message);
    }
}

/// Handles a reliable message: delivers it with all that waited for it, keeps it until its turn, or
/// drops a duplicate. *acknowledge: false if the sender must send it again. Returns true if it was
/// kept.
static bool on_reliable(sim_transport_t *net, sim_peer_t *peer, sim_datagram_t *datagram,
                        bool *acknowledge) {
    uint8_t channel = datagram->data[9];
    uint32_t *expected = &peer->reliable_in[channel];
    datagram->place = Wire_ReadU32(datagram->data + 14);
    *acknowledge = true;
    if ((int32_t)(datagram->place - *expected) < 0) {
        return false;
    }
    if (datagram->place != *expected) {
        sim_datagram_t **at = &peer->waiting[channel];
        while (*at && (int32_t)((*at)->place - datagram->place) < 0) {
            at = &(*at)->next;
        }
        if (*at && (*at)->place == datagram->place) {
            return false;
        }
        if (peer->waiting_bytes + datagram->size > SIM_WAITING_BYTES) {
            *acknowledge = false; // the sender sends it again, when there may be room
            return false;
        }
        datagram->next = *at;
        *at = datagram;
        peer->waiting_bytes += datagram->size;
        return true;
    }
    deliver(net, peer, datagram);
    ++*expected;
    while (peer->waiting[channel] && peer->waiting[channel]->place == *expected) {
        sim_datagram_t *next = peer->waiting[channel];
        peer->waiting[channel] = next->next;
        peer->waiting_bytes -= next->size;
        deliver(net, peer, next);
        ++*expected;
    }
    return true;
}

static void send_ack(sim_transport_t *net, const sim_peer_t *peer, const uint8_t *data) {
    sim_header_t header = {.kind = SIM_ACK,
                           .channel = NO_CHANNEL,
                           .id = Wire_ReadU32(data + 10),
                           .stamp = Wire_ReadU32(data + 18)};
    send_datagram(net, peer, header, NULL, 0);
}

static void on_verify(sim_transport_t *net, sim_peer_t *peer, const sim_datagram_t *datagram) {
    if (peer->state == SIM_CONNECTING && datagram->size == SIM_HEADER_BYTES + 2) {
        peer->remote = Wire_ReadU16(datagram->data + SIM_HEADER_BYTES) & WIRE_PEER_MASK;
        start(peer, SIM_CONNECTED, net->sim->now_ms);
        push_connected(net, peer);
    }
    if (peer->state == SIM_CONNECTED || peer->state == SIM_LEAVING) {
        send_ack(net, peer, datagram->data);
    }
}

static void on_disconnect(sim_transport_t *net, sim_peer_t *peer, const sim_datagram_t *datagram) {
    send_ack(net, peer, datagram->data);
    uint32_t given = datagram->size == SIM_HEADER_BYTES + 2
                         ? Wire_ReadU16(datagram->data + SIM_HEADER_BYTES)
                         : 0;
    net_reason_t reason = given < NET_REASON_COUNT ? (net_reason_t)given : NET_REASON_NONE;
    SimPeer_End(net, peer, peer->state == SIM_LEAVING ? peer->reason : reason);
}

/// Returns true if the datagram was kept.
static bool on_message(sim_transport_t *net, sim_peer_t *peer, sim_datagram_t *datagram) {
    uint8_t channel = datagram->data[9];
    bool reliable = datagram->data[8] != SIM_UNRELIABLE;
    if (channel >= NET_NUM_CHANNELS || datagram->size > SIM_MAX_BYTES) {
        return false;
    }
    if (reliable) {
        // Write the acknowledgement first: the bytes may be given away below.
        uint8_t header[SIM_HEADER_BYTES];
        memcpy(header, datagram->data, sizeof header);
        bool acknowledge = false;
        bool kept = on_reliable(net, peer, datagram, &acknowledge);
        if (acknowledge) {
            send_ack(net, peer, header);
        }
        return kept;
    }
    uint32_t place = Wire_ReadU32(datagram->data + 10);
    if ((int32_t)(place - peer->unreliable_in[channel]) <= 0) {
        return false; // older than one already delivered
    }
    peer->unreliable_in[channel] = place;
    push_message(net, peer, datagram);
    return true;
}

bool SimPeer_Receive(sim_transport_t *net, sim_datagram_t *datagram) {
    if (datagram->size < SIM_HEADER_BYTES) {
        return false;
    }
    const uint8_t *data = datagram->data;
    sim_peer_t *peer = &net->peers[Wire_ReadU16(data) & WIRE_PEER_MASK];
    if (peer->state == SIM_FREE || peer->state == SIM_GONE || peer->state == SIM_ASKING ||
        !same_address(peer->address, datagram->from) ||
        peer->connect_id != Wire_ReadU32(data + 4)) {
        return false;
    }
    peer->heard_ms = net->sim->now_ms;
    if (data[8] == SIM_VERIFY) {
        on_verify(net, peer, datagram);
        return false;
    }
    if (peer->state == SIM_CONNECTING) {
        return false;
    }
    if (peer->state == SIM_ACCEPTING) {
        push_connected(net, peer); // the client knows its number, so VERIFY has arrived
    }
    switch (data[8]) {
    case SIM_RELIABLE:
    case SIM_FRAGMENT:
    case SIM_UNRELIABLE:
        return on_message(net, peer, datagram);
    case SIM_ACK:
        on_ack(net, peer, Wire_ReadU32(data + 10), Wire_ReadU32(data + 18));
        return false;
    case SIM_PING:
        send_ack(net, peer, data);
        return false;
    case SIM_DISCONNECT:
        on_disconnect(net, peer, datagram);
        return false;
    default:
        return false;
    }
}

// --- time ------------------------------------------------------------------------------------

static void advance_handshake(sim_transport_t *net, sim_peer_t *peer) {
    uint8_t request[GUARD_REQUEST_BYTES];
    switch (Handshake_Advance(&peer->handshake, net->sim->now_ms)) {
    case HANDSHAKE_WAIT:
        if (peer->state == SIM_CONNECTING && net->sim->now_ms >= peer->connect_due_ms) {
            SimPeer_SendConnect(net, peer);
        }
        return;
    case HANDSHAKE_ASK:
        peer->state = SIM_ASKING;
        Handshake_WriteRequest(&peer->handshake, request);
        Sim_Send(net, peer->address, request, sizeof request);
        return;
    case HANDSHAKE_FAILED:
        SimPeer_End(net, peer, NET_REASON_NONE);
        return;
    }
}

/// Sends the goodbye after everything before it was acknowledged. Returns true when the wait is
/// over.
static bool advance_leaving(sim_transport_t *net, sim_peer_t *peer) {
    uint8_t reason[2];
    Wire_WriteU16(reason, (uint32_t)peer->reason);
    if (net->sim->now_ms >= peer->deadline_ms) {
        sim_header_t header = {.kind = SIM_DISCONNECT, .channel = NO_CHANNEL};
        send_datagram(net, peer, header, reason, sizeof reason);
        SimPeer_End(net, peer, peer->reason);
        return true;
    }
    if (!peer->first && !peer->goodbye_sent) {
        peer->goodbye_sent =
            SimPeer_Queue(net, peer, SIM_DISCONNECT, NO_CHANNEL, reason, sizeof reason);
    }
    return false;
}

/// Resends what is due. Returns true if the peer did not answer for too long.
static bool resend(sim_transport_t *net, sim_peer_t *peer) {
    int64_t now_ms = net->sim->now_ms;
    if (now_ms < peer->next_due_ms) {
        return false;
    }
    peer->next_due_ms = INT64_MAX;
    for (sim_message_t *at = peer->first; at; at = at->next) {
        if (at->first_ms < 0) {
            continue;
        }
        if (now_ms - at->first_ms >= NET_BUSY_MS) {
            return true;
        }
        if (now_ms >= at->due_ms) {
            transmit(net, peer, at);
        } else if (at->due_ms < peer->next_due_ms) {
            peer->next_due_ms = at->due_ms;
        }
    }
    return false;
}

static int64_t silence_limit(const sim_transport_t *net, const sim_peer_t *peer) {
    int32_t of_peer = peer->silence_ms > 0 ? peer->silence_ms : NET_TIMEOUT_MS;
    return net->guard.is_server ? of_peer : NET_BUSY_MS;
}

void SimPeer_RunTimers(sim_transport_t *net, sim_peer_t *peer) {
    if (peer->state == SIM_ASKING || peer->state == SIM_CONNECTING) {
        advance_handshake(net, peer);
        return;
    }
    if (peer->state == SIM_LEAVING && advance_leaving(net, peer)) {
        return;
    }
    if (net->sim->now_ms - peer->heard_ms >= silence_limit(net, peer)) {
        net->counters.timeouts++;
        SimPeer_End(net, peer, peer->state == SIM_LEAVING ? peer->reason : NET_REASON_TIMEOUT);
        return;
    }
    if (resend(net, peer)) {
        SimPeer_End(net, peer, peer->state == SIM_LEAVING ? peer->reason : NET_REASON_NONE);
        return;
    }
    if (peer->state == SIM_CONNECTED && !peer->first && net->sim->now_ms >= peer->next_ping_ms) {
        peer->next_ping_ms = net->sim->now_ms + SIM_PING_MS;
        SimPeer_Queue(net, peer, SIM_PING, NO_CHANNEL, NULL, 0);
    }
}
