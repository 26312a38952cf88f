#include "net/enet_local.h"
#include "net/wire.h"

#include <string.h>

/// Subtracts a packet from its queue, after the acknowledgement or reset.
static void on_packet_free(ENetPacket *packet) {
    enet_slot_t *slot = packet->userData;
    slot->queued_bytes -= packet->dataLength;
    slot->queued_messages--;
}

bool EnetBundle_Packet(enet_transport_t *net, enet_slot_t *slot, uint8_t channel,
                       ENetPacket *packet) {
    net->has_queued = true;
    if (packet && (packet->flags & ENET_PACKET_FLAG_RELIABLE) != 0) {
        slot->peer->windowSize = ENET_WINDOW_BYTES; // ENet's settings of the peer reset it
        packet->userData = slot;
        packet->freeCallback = on_packet_free;
        slot->queued_bytes += packet->dataLength;
        slot->queued_messages++;
    }
    if (!packet || enet_peer_send(slot->peer, channel, packet) != 0) {
        net->counters.send_failed++;
        if (packet && packet->referenceCount == 0) {
            enet_packet_destroy(packet);
        }
        if (net->guard.is_server && channel == NET_CHANNEL_CONTROL &&
            slot->peer->state == ENET_PEER_STATE_CONNECTED) {
            EnetSlot_Disconnect(net, slot, NET_REASON_OVERFLOW); // its messages would have a hole
        }
        return false;
    }
    return true;
}

bool EnetBundle_Flush(enet_transport_t *net, enet_slot_t *slot) {
    size_t size = slot->bundled;
    if (size == 0) {
        return true;
    }
    slot->bundled = 0;
    net->num_bundled--;
    return EnetBundle_Packet(net, slot, NET_CHANNEL_CONTROL,
                             enet_packet_create(slot->bundle, size, ENET_PACKET_FLAG_RELIABLE));
}

void EnetBundle_FlushAll(enet_transport_t *net) {
    for (int32_t i = 0; i < net->max_peers && net->num_bundled > 0; i++) {
        EnetBundle_Flush(net, &net->slots[i]);
    }
}

bool EnetBundle_Add(enet_transport_t *net, enet_slot_t *slot, const void *data, size_t size) {
    size_t needed = NET_LENGTH_BYTES + size;
    if (slot->bundled + needed > sizeof slot->bundle && !EnetBundle_Flush(net, slot)) {
        return false;
    }
    if (needed > sizeof slot->bundle) {
        ENetPacket *packet = enet_packet_create(NULL, needed, ENET_PACKET_FLAG_RELIABLE);
        if (packet) {
            Wire_WriteU16(packet->data, (uint32_t)size);
            memcpy(packet->data + NET_LENGTH_BYTES, data, size);
        }
        return EnetBundle_Packet(net, slot, NET_CHANNEL_CONTROL, packet);
    }
    net->num_bundled += slot->bundled == 0;
    Wire_WriteU16(slot->bundle + slot->bundled, (uint32_t)size);
    memcpy(slot->bundle + slot->bundled + NET_LENGTH_BYTES, data, size);
    slot->bundled += needed;
    return true;
}

bool EnetBundle_Next(enet_transport_t *net, net_event_t *event) {
    ENetPacket *packet = net->held;
    if (!packet) {
        return false;
    }
    enet_slot_t *slot = &net->slots[net->held_slot];
    size_t left = slot->state == SLOT_CONNECTED ? packet->dataLength - net->held_at : 0;
    const uint8_t *at =
        left > 0 ? packet->data + net->held_at : NULL; // an empty packet has no data
    size_t size = left >= NET_LENGTH_BYTES ? Wire_ReadU16(at) : left;
    if (left >= NET_LENGTH_BYTES && size <= left - NET_LENGTH_BYTES) {
        net->held_at += NET_LENGTH_BYTES + size;
        *event = (net_event_t){.type = NET_MESSAGE,
                               .peer = net->held_slot,
                               .channel = NET_CHANNEL_CONTROL,
                               .from = slot->address,
                               .data = at + NET_LENGTH_BYTES,
                               .size = size,
                               .waited_us = EnetGate_WaitedUs(net, slot->peer)};
        return true;
    }
    if (left > 0) {
        EnetSlot_Drop(net, slot->peer, NET_REASON_BAD_DATA);
    }
    enet_packet_destroy(packet);
    net->held = NULL;
    return false;
}
