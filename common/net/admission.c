#include "net/admission.h"

#define LOG_WINDOW_MS 5000
#define PAUSE_MS      2000 // a longer interval is a pause of this program

static bool is_used(const ENetPeer *peer) {
    return peer->state != ENET_PEER_STATE_DISCONNECTED;
}

/// Returns true for a peer whose CONNECT is not acknowledged yet.
static bool is_half_open(const enet_transport_t *net, size_t i) {
    return is_used(&net->host->peers[i]) && net->slots[i].state == SLOT_FREE;
}

/// Starts the time limit of a half-open peer.
static void note_half_open(enet_transport_t *net, size_t i) {
    enet_slot_t *slot = &net->slots[i];
    if (slot->half_open_id != net->host->peers[i].connectID || slot->since_ms == 0) {
        slot->half_open_id = net->host->peers[i].connectID;
        slot->since_ms = net->now_ms;
        slot->is_admitted = false;
    }
}

/// Ends a peer at once. NET_LEFT follows after NET_CONNECTED.
static void end_peer(enet_transport_t *net, size_t i, net_reason_t reason) {
    enet_slot_t *slot = &net->slots[i];
    enet_peer_reset(net->guard.is_server ? &net->host->peers[i] : slot->peer);
    slot->since_ms = 0;
    if (slot->state != SLOT_FREE && slot->state != SLOT_GONE) {
        EnetSlot_Gone(net, slot, slot->state == SLOT_LEAVING ? slot->reason : reason);
    }
}

static bool is_exempt(const enet_transport_t *net, size_t i) {
    return Net_IsExempt(net->exempt, ntohl(net->host->peers[i].address.host));
}

/// Returns true for a peer that is neither admitted to a player slot nor leaving.
static bool is_waiting(const enet_transport_t *net, size_t i) {
    const enet_slot_t *slot = &net->slots[i];
    return is_used(&net->host->peers[i]) && !slot->is_admitted && slot->state != SLOT_LEAVING;
}

/// The peers, as a CONNECT finds them.
typedef struct {
    bool is_known;   ///< ENet has this connection already
    int32_t free;    ///< peers not in use
    int32_t same;    ///< peers of the same address
    int32_t waiting; ///< waiting peers of addresses that are not exempt
    int32_t waiting_same;
} crowd_t;

static crowd_t count_peers(enet_transport_t *net, const guard_datagram_t *in) {
    crowd_t crowd = {0};
    uint32_t connect_id = htonl(Guard_ConnectID(&net->guard, in)); // ENet keeps network order
    for (size_t i = 0; i < net->host->peerCount; i++) {
        const ENetPeer *peer = &net->host->peers[i];
        uint32_t host = ntohl(peer->address.host);
        if (!is_used(peer)) {
            crowd.free++;
            continue;
        }
        bool is_same = host == in->from.host;
        crowd.is_known = crowd.is_known || (is_same && peer->address.port == in->from.port &&
                                            peer->connectID == connect_id);
        crowd.same += is_same;
        if (is_half_open(net, i)) {
            note_half_open(net, i);
        }
        if (is_waiting(net, i)) {
            crowd.waiting += is_exempt(net, i) ? 0 : 1;
            crowd.waiting_same += is_same;
        }
    }
    return crowd;
}

/// Returns the waiting peer that yields to a newcomer, or -1: the oldest of the address with most
/// of them. `own`: waiting peers of the newcomer's address. Two more than `own` yield at once,
/// others after ADMISSION_YIELD_MS. `any`: exempt addresses yield, too.
static int32_t find_yielding(const enet_transport_t *net, int32_t own, bool any) {
    int32_t list[ADMISSION_MAX_WAITING];
    int32_t count = 0, most = 0, found = -1;
    for (size_t i = 0; i < net->host->peerCount && count < ADMISSION_MAX_WAITING; i++) {
        if (is_waiting(net, i) && (any || !is_exempt(net, i))) {
            list[count++] = (int32_t)i;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        int32_t same = 0;
        for (int32_t k = 0; k < count; k++) {
            same +=
                net->host->peers[list[k]].address.host == net->host->peers[list[i]].address.host;
        }
        if (same > most ||
            (same == most && net->slots[list[i]].since_ms < net->slots[found].since_ms)) {
            most = same;
            found = list[i];
        }
    }
    bool yields = found >= 0 && (most >= own + 2 ||
                                 net->now_ms - net->slots[found].since_ms >= ADMISSION_YIELD_MS);
    return yields ? found : -1;
}

/// Returns the peer that has been leaving for longest, or -1.
static int32_t find_leaving(const enet_transport_t *net) {
    int32_t found = -1;
    for (int32_t i = 0; i < net->max_peers; i++) {
        if (net->slots[i].state == SLOT_LEAVING &&
            (found < 0 || net->slots[i].since_ms < net->slots[found].since_ms)) {
            found = i;
        }
    }
    return found;
}

/// Makes room for a newcomer. Returns false if no peer yields.
static bool make_room(enet_transport_t *net, const crowd_t *crowd) {
    int32_t leaving = crowd->free == 0 ? find_leaving(net) : -1;
    int32_t yielding =
        leaving >= 0 ? leaving : find_yielding(net, crowd->waiting_same, crowd->free == 0);
    if (yielding < 0) {
        net->counters.crowded++;
        return false;
    }
    net->counters.yielded += leaving < 0 ? 1 : 0;
    end_peer(net, (size_t)yielding, NET_REASON_FULL);
    return true;
}

admission_t Admission_Judge(enet_transport_t *net, const guard_datagram_t *in,
                            net_reason_t *reason) {
    crowd_t crowd = count_peers(net, in);
    bool exempt = Net_IsExempt(net->exempt, in->from.host);
    bool is_limited = net->max_waiting > 0;
    *reason = NET_REASON_FULL;
    if (crowd.is_known) {
        return ADMISSION_PASS;
    }
    if (!exempt && net->max_peers_per_address > 0 && crowd.same >= net->max_peers_per_address) {
        net->counters.same_address++;
        *reason = NET_REASON_ADDRESS;
        return ADMISSION_REFUSE;
    }
    if (!exempt && is_limited && crowd.waiting_same >= ADMISSION_PER_ADDRESS) {
        net->counters.crowded++;
        return ADMISSION_IGNORE;
    }
    bool fits = exempt || !is_limited || crowd.waiting < net->max_waiting;
    if (fits && crowd.free > 0) {
        return ADMISSION_PASS;
    }
    if (!is_limited) {
        return ADMISSION_REFUSE;
    }
    return make_room(net, &crowd) ? ADMISSION_PASS : ADMISSION_IGNORE;
}

int64_t Admission_HalfOpenMs(enet_transport_t *net, int32_t peer, netaddr_t *from) {
    if (!is_half_open(net, (size_t)peer)) {
        return -1;
    }
    note_half_open(net, (size_t)peer);
    *from = Net_FromEnet(net->host->peers[peer].address);
    return net->now_ms - net->slots[peer].since_ms;
}

// --- time ------------------------------------------------------------------------------------

int64_t Admission_SilenceMs(enet_transport_t *net, enet_slot_t *slot) {
    if (slot->peer && slot->peer->incomingDataTotal > 0) {
        // ENet needs this sum only for bandwidth limits.
        slot->peer->incomingDataTotal = 0;
        slot->heard_ms = net->now_ms;
    }
    return slot->peer ? net->now_ms - slot->heard_ms : 0;
}

/// Logs the end of a peer, one line per burst.
static void log_end(enet_transport_t *net, size_t i, const char *why) {
    char text[32];
    const ENetPeer *peer = net->guard.is_server ? &net->host->peers[i] : net->slots[i].peer;
    if (Log_BurstAllows(&net->end_burst, net->now_ms, LOG_WINDOW_MS)) {
        Net_FormatAddress(Net_FromEnet(peer->address), text, sizeof text);
        Log_Print(net->log, LOG_INFO, "network: ended peer %zu (%s): %s%s", i, text, why,
                  net->end_burst.more);
    }
}

static void check_half_open(enet_transport_t *net, size_t i) {
    note_half_open(net, i);
    if (net->now_ms - net->slots[i].since_ms >= ADMISSION_HALF_OPEN_MS) {
        log_end(net, i, "the connection was not completed");
        net->counters.half_open_expired++;
        end_peer(net, i, NET_REASON_TIMEOUT);
    }
}

/// Returns the limit of silence, ms. Clients wait for a server that loads a map.
static int64_t silence_limit(const enet_transport_t *net, const enet_slot_t *slot) {
    int32_t of_peer = slot->is_admitted ? slot->silence_ms : NET_TIMEOUT_MS;
    return net->guard.is_server ? of_peer : NET_BUSY_MS;
}

void Admission_Check(enet_transport_t *net) {
    int64_t paused_ms = net->now_ms - net->checked_ms;
    if (paused_ms < ADMISSION_CHECK_MS) {
        return;
    }
    net->checked_ms = net->now_ms;
    EnetSeal_Sweep(net);
    for (size_t i = 0; i < (size_t)net->max_peers; i++) {
        enet_slot_t *slot = &net->slots[i];
        if (paused_ms > PAUSE_MS) {
            slot->since_ms += slot->since_ms > 0 ? paused_ms : 0;
            slot->heard_ms += paused_ms;
        }
        if (net->guard.is_server && is_half_open(net, i)) {
            check_half_open(net, i);
        } else if ((slot->state == SLOT_CONNECTED || slot->state == SLOT_LEAVING) &&
                   Admission_SilenceMs(net, slot) >= silence_limit(net, slot)) {
            log_end(net, i, "sent nothing for too long");
            net->counters.timeouts++;
            end_peer(net, i, NET_REASON_TIMEOUT);
        }
    }
}
