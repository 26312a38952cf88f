#include "net/enet_local.h"
#include "net/enet_memory.h"

#define LOG_WINDOW_MS 5000
#define CHECK_MS      1000  // one peer is dropped in that time
#define HOG_BYTES     65536 // a peer that holds less is not dropped
#define SPARE_PEERS   32    // SERVER_SPARE_PEERS of server/core

// The share of a peer at a server. ENet's limit holds as many as a server can have, so no peer can
// take the memory of another.
#define OBJECT_BYTES  16 // of the allocator, for each object
#define COMMAND_BYTES (sizeof(ENetIncomingCommand) + sizeof(ENetPacket) + (size_t)3 * OBJECT_BYTES)
_Static_assert(sizeof(ENetOutgoingCommand) <= sizeof(ENetIncomingCommand), "one size for both");
#define WAITING_SHARE                                                                              \
    (ENET_SERVER_WAITING_BYTES + MAX_REQUEST_BYTES +                                               \
     (size_t)NET_NUM_CHANNELS * FILTER_CLIENT_WINDOW * COMMAND_BYTES)
#define ACK_SHARE                                                                                  \
    ((FILTER_RELIABLE_BURST + FILTER_REPEATS_BURST) * (sizeof(ENetAcknowledgement) + OBJECT_BYTES))
#define FRAGMENT_SHARE                                                                             \
    (NET_MAX_QUEUED_BYTES / (ENET_MIN_MTU - 32) * (sizeof(ENetOutgoingCommand) + OBJECT_BYTES))
#define QUEUE_SHARE                                                                                \
    (NET_MAX_QUEUED_BYTES + NET_MAX_QUEUED_MESSAGES * COMMAND_BYTES + FRAGMENT_SHARE)
#define PEER_SHARE (WAITING_SHARE + ACK_SHARE + QUEUE_SHARE)
_Static_assert((MAX_CLIENTS + SPARE_PEERS) * PEER_SHARE <=
                   ENET_MEMORY_LIMIT - ENET_MEMORY_LIMIT / ENET_MEMORY_RESERVE,
               "the shares of all peers of the largest server fit");

static size_t size_of_packet(const ENetPacket *packet) {
    return packet ? packet->dataLength + COMMAND_BYTES : COMMAND_BYTES;
}

static size_t size_of_incoming(ENetList *list) {
    size_t total = 0;
    for (ENetListIterator at = enet_list_begin(list); at != enet_list_end(list);
         at = enet_list_next(at)) {
        total += size_of_packet(((const ENetIncomingCommand *)at)->packet);
    }
    return total;
}

static size_t size_of_outgoing(ENetList *list) {
    size_t total = 0;
    for (ENetListIterator at = enet_list_begin(list); at != enet_list_end(list);
         at = enet_list_next(at)) {
        total += ((const ENetOutgoingCommand *)at)->fragmentLength + COMMAND_BYTES;
    }
    return total;
}

/// Returns about how much memory a peer holds.
static size_t size_of_peer(ENetPeer *peer) {
    size_t total = size_of_incoming(&peer->dispatchedCommands) +
                   size_of_outgoing(&peer->sentReliableCommands) +
                   size_of_outgoing(&peer->outgoingCommands) +
                   enet_list_size(&peer->acknowledgements) * sizeof(ENetAcknowledgement);
    for (size_t i = 0; i < peer->channelCount; i++) {
        total += size_of_incoming(&peer->channels[i].incomingReliableCommands) +
                 size_of_incoming(&peer->channels[i].incomingUnreliableCommands);
    }
    return total;
}

void EnetShortage_Check(enet_transport_t *net) {
    uint64_t failures = EnetMemory_Failures();
    if (failures == net->num_failures || net->now_ms < net->shortage_ms) {
        return;
    }
    net->num_failures = failures;
    net->shortage_ms = net->now_ms + CHECK_MS;
    ENetPeer *largest = NULL;
    size_t most = 0;
    for (size_t i = 0; net->guard.is_server && i < net->host->peerCount; i++) {
        ENetPeer *peer = &net->host->peers[i];
        size_t size = peer->state != ENET_PEER_STATE_DISCONNECTED ? size_of_peer(peer) : 0;
        if (size > most) {
            most = size;
            largest = peer;
        }
    }
    if (Log_BurstAllows(&net->shortage_burst, net->now_ms, LOG_WINDOW_MS)) {
        Log_Print(net->log, LOG_WARN,
                  "network: out of memory: ENet uses %zu bytes, and the largest peer %zu%s",
                  EnetMemory_Used(), most, net->shortage_burst.more);
    }
    if (largest && most >= HOG_BYTES) {
        net->counters.hogs++;
        EnetSlot_Drop(net, largest, NET_REASON_OVERFLOW);
    }
}
