#include "net/enet_local.h"
#include "net/wire.h"

#include <stdlib.h>
#include <string.h>

#define LOG_WINDOW_MS 5000

/// The filter of one ENet peer.
struct enet_filter_s {
    uint32_t connect_id; ///< connection of this state
    filter_t filter;
};

bool EnetGate_Open(enet_transport_t *net) {
    net->filters = calloc((size_t)net->max_peers, sizeof net->filters[0]);
    return net->filters != NULL;
}

void EnetGate_Close(enet_transport_t *net) {
    free(net->filters);
}

static filter_t *filter_of(enet_transport_t *net, const ENetPeer *peer) {
    enet_filter_t *state = &net->filters[peer - net->host->peers];
    if (state->connect_id != peer->connectID) {
        *state = (enet_filter_t){.connect_id = peer->connectID};
    }
    return &state->filter;
}

void EnetGate_Reset(enet_transport_t *net, const ENetPeer *peer) {
    net->filters[peer - net->host->peers] = (enet_filter_t){.connect_id = peer->connectID};
}

size_t EnetGate_Start(const enet_transport_t *net, const uint8_t *data) {
    return (Wire_ReadU16(data) & WIRE_FLAG_SENT_TIME ? 4u : 2u) +
           (net->guard.has_checksum ? WIRE_CHECKSUM_BYTES : 0u);
}

/// Tests the checksum, if used. Stores the result for EnetSeam_Checksum, because the filter may
/// then change the commands.
static bool verify(enet_transport_t *net, uint8_t *data, size_t size, size_t start,
                   uint32_t connect_id) {
    if (!net->guard.has_checksum) {
        return true;
    }
    uint8_t *field = data + start - WIRE_CHECKSUM_BYTES;
    ENetBuffer buffer = {.data = data, .dataLength = size};
    uint32_t given = 0;
    memcpy(&given, field, sizeof given);
    memcpy(field, &connect_id, sizeof connect_id);
    bool is_right = EnetSum_Of(net, &buffer, 1) == given;
    memcpy(field, &given, sizeof given);
    net->verified = is_right ? data : NULL;
    net->verified_sum = given;
    return is_right;
}

/// Returns the sender by ENet's rules, or NULL.
static ENetPeer *sender_of(const enet_transport_t *net, const uint8_t *data, netaddr_t from) {
    uint32_t header = Wire_ReadU16(data);
    ENetPeer *peer = &net->host->peers[header & WIRE_PEER_MASK];
    netaddr_t address = Net_FromEnet(peer->address);
    bool is_known = peer->outgoingPeerID < ENET_PROTOCOL_MAXIMUM_PEER_ID;
    return peer->state != ENET_PEER_STATE_DISCONNECTED && peer->state != ENET_PEER_STATE_ZOMBIE &&
                   address.host == from.host && address.port == from.port &&
                   (!is_known || (header >> WIRE_SESSION_SHIFT & 3u) == peer->incomingSessionID)
               ? peer
               : NULL;
}

/// Copies ENet's state for the filter. Returns false if a channel has overlapping messages, which
/// ENet would never deliver.
static bool read_link(const enet_transport_t *net, ENetPeer *peer, filter_link_t *link) {
    *link = (filter_link_t){.now_ms = net->now_ms,
                            .clock_ms = net->host->serviceTime,
                            .from_client = net->guard.is_server,
                            .is_open = peer->state == ENET_PEER_STATE_CONNECTED ||
                                       peer->state == ENET_PEER_STATE_DISCONNECT_LATER,
                            .is_opening = peer->state == ENET_PEER_STATE_ACKNOWLEDGING_CONNECT};
    size_t limit = net->host->maximumWaitingData;
    link->room = limit > peer->totalWaitingData ? limit - peer->totalWaitingData : 0;
    for (size_t i = 0; i < peer->channelCount && i < NET_NUM_CHANNELS; i++) {
        ENetChannel *channel = &peer->channels[i];
        link->delivered[i] = channel->incomingReliableSequenceNumber;
        link->unreliable[i] = channel->incomingUnreliableSequenceNumber;
        if (!enet_list_empty(&channel->incomingReliableCommands)) {
            const ENetIncomingCommand *last =
                (const ENetIncomingCommand *)enet_list_back(&channel->incomingReliableCommands);
            if ((int16_t)(last->reliableSequenceNumber - link->delivered[i]) <= 0) {
                return false;
            }
        }
    }
    return true;
}

/// Drops a peer after a breach.
static void drop_peer(enet_transport_t *net, ENetPeer *peer, filter_why_t why) {
    char text[32];
    net->counters.breaches++;
    if (Log_BurstAllows(&net->breach_burst, net->now_ms, LOG_WINDOW_MS)) {
        Net_FormatAddress(Net_FromEnet(peer->address), text, sizeof text);
        Log_Print(net->log, LOG_WARN, "network: dropped peer %d (%s): %s%s",
                  (int)(peer - net->host->peers), text, Filter_WhyText(why),
                  net->breach_burst.more);
    }
    EnetSlot_Drop(net, peer, NET_REASON_BAD_DATA);
}

bool EnetGate_Connect(enet_transport_t *net, uint8_t *data, size_t *size) {
    size_t start = EnetGate_Start(net, data);
    if (!verify(net, data, *size, start, 0)) {
        net->filtered[FILTER_CHECKSUM]++;
        return false;
    }
    uint8_t *connect = data + start;
    uint32_t mtu = Wire_ReadU32(connect + WIRE_CONNECT_MTU_AT);
    // ENet accepts any MTU; a low bandwidth piles up messages.
    Wire_WriteU32(connect + WIRE_CONNECT_MTU_AT, mtu < ENET_MAX_MTU ? mtu : ENET_MAX_MTU);
    memset(connect + WIRE_CONNECT_RATES_AT, 0, 8);
    *size = start + WIRE_CONNECT_BYTES; // the client repeats the rest
    return true;
}

bool EnetGate_Receive(enet_transport_t *net, const guard_datagram_t *in, uint8_t *data,
                      size_t *size) {
    ENetPeer *peer = sender_of(net, in->data, in->from);
    if (!peer) {
        net->filtered[FILTER_WRONG_PEER]++;
        net->counters.strangers++;
        return false;
    }
    // ENet does not count the checksum.
    size_t longest = ENET_MAX_MTU + WIRE_CHECKSUM_BYTES;
    if (in->size > longest + (EnetSeal_IsOn(net, peer) ? SEAL_EXTRA_BYTES : 0)) {
        net->filtered[FILTER_LONG]++;
        return false;
    }
    if (!EnetSeal_Read(net, peer, in, data, size)) {
        return false;
    }
    filter_datagram_t inner = {.data = data, .size = *size, .start = EnetGate_Start(net, data)};
    if (!verify(net, data, *size, inner.start, peer->connectID)) {
        net->filtered[FILTER_CHECKSUM]++;
        return false;
    }
    filter_link_t link;
    filter_why_t why = FILTER_OVERLAP;
    if (read_link(net, peer, &link)) {
        link.waited_ms =
            net->is_real_time ? EnetSocket_WaitedUs(in->arrived_ns, net->read_ns) / 1000 : 0;
        why = Filter_Check(filter_of(net, peer), &link, &inner, net->filtered);
        if (why == FILTER_OK) {
            filter_of(net, peer)->arrived_ns = in->arrived_ns;
        }
    } else {
        net->filtered[FILTER_OVERLAP]++;
    }
    // Without checksum and seal, forged datagrams must not cost the connection.
    bool is_proven = net->guard.has_checksum || EnetSeal_IsOn(net, peer);
    if (why == FILTER_OVERLAP || (why >= FILTER_FIRST_BREACH && is_proven)) {
        drop_peer(net, peer, why);
    }
    *size = inner.size;
    return why == FILTER_OK;
}

int32_t EnetGate_RttMs(enet_transport_t *net, const ENetPeer *peer) {
    return filter_of(net, peer)->rtt_eighths_ms / 8;
}

int32_t EnetGate_WaitedUs(enet_transport_t *net, const ENetPeer *peer) {
    return EnetSocket_WaitedUs(filter_of(net, peer)->arrived_ns, EnetSocket_KernelNs());
}

void EnetGate_Sent(enet_transport_t *net, const ENetPeer *peer, const uint8_t *data, size_t size) {
    Filter_Sent(filter_of(net, peer), data, size, EnetGate_Start(net, data));
}
