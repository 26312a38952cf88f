// Most datagrams carry one unreliable message. For each, ENet makes three allocations and visits
// all peers twice. These functions send and report such a message without ENet, unless ENet has
// queued something for the peer.

#include "base/assert.h"
#include "net/enet_local.h"
#include "net/wire.h"

#include <string.h>

// A command with an unreliable message, offsets from the command byte.
#define COMMAND       0x07
#define CHANNEL_AT    1
#define RELIABLE_AT   2 // number of the reliable message before it
#define NUMBER_AT     4
#define LENGTH_AT     6
#define COMMAND_BYTES 8

#define LONGEST (2 + WIRE_CHECKSUM_BYTES + COMMAND_BYTES + MAX_PACKET_BYTES)

// --- receiving -------------------------------------------------------------------------------

/// Returns the peer of a datagram that is one unreliable message, or NULL. `start`: offset of the
/// command.
static ENetPeer *sender_of(const enet_transport_t *net, const uint8_t *data, size_t size,
                           size_t start) {
    const uint8_t *command = data + start;
    const bool is_one = size >= start + COMMAND_BYTES && command[0] == COMMAND &&
                        size == start + COMMAND_BYTES + Wire_ReadU16(command + LENGTH_AT);
    return is_one ? &net->host->peers[Wire_ReadU16(data) & WIRE_PEER_MASK] : NULL;
}

/// Returns true if ENet would deliver this message before all others of the peer, and `direct` has
/// room for it.
static bool is_next(const enet_transport_t *net, const ENetPeer *peer, size_t size) {
    const enet_slot_t *slot = EnetSlot_OfPeer(peer);
    return net->guard.is_server && slot && slot->state == SLOT_CONNECTED &&
           peer->state == ENET_PEER_STATE_CONNECTED &&
           enet_list_empty((ENetList *)(uintptr_t)&peer->dispatchedCommands) &&
           peer->totalWaitingData < net->host->maximumWaitingData &&
           net->direct.count < ENET_DIRECT_MESSAGES &&
           net->direct.used + size <= sizeof net->direct.data;
}

bool EnetDirect_Receive(enet_transport_t *net, const uint8_t *data, size_t size) {
    const size_t start = EnetGate_Start(net, data);
    ENetPeer *peer = sender_of(net, data, size, start);
    if (!peer || !is_next(net, peer, size)) {
        return false;
    }
    enet_direct_t *in = &net->direct;
    const uint8_t *command = data + start;
    const size_t length = size - start - COMMAND_BYTES;
    ASSERT(command[CHANNEL_AT] < peer->channelCount); // the filter has checked the command
    peer->channels[command[CHANNEL_AT]].incomingUnreliableSequenceNumber =
        (enet_uint16)Wire_ReadU16(command + NUMBER_AT);
    peer->incomingDataTotal += (enet_uint32)size; // for Admission_SilenceMs
    memcpy(in->data + in->used, command + COMMAND_BYTES, length);
    in->messages[in->count++] = (enet_message_t){.slot = (int32_t)(peer - net->host->peers),
                                                 .channel = command[CHANNEL_AT],
                                                 .at = (uint16_t)in->used,
                                                 .size = (uint16_t)length};
    in->used += length;
    return true;
}

bool EnetDirect_Next(enet_transport_t *net, net_event_t *event) {
    enet_direct_t *in = &net->direct;
    while (in->next < in->count) {
        const enet_message_t *message = &in->messages[in->next++];
        const enet_slot_t *slot = &net->slots[message->slot];
        if (slot->state == SLOT_CONNECTED) {
            *event = (net_event_t){.type = NET_MESSAGE,
                                   .peer = message->slot,
                                   .channel = message->channel,
                                   .from = slot->address,
                                   .data = in->data + message->at,
                                   .size = message->size};
            return true;
        }
    }
    in->next = in->count = 0;
    in->used = 0;
    return false;
}

// --- sending ---------------------------------------------------------------------------------

bool EnetDirect_Send(enet_transport_t *net, const enet_slot_t *slot, uint8_t channel,
                     const void *data, size_t size) {
    ENetPeer *peer = slot->peer;
    if (peer->state != ENET_PEER_STATE_CONNECTED || !enet_list_empty(&peer->acknowledgements) ||
        !enet_list_empty(&peer->outgoingCommands)) {
        return false;
    }
    ENetChannel *to = &peer->channels[channel];
    if (to->outgoingUnreliableSequenceNumber == UINT16_MAX) { // docs/enet.md, "Sequence wrap"
        return false;
    }
    uint8_t bytes[LONGEST];
    Wire_WriteU16(bytes,
                  peer->outgoingPeerID | (uint32_t)peer->outgoingSessionID << WIRE_SESSION_SHIFT);
    const size_t start = EnetGate_Start(net, bytes);
    uint8_t *command = bytes + start;
    command[0] = COMMAND;
    command[CHANNEL_AT] = channel;
    Wire_WriteU16(command + RELIABLE_AT, to->outgoingReliableSequenceNumber);
    Wire_WriteU16(command + NUMBER_AT, ++to->outgoingUnreliableSequenceNumber);
    Wire_WriteU16(command + LENGTH_AT, (uint32_t)size);
    if (size > 0) {
        memcpy(command + COMMAND_BYTES, data, size);
    }
    const size_t bytes_size = start + COMMAND_BYTES + size;
    if (net->guard.has_checksum) {
        const ENetBuffer buffer = {.data = bytes, .dataLength = bytes_size};
        uint8_t *field = command - WIRE_CHECKSUM_BYTES;
        memcpy(field, &peer->connectID, sizeof peer->connectID);
        const enet_uint32 sum = EnetSum_Of(net, &buffer, 1);
        memcpy(field, &sum, sizeof sum);
    }
    EnetSeam_Send(net, peer, bytes, bytes_size);
    return true;
}
