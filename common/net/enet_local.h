/// net/enet_local.h - declarations shared by the files of the ENet transport.
//
// Floor:   net; private to the enet_*.c files.
// Memory:  one block per transport, with the slots at its end. enet_memory.h limits ENet's memory.
//
// A slot is a peer in the terms of transport.h. On a server, slot i is ENet's peer i. On a client,
// the slot exists before ENet's peer, during the cookie exchange.
//
//   client: FREE -> ASKING -> CONNECTING -> CONNECTED -> LEAVING -> GONE -> FREE
//   server: FREE --------------------------> CONNECTED -> LEAVING -> GONE -> FREE
//                                            GONE: the slot waits until NET_LEFT is delivered

#ifndef EDICTD_NET_ENET_LOCAL_H
#define EDICTD_NET_ENET_LOCAL_H

#include "base/limits.h"
#include "net/enet_transport.h"
#include "net/handshake.h"
#include "net/impair.h"

#include <arpa/inet.h>
#include <enet/enet.h>

// ENet 1.3.17 sends an unreliable message longer than mtu - 32 as reliable fragments, so it must
// fit one datagram. Common tunnels pass 1392 bytes (docs/enet.md, "Client-chosen MTU").
#define ENET_MIN_MTU 1232
#define ENET_MAX_MTU 1392
_Static_assert(MAX_PACKET_BYTES <= ENET_MIN_MTU - 32,
               "MAX_PACKET_BYTES must fit one datagram at the smallest MTU");

typedef enum {
    SLOT_FREE,
    SLOT_ASKING,
    SLOT_CONNECTING,
    SLOT_CONNECTED,
    SLOT_LEAVING,
    SLOT_GONE
} slot_state_t;

typedef struct {
    slot_state_t state;
    net_reason_t reason; ///< state LEAVING or GONE: the reason that NET_LEFT will report
    ENetPeer *peer;      ///< NULL in states FREE, ASKING, GONE
    netaddr_t address;
    int64_t deadline_ms;     ///< state LEAVING: when to disconnect without further wait
    size_t queued_bytes;     ///< reliable bytes that ENet has not freed yet
    int32_t queued_messages; ///< reliable messages that ENet has not freed yet
    handshake_t handshake;   ///< used in states ASKING and CONNECTING
} enet_slot_t;

typedef struct {
    transport_t base; ///< must be first, because transport_t * is cast to enet_transport_t *
    ENetHost *host;
    const log_t *log;
    guard_t guard;
    guard_buckets_t buckets;
    int32_t max_peers, max_peers_per_address;
    int64_t now_ms;       ///< `now_ms` of the last poll
    int32_t num_read;     ///< datagrams read since now_ms changed
    int32_t num_gone;     ///< number of slots in SLOT_GONE
    int32_t num_timed;    ///< number of slots in states ASKING, CONNECTING and LEAVING
    bool timers_due;      ///< true if now_ms changed or a slot was added since the timers last ran
    impair_t *impair_in;  ///< impairs received datagrams; NULL = off
    impair_t *impair_out; ///< impairs sent datagrams; NULL = off
    int tap;              ///< socket that receives the datagrams that ENet sends, -1 = none
    netaddr_t tap_address;
    ENetPacket *held; ///< packet whose data the last event points to
    log_burst_t error_burst, drop_burst, crowd_burst;
    net_counters_t counters;
    uint64_t dropped[GUARD_WHY_COUNT];
    enet_slot_t slots[]; ///< max_peers elements
} enet_transport_t;

/// Changes a slot's state and updates num_gone and num_timed.
void EnetSlot_SetState(enet_transport_t *net, enet_slot_t *slot, slot_state_t state);

/// Detaches a slot from its ENet peer, which must be reset already, and schedules NET_LEFT.
void EnetSlot_Gone(enet_transport_t *net, enet_slot_t *slot, net_reason_t reason);

/// Implements transport_t.poll.
void EnetTransport_Poll(transport_t *base, int64_t now_ms, net_event_t *event);

/// ENet's `intercept` callback, which ENet calls for each received datagram.
int EnetTransport_Intercept(ENetHost *host, ENetEvent *event);

/// Adds ENet's 32-bit traffic counters to net->counters and zeroes them before they wrap.
void EnetTransport_CollectTraffic(enet_transport_t *net);

/// Converts an address for the socket calls of the kernel.
static inline struct sockaddr_in EnetSocket_Address(netaddr_t address) {
    struct sockaddr_in out = {.sin_family = AF_INET};
    out.sin_port = htons(address.port);
    out.sin_addr.s_addr = htonl(address.host);
    return out;
}

/// Sends a datagram at once, bypassing ENet. Returns false with errno if the kernel refuses it.
bool EnetSocket_Send(enet_transport_t *net, netaddr_t to, const void *data, size_t size);

/// Binds and configures the socket. Returns false with the reason.
bool EnetSocket_Open(enet_transport_t *net, const enet_transport_config_t *config, err_t *err);

/// Returns true if a datagram is waiting.
bool EnetSocket_HasMore(const enet_transport_t *net);

/// Returns how many datagrams the kernel dropped because the socket's buffer was full.
uint64_t EnetSocket_KernelDrops(const enet_transport_t *net);

/// Sets up the impairment model after the socket is open. Returns false with the reason.
bool EnetImpair_Open(enet_transport_t *net, const impair_conditions_t *conditions, err_t *err);

void EnetImpair_Close(enet_transport_t *net);

/// Hands a received datagram to the impairment model and replaces it with the next datagram that is
/// due. Returns false if none is due.
bool EnetImpair_Receive(enet_transport_t *net, ENetHost *host);

/// Makes ENet call `intercept` once for each received datagram that is due.
void EnetImpair_Wake(enet_transport_t *net);

/// Hands the datagrams that ENet sent to the tap to the model, and sends those that are due.
void EnetImpair_Forward(enet_transport_t *net);

#endif
