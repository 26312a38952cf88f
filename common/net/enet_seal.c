#include "net/enet_local.h"
#include "net/wire.h"

#include <sodium/utils.h>
#include <string.h>

/// Counts a datagram that does not open. Returns false.
static bool drop(enet_transport_t *net, const guard_datagram_t *in, seal_why_t why) {
    net->unsealed[why]++;
    net->counters.seal_dropped++;
    EnetDatagram_Drop(net, in->from, false, Seal_WhyText(why));
    return false;
}

/// Returns the seal of an ENet peer.
static seal_t *seal_of(const enet_transport_t *net, const ENetPeer *peer) {
    return &net->seals[peer - net->host->peers];
}

/// Returns the seal of the CONNECT that is being judged; it follows those of the peers.
static seal_t *pending_seal(const enet_transport_t *net) {
    return &net->seals[net->max_peers];
}

bool EnetSeal_Open(enet_transport_t *net, const enet_transport_config_t *config, err_t *err) {
    net->seal_mode = config->seal;
    net->guard.is_sealing = !config->is_server || config->seal != NET_SEAL_OFF;
    net->seals = SealKeys_NewSeals(config->max_peers + 1);
    if (!net->seals) {
        return Err_Set(err, "network: out of memory for %d connections", config->max_peers);
    }
    if (config->is_server && config->seal != NET_SEAL_OFF) {
        net->keys = SealKeys_Create(config->secret_key, err);
        if (!net->keys) {
            return false;
        }
        seal_offer_t offer = SealKeys_Public(net->keys, net->now_ms);
        memcpy(net->server_key, offer.server_public, sizeof net->server_key);
    }
    return true;
}

void EnetSeal_Close(enet_transport_t *net) {
    sodium_free(net->seals);
    SealKeys_Destroy(net->keys);
}

void EnetSeal_Offer(enet_transport_t *net, guard_verdict_t *reply) {
    if (net->keys) {
        guard_offer_t offer = {.seal = net->seal_mode == NET_SEAL_REQUIRED ? 2 : 1,
                               .keys = SealKeys_Public(net->keys, net->now_ms)};
        Guard_SetOffer(reply, &offer);
    }
}

// --- client ----------------------------------------------------------------------------------

/// Returns why an offer is unacceptable, or NET_REASON_NONE.
static net_reason_t judge_offer(const enet_transport_t *net, const guard_offer_t *offer) {
    if (net->seal_mode == NET_SEAL_OFF) {
        return offer->seal == 2 ? NET_REASON_SEAL : NET_REASON_NONE;
    }
    if (offer->seal == 0) {
        return net->seal_mode == NET_SEAL_REQUIRED ? NET_REASON_NO_SEAL : NET_REASON_NONE;
    }
    bool is_other = net->has_server_key &&
                    memcmp(offer->keys.server_public, net->server_key, sizeof net->server_key) != 0;
    return is_other ? NET_REASON_KEY : NET_REASON_NONE;
}

net_reason_t EnetSeal_Start(enet_transport_t *net, enet_slot_t *slot,
                            const handshake_cookie_t *reply) {
    net_reason_t reason = judge_offer(net, &reply->offer);
    if (reason != NET_REASON_NONE || reply->offer.seal == 0 || net->seal_mode == NET_SEAL_OFF) {
        return reason;
    }
    seal_pair_t own;
    slot->connect = (seal_connect_t){
        .epoch = reply->offer.keys.epoch, .cookie = reply->cookie, .connect_id = reply->connect_id};
    bool is_good = Seal_MakePair(&own);
    memcpy(slot->connect.client_public, own.public_key, sizeof own.public_key);
    is_good =
        is_good && Seal_DeriveClient(pending_seal(net), &own, &reply->offer.keys, &slot->connect);
    sodium_memzero(&own, sizeof own);
    return is_good ? NET_REASON_NONE : NET_REASON_KEY;
}

// --- both ------------------------------------------------------------------------------------

void EnetSeal_Bind(enet_transport_t *net, const ENetPeer *peer) {
    *seal_of(net, peer) = *pending_seal(net);
    EnetSeal_Cancel(net);
}

void EnetSeal_Cancel(enet_transport_t *net) {
    sodium_memzero(pending_seal(net), sizeof(seal_t));
}

bool EnetSeal_IsOn(const enet_transport_t *net, const ENetPeer *peer) {
    return seal_of(net, peer)->is_on;
}

void EnetSeal_Sweep(enet_transport_t *net) {
    for (size_t i = 0; i < net->host->peerCount; i++) {
        if (net->seals[i].is_on && net->host->peers[i].state == ENET_PEER_STATE_DISCONNECTED) {
            sodium_memzero(&net->seals[i], sizeof net->seals[i]);
        }
    }
    if (net->keys) {
        SealKeys_Advance(net->keys, net->now_ms);
    }
}

size_t EnetSeal_Write(enet_transport_t *net, const ENetPeer *peer, const uint8_t *data, size_t size,
                      uint8_t *out) {
    seal_t *seal = seal_of(net, peer);
    if (!seal->is_on) {
        memcpy(out, data, size);
        return size;
    }
    bool is_connect = (Wire_ReadU16(data) & WIRE_PEER_MASK) == WIRE_PEER_NONE;
    const enet_slot_t *slot = is_connect ? EnetSlot_OfPeer(peer) : NULL;
    if (slot) {
        return Seal_WriteConnect(seal, &slot->connect, data, size, out);
    }
    return Seal_Write(seal, data, size, out);
}

bool EnetSeal_Read(enet_transport_t *net, const ENetPeer *peer, const guard_datagram_t *in,
                   uint8_t *data, size_t *size) {
    bool is_sealed = (Wire_ReadU16(in->data) & WIRE_FLAG_COMPRESSED) != 0;
    seal_t *seal = seal_of(net, peer);
    seal_why_t why = SEAL_OK;
    if (seal->is_on != is_sealed) {
        why = is_sealed ? SEAL_UNEXPECTED : SEAL_PLAIN;
    } else if (is_sealed) {
        *size = Seal_Open(seal, in->data, in->size, data, &why);
    } else {
        memcpy(data, in->data, in->size);
        *size = in->size;
    }
    return why == SEAL_OK || drop(net, in, why);
}

// --- server ----------------------------------------------------------------------------------

/// Opens a sealed CONNECT, whose cookie is valid. Returns a reason to drop it.
static seal_why_t open_connect(enet_transport_t *net, const guard_datagram_t *in, uint8_t *data,
                               size_t *size) {
    seal_connect_t *connect = &net->pending;
    seal_t *seal = pending_seal(net);
    seal_why_t why = SEAL_SHORT;
    if (!Seal_ReadConnect(in->data, in->size, connect) ||
        !SealKeys_Accept(net->keys, net->now_ms, connect, seal, &why)) {
        return why;
    }
    *size = Seal_OpenConnect(seal, in->data, in->size, data, &why);
    guard_datagram_t inner = {.data = data, .size = *size, .from = in->from};
    if (why == SEAL_OK && (!Guard_IsConnect(&net->guard, &inner) ||
                           Guard_ConnectID(&net->guard, &inner) != connect->connect_id ||
                           Guard_ConnectCookie(&net->guard, &inner) != connect->cookie)) {
        why = SEAL_MISMATCH;
    }
    return why;
}

bool EnetSeal_ReadConnect(enet_transport_t *net, const guard_datagram_t *in, uint8_t *data,
                          size_t *size) {
    seal_why_t why = open_connect(net, in, data, size);
    return why == SEAL_OK || drop(net, in, why);
}

void EnetSeal_Admit(enet_transport_t *net) {
    if (pending_seal(net)->is_on) {
        SealKeys_Remember(net->keys, net->now_ms, &net->pending);
    }
    // ENet gives a new connection its first free peer.
    for (size_t i = 0; i < net->host->peerCount; i++) {
        if (net->host->peers[i].state == ENET_PEER_STATE_DISCONNECTED) {
            EnetSeal_Bind(net, &net->host->peers[i]);
            return;
        }
    }
    EnetSeal_Cancel(net); // a repeated CONNECT: ENet ignores it
}
