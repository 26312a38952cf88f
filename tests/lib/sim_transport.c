#include "base/assert.h"
#include "base/hash.h"
#include "lib/sim_local.h"
#include "net/wire.h"

#include <stdlib.h>
#include <string.h>

static sim_transport_t *from_base(transport_t *base) {
    return (sim_transport_t *)base;
}

static sim_peer_t *peer_of(sim_transport_t *net, int32_t peer) {
    return peer >= 0 && peer < net->max_peers ? &net->peers[peer] : NULL;
}

void SimTransport_Push(sim_transport_t *net, sim_event_t *event) {
    event->next = NULL;
    if (net->events_last) {
        net->events_last->next = event;
    } else {
        net->events_first = event;
    }
    net->events_last = event;
}

// --- arriving --------------------------------------------------------------------------------

/// Returns true if an out-of-band datagram belongs to a client's handshake, current or old.
static bool take_answer(sim_transport_t *net, const guard_datagram_t *in) {
    if (!Handshake_IsAnswer(in)) {
        return false;
    }
    for (int32_t i = 0; i < net->max_peers; i++) {
        sim_peer_t *peer = &net->peers[i];
        net_reason_t reason = NET_REASON_NONE;
        handshake_cookie_t reply;
        if (peer->state == SIM_ASKING && Handshake_TakeCookie(&peer->handshake, in, &reply)) {
            peer->cookie = reply.cookie;
            peer->connect_id = reply.connect_id;
            peer->state = SIM_CONNECTING;
            peer->connect_rto_ms = SIM_PING_MS;
            SimPeer_SendConnect(net, peer);
            return true;
        }
        if (peer->state == SIM_CONNECTING &&
            Handshake_TakeRefusal(&peer->handshake, in, peer->connect_id, &reason)) {
            SimPeer_End(net, peer, reason);
            return true;
        }
    }
    return true;
}

static void push_oob(sim_transport_t *net, sim_datagram_t *datagram) {
    datagram->event = (sim_event_t){.datagram = datagram,
                                    .event = {.type = NET_OOB,
                                              .peer = -1,
                                              .from = datagram->from,
                                              .data = datagram->data,
                                              .size = datagram->size}};
    SimTransport_Push(net, &datagram->event);
}

/// Returns true if the datagram was kept.
static bool handle(sim_transport_t *net, sim_datagram_t *datagram) {
    guard_datagram_t in = {.data = datagram->data,
                           .size = datagram->size,
                           .from = datagram->from,
                           .now_ms = net->sim->now_ms};
    guard_verdict_t verdict;
    Guard_Check(&net->guard, &net->buckets, &in, &verdict);
    switch (verdict.action) {
    case GUARD_PASS:
        return SimPeer_Receive(net, datagram);
    case GUARD_CONNECT:
        if (!SimPeer_Accept(net, &in)) {
            net->counters.guard_dropped++;
            verdict.reply_size = Guard_Refuse(&net->guard, &in, NET_REASON_FULL, verdict.reply);
            Sim_Send(net, in.from, verdict.reply, verdict.reply_size);
        }
        return false;
    case GUARD_REPLY:
        net->counters.guard_replied++;
        Sim_Send(net, in.from, verdict.reply, verdict.reply_size);
        return false;
    case GUARD_OOB:
        if (!net->guard.is_server && take_answer(net, &in)) {
            return false;
        }
        push_oob(net, datagram);
        return true;
    case GUARD_SEALED: // not with this guard
    case GUARD_DROP:
        net->counters.guard_dropped++;
        return false;
    }
    return false;
}

static void read_inbox(sim_transport_t *net) {
    sim_datagram_t *datagram = net->inbox_first;
    net->inbox_first = datagram->next;
    if (!net->inbox_first) {
        net->inbox_last = NULL;
    }
    net->num_inbox--;
    net->num_read++;
    net->counters.packets_in++;
    net->counters.bytes_in += datagram->size;
    if (!handle(net, datagram)) {
        free(datagram);
    }
}

// --- the methods -----------------------------------------------------------------------------

/// Takes the next event that still has a receiver.
static bool take_event(sim_transport_t *net, net_event_t *out) {
    while (net->events_first) {
        sim_event_t *event = net->events_first;
        net->events_first = event->next;
        if (!net->events_first) {
            net->events_last = NULL;
        }
        net->held = event->datagram;
        *out = event->event;
        sim_peer_t *peer = peer_of(net, out->peer);
        if (out->type == NET_LEFT) {
            peer->state = SIM_FREE;
            return true;
        }
        // A dropped peer's messages are discarded.
        if (!peer || !peer->muted) {
            return true;
        }
        free(net->held);
        net->held = NULL;
    }
    return false;
}

static void run_timers(sim_transport_t *net) {
    if (net->timers_ms == net->sim->now_ms && !net->timers_due) {
        return;
    }
    net->num_read = net->timers_ms == net->sim->now_ms ? net->num_read : 0;
    net->timers_ms = net->sim->now_ms;
    net->timers_due = false;
    for (int32_t i = 0; i < net->max_peers; i++) {
        if (net->peers[i].state != SIM_FREE && net->peers[i].state != SIM_GONE) {
            SimPeer_RunTimers(net, &net->peers[i]);
        }
    }
}

static void transport_poll(transport_t *base, int64_t now_ms, net_event_t *event) {
    (void)now_ms; // virtual time is set by SimNet_Advance
    sim_transport_t *net = from_base(base);
    free(net->held);
    net->held = NULL;
    run_timers(net);
    *event = (net_event_t){.type = NET_NONE, .peer = -1};
    while (!take_event(net, event)) {
        if (!net->inbox_first || net->num_read >= NET_DRAIN_LIMIT) {
            *event = (net_event_t){.type = NET_NONE, .peer = -1};
            return;
        }
        read_inbox(net);
    }
}

static bool transport_send(transport_t *base, int32_t number, uint8_t channel, bool reliable,
                           const void *data, size_t size) {
    sim_transport_t *net = from_base(base);
    sim_peer_t *peer = peer_of(net, number);
    size_t longest = net->guard.is_server ? MAX_MESSAGE_BYTES : MAX_REQUEST_BYTES;
    size_t limit = reliable ? longest : MAX_PACKET_BYTES;
    bool ok = peer && peer->state == SIM_CONNECTED && channel < NET_NUM_CHANNELS && size <= limit;
    if (ok && reliable) {
        if (peer->queued_bytes + size > NET_MAX_QUEUED_BYTES ||
            peer->num_messages >= NET_MAX_QUEUED_MESSAGES) {
            SimPeer_Leave(net, peer, NET_REASON_OVERFLOW, true);
            ok = false;
        } else {
            ok = SimPeer_QueueMessage(net, peer, channel, data, size);
        }
    } else if (ok) {
        SimPeer_SendUnreliable(net, peer, channel, data, size);
    }
    net->counters.send_failed += !ok;
    return ok;
}

static bool transport_send_oob(transport_t *base, netaddr_t to, const void *data, size_t size) {
    sim_transport_t *net = from_base(base);
    if (size <= WIRE_OOB_BYTES || size > GUARD_MAX_OOB || Wire_ReadU32(data) != 0xffffffffu) {
        net->counters.send_failed++;
        return false;
    }
    Sim_Send(net, to, data, size);
    return true;
}

static void transport_drop(transport_t *base, int32_t number, net_reason_t reason) {
    sim_transport_t *net = from_base(base);
    sim_peer_t *peer = peer_of(net, number);
    if (peer && peer->state == SIM_CONNECTED) {
        bool at_once = !net->guard.is_server && reason == NET_REASON_TIMEOUT;
        SimPeer_Leave(net, peer, reason, at_once);
        peer->deadline_ms = at_once ? net->sim->now_ms : peer->deadline_ms;
    } else if (peer && (peer->state == SIM_ASKING || peer->state == SIM_CONNECTING)) {
        SimPeer_End(net, peer, reason);
    }
}

static void transport_flush(transport_t *base) {
    (void)base; // everything was sent at once
}

static int32_t transport_connect(transport_t *base, netaddr_t to, err_t *err) {
    sim_transport_t *net = from_base(base);
    if (to.host == 0 || to.port == 0) {
        Err_Set(err, "connect: expected an address and a port");
        return -1;
    }
    for (int32_t i = 0; i < net->max_peers; i++) {
        sim_peer_t *peer = &net->peers[i];
        if (peer->state == SIM_FREE) {
            *peer = (sim_peer_t){.state = SIM_ASKING, .address = to};
            // As in enet_transport.c, but for all sockets: one may have the address of another.
            Handshake_Start(&peer->handshake, to,
                            ((uint32_t)Rng_Next(&net->rng) & ~GUARD_ID_FREE_BITS) |
                                (net->sim->num_connects++ & GUARD_ID_FREE_BITS));
            net->timers_due = true;
            return i;
        }
    }
    Err_Set(err, "connect: all %d connections of this client are in use", net->max_peers);
    return -1;
}

static netaddr_t transport_address(transport_t *base, int32_t number) {
    const sim_peer_t *peer = peer_of(from_base(base), number);
    return peer && peer->state != SIM_FREE ? peer->address : (netaddr_t){0};
}

static int32_t transport_rtt_ms(transport_t *base, int32_t number) {
    const sim_peer_t *peer = peer_of(from_base(base), number);
    return peer && peer->state != SIM_FREE ? Q_ToInt(peer->rtt_ms, 0, 1000000) : 0;
}

static int64_t transport_silence_ms(transport_t *base, int32_t number) {
    const sim_peer_t *peer = peer_of(from_base(base), number);
    return peer && peer->state == SIM_CONNECTED ? from_base(base)->sim->now_ms - peer->heard_ms : 0;
}

static void transport_set_seal(transport_t *base, net_seal_t seal, const uint8_t *server_key) {
    (void)seal; // SimNet_SetSeal decides
    from_base(base)->expects_no_key = server_key == NULL;
}

static bool transport_is_sealed(transport_t *base, int32_t number) {
    (void)number;
    return from_base(base)->sim->is_sealed;
}

static const uint8_t *transport_server_key(transport_t *base) {
    const sim_transport_t *net = from_base(base);
    bool is_known = net->guard.is_server || (net->sim->is_sealed && !net->expects_no_key);
    return is_known ? net->sim->server_key : NULL;
}

static int64_t transport_half_open_ms(transport_t *base, int32_t number, netaddr_t *from) {
    const sim_peer_t *peer = peer_of(from_base(base), number);
    if (!peer || peer->state != SIM_ACCEPTING) {
        return -1;
    }
    *from = peer->address;
    return from_base(base)->sim->now_ms - peer->heard_ms;
}

static void transport_admit(transport_t *base, int32_t number, int32_t silence_ms) {
    sim_peer_t *peer = peer_of(from_base(base), number);
    if (peer) {
        peer->silence_ms = silence_ms; // this network has no limit of waiting peers
    }
}

static int transport_descriptor(transport_t *base) {
    (void)base;
    return -1;
}

static const char *transport_drops(transport_t *base, int32_t i, uint64_t *count) {
    (void)base;
    (void)i;
    *count = 0;
    return NULL; // the simulated network has no filter
}

static net_counters_t transport_counters(transport_t *base) {
    return from_base(base)->counters;
}

static void transport_traffic(transport_t *base, cl_traffic_t *traffic) {
    *traffic = Net_Traffic(&from_base(base)->counters);
}

static void transport_destroy(transport_t *base) {
    sim_transport_t *net = from_base(base);
    if (net) {
        Sim_Remove(net->sim, net);
        SimTransport_Free(net);
    }
}

void SimTransport_Free(sim_transport_t *net) {
    for (sim_datagram_t *at = net->inbox_first, *next; at; at = next) {
        next = at->next;
        free(at);
    }
    // An event is inside its datagram or its peer, so advance before freeing.
    for (sim_event_t *at = net->events_first, *next; at; at = next) {
        next = at->next;
        free(at->datagram);
    }
    for (int32_t i = 0; i < net->max_peers; i++) {
        SimPeer_Clear(&net->peers[i]);
    }
    free(net->held);
    free(net);
}

static const transport_more_t more_functions = {
    .send_oob = transport_send_oob,
    .address = transport_address,
    .half_open_ms = transport_half_open_ms,
    .admit = transport_admit,
    .counters = transport_counters,
    .drops = transport_drops,
};

transport_t *SimNet_Transport(sim_net_t *sim, netaddr_t address, int32_t max_peers,
                              bool is_server) {
    ASSERT(max_peers >= 1 && max_peers < (int32_t)WIRE_PEER_NONE);
    sim_transport_t *net = calloc(1, sizeof *net + (size_t)max_peers * sizeof net->peers[0]);
    if (!net) {
        return NULL;
    }
    net->base = (transport_t){
        .poll = transport_poll,
        .send = transport_send,
        .drop = transport_drop,
        .flush = transport_flush,
        .connect = transport_connect,
        .rtt_ms = transport_rtt_ms,
        .silence_ms = transport_silence_ms,
        .set_seal = transport_set_seal,
        .is_sealed = transport_is_sealed,
        .server_key = transport_server_key,
        .descriptor = transport_descriptor,
        .traffic = transport_traffic,
        .destroy = transport_destroy,
        .more = &more_functions,
    };
    net->sim = sim;
    net->address = address;
    net->max_peers = max_peers;
    net->timers_ms = sim->now_ms - 1;
    net->guard = (guard_t){.max_peers = max_peers, .is_server = is_server, .has_checksum = true};
    uint64_t key = (uint64_t)address.host << 16 | address.port;
    net->rng.state = Hash_Bytes(&key, sizeof key, sim->seed);
    for (size_t i = 0; i < sizeof net->guard.key; i++) {
        net->guard.key[i] = (uint8_t)Rng_Next(&net->rng);
    }
    if (!Sim_Add(sim, net)) {
        free(net);
        return NULL;
    }
    return &net->base;
}
