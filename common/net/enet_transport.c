#include "net/enet_transport.h"

#include "base/assert.h"
#include "base/limits.h"
#include "net/admission.h"
#include "net/enet_memory.h"

#include <stdlib.h>
#include <string.h>

static enet_transport_t *from_base(transport_t *base) {
    return (enet_transport_t *)base;
}

static enet_slot_t *slot_of(enet_transport_t *net, int32_t peer) {
    return peer >= 0 && peer < net->max_peers ? &net->slots[peer] : NULL;
}

void EnetSlot_SetState(enet_transport_t *net, enet_slot_t *slot, slot_state_t state) {
    slot_state_t states[2] = {slot->state, state};
    for (int32_t i = 0; i < 2; i++) {
        int32_t by = i == 0 ? -1 : 1;
        bool timed =
            states[i] == SLOT_ASKING || states[i] == SLOT_CONNECTING || states[i] == SLOT_LEAVING;
        net->num_gone += states[i] == SLOT_GONE ? by : 0;
        net->num_timed += timed ? by : 0;
    }
    if (state != SLOT_CONNECTED && slot->bundled > 0) {
        slot->bundled = 0;
        net->num_bundled--;
    }
    slot->state = state;
}

enet_slot_t *EnetSlot_OfPeer(const ENetPeer *peer) {
    enet_slot_t *slot = peer->data;
    return slot && slot->peer == peer ? slot : NULL;
}

void EnetSlot_Drop(enet_transport_t *net, ENetPeer *peer, net_reason_t reason) {
    enet_slot_t *slot = EnetSlot_OfPeer(peer);
    enet_peer_disconnect_now(peer, (enet_uint32)reason);
    if (slot) {
        EnetSlot_Gone(net, slot, slot->state == SLOT_LEAVING ? slot->reason : reason);
    }
}

void EnetSlot_Gone(enet_transport_t *net, enet_slot_t *slot, net_reason_t reason) {
    slot->peer = NULL;
    slot->reason = reason;
    EnetSlot_SetState(net, slot, SLOT_GONE);
}

static bool queue_is_full(const enet_slot_t *slot, size_t size) {
    return slot->queued_bytes + size > NET_MAX_QUEUED_BYTES ||
           slot->queued_messages >= NET_MAX_QUEUED_MESSAGES;
}

/// Starts the goodbye of a slot.
static void leave(enet_transport_t *net, enet_slot_t *slot, net_reason_t reason) {
    slot->reason = reason;
    slot->deadline_ms = net->now_ms + NET_GOODBYE_MS;
    slot->since_ms = net->now_ms;
    slot->is_admitted = false;
    EnetSlot_SetState(net, slot, SLOT_LEAVING);
}

void EnetSlot_Disconnect(enet_transport_t *net, enet_slot_t *slot, net_reason_t reason) {
    leave(net, slot, reason);
    enet_peer_disconnect(slot->peer, (enet_uint32)reason);
    net->has_queued = true;
}

static bool transport_send(transport_t *base, int32_t peer, uint8_t channel, bool reliable,
                           const void *data, size_t size) {
    enet_transport_t *net = from_base(base);
    enet_slot_t *slot = slot_of(net, peer);
    size_t longest = net->guard.is_server ? MAX_MESSAGE_BYTES : MAX_REQUEST_BYTES;
    size_t limit = reliable ? longest : MAX_PACKET_BYTES;
    if (!slot || slot->state != SLOT_CONNECTED || channel >= NET_NUM_CHANNELS || size > limit) {
        net->counters.send_failed++;
        return false;
    }
    if (reliable && queue_is_full(slot, size)) {
        net->counters.send_failed++;
        EnetSlot_Disconnect(net, slot, NET_REASON_OVERFLOW);
        return false;
    }
    if (net->guard.is_server && reliable && channel == NET_CHANNEL_CONTROL) {
        return EnetBundle_Add(net, slot, data, size);
    }
    (void)EnetBundle_Flush(net, slot); // what was sent first arrives first
    if (!reliable && EnetDirect_Send(net, slot, channel, data, size)) {
        return true;
    }
    return EnetBundle_Packet(
        net, slot, channel,
        enet_packet_create(data, size, reliable ? ENET_PACKET_FLAG_RELIABLE : 0));
}

static bool transport_send_oob(transport_t *base, netaddr_t to, const void *data, size_t size) {
    enet_transport_t *net = from_base(base);
    static const uint8_t marker[4] = {0xff, 0xff, 0xff, 0xff};
    if (size <= sizeof marker || size > GUARD_MAX_OOB || memcmp(data, marker, sizeof marker) != 0) {
        net->counters.send_failed++;
        return false;
    }
    return EnetSocket_Send(net, to, data, size);
}

static void transport_drop(transport_t *base, int32_t peer, net_reason_t reason) {
    enet_transport_t *net = from_base(base);
    enet_slot_t *slot = slot_of(net, peer);
    if (!slot) {
        return;
    }
    if (slot->state == SLOT_CONNECTED && !net->guard.is_server && reason == NET_REASON_TIMEOUT) {
        enet_transport_t *outer = EnetSeam_Enter(net);
        EnetSlot_Drop(net, slot->peer, reason); // a silent server answers no goodbye
        EnetSeam_Leave(outer);
    } else if (slot->state == SLOT_CONNECTED) {
        (void)EnetBundle_Flush(net, slot);
        leave(net, slot, reason);
        enet_peer_disconnect_later(slot->peer, (enet_uint32)reason);
        net->has_queued = true;
    } else if (slot->state == SLOT_ASKING || slot->state == SLOT_CONNECTING) {
        if (slot->peer) {
            enet_peer_reset(slot->peer);
        }
        EnetSlot_Gone(net, slot, reason);
    }
}

void EnetTransport_SendQueued(enet_transport_t *net) {
    EnetBundle_FlushAll(net);
    if (net->has_queued) {
        net->has_queued = false;
        enet_host_flush(net->host);
    }
    EnetSocket_Flush(net);
}

static void transport_flush(transport_t *base) {
    enet_transport_t *net = from_base(base);
    enet_transport_t *outer = EnetSeam_Enter(net);
    EnetSeam_AdvanceClock(net);
    EnetTransport_SendQueued(net);
    EnetSeam_Leave(outer);
}

static int32_t transport_connect(transport_t *base, netaddr_t to, err_t *err) {
    enet_transport_t *net = from_base(base);
    if (to.host == 0 || to.port == 0) {
        Err_Set(err, "connect: expected an address and a port, found %u.%u.%u.%u:%u", to.host >> 24,
                to.host >> 16 & 255u, to.host >> 8 & 255u, to.host & 255u, (unsigned)to.port);
        return -1;
    }
    for (int32_t i = 0; i < net->max_peers; i++) {
        enet_slot_t *slot = &net->slots[i];
        if (slot->state == SLOT_FREE) {
            *slot = (enet_slot_t){.state = SLOT_FREE, .address = to};
            // The free bits of the connectID differ between the connections of this socket.
            Handshake_Start(&slot->handshake, to,
                            (arc4random() & ~GUARD_ID_FREE_BITS) |
                                (net->num_connects++ & GUARD_ID_FREE_BITS));
            EnetSlot_SetState(net, slot, SLOT_ASKING);
            net->timers_due = true;
            return i;
        }
    }
    Err_Set(err, "connect: all %d connections of this client are in use", net->max_peers);
    return -1;
}

static void transport_set_seal(transport_t *base, net_seal_t seal, const uint8_t *server_key) {
    enet_transport_t *net = from_base(base);
    ASSERT(!net->guard.is_server);
    net->has_server_key = server_key != NULL;
    net->seal_mode = server_key ? NET_SEAL_REQUIRED : seal;
    if (server_key) {
        memcpy(net->server_key, server_key, sizeof net->server_key);
    }
}

static netaddr_t transport_address(transport_t *base, int32_t peer) {
    const enet_slot_t *slot = slot_of(from_base(base), peer);
    return slot && slot->state != SLOT_FREE ? slot->address : (netaddr_t){0};
}

static int32_t transport_rtt_ms(transport_t *base, int32_t peer) {
    enet_transport_t *net = from_base(base);
    const enet_slot_t *slot = slot_of(net, peer);
    if (!slot || !slot->peer) {
        return 0;
    }
    const int32_t rtt_ms = net->is_real_time ? EnetGate_RttMs(net, slot->peer) : 0;
    return rtt_ms > 0 ? rtt_ms : (int32_t)slot->peer->roundTripTime;
}

static int64_t transport_silence_ms(transport_t *base, int32_t peer) {
    enet_slot_t *slot = slot_of(from_base(base), peer);
    return slot && slot->state == SLOT_CONNECTED ? Admission_SilenceMs(from_base(base), slot) : 0;
}

static bool transport_is_sealed(transport_t *base, int32_t peer) {
    const enet_slot_t *slot = slot_of(from_base(base), peer);
    return slot && slot->peer && EnetSeal_IsOn(from_base(base), slot->peer);
}

static const uint8_t *transport_server_key(transport_t *base) {
    const enet_transport_t *net = from_base(base);
    return net->keys || net->has_server_key ? net->server_key : NULL;
}

static int64_t transport_half_open_ms(transport_t *base, int32_t peer, netaddr_t *from) {
    return slot_of(from_base(base), peer) ? Admission_HalfOpenMs(from_base(base), peer, from) : -1;
}

static void transport_admit(transport_t *base, int32_t peer, int32_t silence_ms) {
    enet_slot_t *slot = slot_of(from_base(base), peer);
    if (slot && slot->state == SLOT_CONNECTED) {
        slot->is_admitted = true;
        slot->silence_ms = silence_ms;
    }
}

static int transport_descriptor(transport_t *base) {
    return from_base(base)->host->socket;
}

static net_counters_t transport_counters(transport_t *base) {
    enet_transport_t *net = from_base(base);
    net_counters_t out = net->counters;
    out.kernel_dropped = EnetSocket_KernelDrops(net);
    out.no_memory = EnetMemory_Failures();
    out.memory = EnetMemory_Used();
    out.cookies_refused = net->dropped[GUARD_COOKIE_RATE];
    out.guesses_refused = net->dropped[GUARD_GUESS_RATE];
    return out;
}

static void transport_traffic(transport_t *base, cl_traffic_t *traffic) {
    *traffic = Net_Traffic(&from_base(base)->counters);
}

static const char *transport_drops(transport_t *base, int32_t i, uint64_t *count) {
    const enet_transport_t *net = from_base(base);
    *count = 0;
    if (i < 0) {
        return NULL;
    }
    if (i < GUARD_WHY_COUNT) {
        *count = net->dropped[i];
        return Guard_WhyText((guard_why_t)i);
    }
    i -= GUARD_WHY_COUNT;
    if (i < FILTER_WHY_COUNT) {
        *count = net->filtered[i];
        return Filter_WhyText((filter_why_t)i);
    }
    i -= FILTER_WHY_COUNT;
    *count = i < SEAL_WHY_COUNT ? net->unsealed[i] : 0;
    return i < SEAL_WHY_COUNT ? Seal_WhyText((seal_why_t)i) : NULL;
}

static void transport_destroy(transport_t *base) {
    enet_transport_t *net = from_base(base);
    if (!net) {
        return;
    }
    if (net->held) {
        enet_packet_destroy(net->held);
    }
    if (net->later.type != ENET_EVENT_TYPE_NONE) {
        enet_packet_destroy(net->later.packet);
    }
    if (net->host) {
        enet_host_destroy(net->host); // uses the slots (on_packet_free)
    }
    EnetGate_Close(net);
    EnetSeal_Close(net);
    EnetImpair_Close(net);
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

static void set_methods(transport_t *base) {
    *base = (transport_t){
        .poll = EnetTransport_Poll,
        .send = transport_send,
        .drop = transport_drop,
        .flush = transport_flush,
        .connect = transport_connect,
        .set_seal = transport_set_seal,
        .rtt_ms = transport_rtt_ms,
        .silence_ms = transport_silence_ms,
        .is_sealed = transport_is_sealed,
        .server_key = transport_server_key,
        .descriptor = transport_descriptor,
        .traffic = transport_traffic,
        .destroy = transport_destroy,
        .more = &more_functions,
    };
}

static void configure_host(enet_transport_t *net, const enet_transport_config_t *config) {
    ENetHost *host = net->host;
    host->checksum = config->without_checksum ? NULL : EnetSeam_Checksum;
    host->maximumPacketSize = NET_LENGTH_BYTES + MAX_MESSAGE_BYTES;
    host->maximumWaitingData =
        config->is_server ? ENET_SERVER_WAITING_BYTES : ENET_CLIENT_WAITING_BYTES;
    host->mtu = ENET_MAX_MTU;
    for (size_t i = 0; i < host->peerCount; i++) {
        host->peers[i].mtu = ENET_MAX_MTU; // requested by a client's CONNECT
    }
}

transport_t *EnetTransport_Create(const enet_transport_config_t *config, err_t *err) {
    if (config->max_peers < 1 || config->max_peers > (int32_t)ENET_PROTOCOL_MAXIMUM_PEER_ID) {
        Err_Set(err, "network: expected 1..%d connections, found %d",
                (int)ENET_PROTOCOL_MAXIMUM_PEER_ID, config->max_peers);
        return NULL;
    }
    if (!EnetMemory_Init(err)) {
        return NULL;
    }
    size_t num_peers = (size_t)config->max_peers;
    enet_transport_t *net = calloc(1, sizeof *net + num_peers * sizeof net->slots[0]);
    if (!net) {
        Err_Set(err, "network: out of memory for %d connections", config->max_peers);
        return NULL;
    }
    set_methods(&net->base);
    net->log = config->log;
    net->num_failures = EnetMemory_Failures();
    net->max_peers = config->max_peers;
    net->max_peers_per_address = config->max_peers_per_address;
    net->exempt = config->exempt;
    net->max_waiting = config->max_waiting;
    net->is_late = config->is_late;
    net->late_context = config->late_context;
    net->allows = config->allows;
    net->allow_context = config->allow_context;
    net->guard = (guard_t){.max_peers = config->max_peers,
                           .is_server = config->is_server,
                           .has_checksum = !config->without_checksum};
    EnetSeam_SetClock(net);
    EnetSum_Init(net);
    arc4random_buf(net->guard.key, sizeof net->guard.key);
    net->num_connects = arc4random();
    net->host = enet_host_create(NULL, num_peers, NET_NUM_CHANNELS, 0, 0);
    if (!net->host) {
        Err_Set(err, "network: ENet cannot create a host for %d connections", config->max_peers);
        transport_destroy(&net->base);
        return NULL;
    }
    if (!EnetGate_Open(net)) {
        Err_Set(err, "network: out of memory for %d connections", config->max_peers);
        transport_destroy(&net->base);
        return NULL;
    }
    configure_host(net, config);
    if (!EnetSeal_Open(net, config, err) || !EnetSocket_Open(net, config, err) ||
        (config->impair && !EnetImpair_Open(net, config, err))) {
        transport_destroy(&net->base);
        return NULL;
    }
    return &net->base;
}

impair_counters_t EnetTransport_Impaired(const transport_t *base, bool sent) {
    const enet_transport_t *net = (const enet_transport_t *)base;
    const impair_t *impair = sent ? net->impair_out : net->impair_in;
    return impair ? Impair_Counters(impair) : (impair_counters_t){0};
}

uint16_t EnetTransport_Port(const transport_t *base) {
    return ((const enet_transport_t *)base)->host->address.port;
}

int32_t EnetTransport_SlotsUsed(const transport_t *base) {
    const ENetHost *host = ((const enet_transport_t *)base)->host;
    int32_t used = 0;
    for (size_t i = 0; i < host->peerCount; i++) {
        used += host->peers[i].state != ENET_PEER_STATE_DISCONNECTED;
    }
    return used;
}
