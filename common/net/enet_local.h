/// net/enet_local.h - what the files of the ENet transport share.
//
// Floor:   net; private to enet_transport.c, enet_poll.c and enet_socket.c.
// Memory:  one block per transport, slots at its end; ENet's own is bounded by enet_memory.h.
//
// A slot is what the caller knows as a peer. On a server slot i is ENet's peer i; a client's slot
// exists before ENet has a peer (while it asks for the cookie).
//
//   client: FREE -> ASKING -> CONNECTING -> CONNECTED -> LEAVING -> GONE -> FREE
//   server: FREE --------------------------> CONNECTED -> LEAVING -> GONE -> FREE
//                                            GONE = NET_LEFT is still to be delivered

#ifndef EDICTD_NET_ENET_LOCAL_H
#define EDICTD_NET_ENET_LOCAL_H

#include "base/limits.h"
#include "net/enet_transport.h"
#include "net/handshake.h"
#include "net/impair.h"

#include <enet/enet.h>

// An unreliable message must fit one datagram: ENet 1.3.17 makes *reliable* fragments of what is
// longer than mtu - 32 (A11). 1392 passes common tunnels (A3).
#define ENET_MIN_MTU 1232
#define ENET_MAX_MTU 1392
_Static_assert(MAX_PACKET_BYTES <= ENET_MIN_MTU - 32, "a packet is one datagram on every path");

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
    net_reason_t reason; ///< LEAVING and GONE: what NET_LEFT will say
    ENetPeer *peer;      ///< NULL while FREE, ASKING, GONE
    netaddr_t address;
    int64_t deadline_ms;     ///< LEAVING: when the goodbye is cut short
    size_t queued_bytes;     ///< reliable, handed to ENet and not yet freed by it
    int32_t queued_messages; ///< the same in messages
    handshake_t handshake;   ///< ASKING and CONNECTING
} enet_slot_t;

typedef struct {
    transport_t base; ///< first: a transport_t * is this
    ENetHost *host;
    const log_t *log;
    guard_t guard;
    guard_buckets_t buckets;
    int32_t max_peers, max_peers_per_address;
    int64_t now_ms;    ///< of the last poll
    int32_t num_read;  ///< datagrams since now_ms changed
    int32_t num_gone;  ///< slots in SLOT_GONE
    int32_t num_timed; ///< slots in ASKING, CONNECTING, LEAVING
    bool timers_due;   ///< now_ms changed, or a slot was added, since the timers ran
    impair_t *impair;  ///< NULL = off
    ENetPacket *held;  ///< whose data the last event points to
    log_burst_t error_burst, drop_burst, crowd_burst;
    net_counters_t counters;
    uint64_t dropped[GUARD_WHY_COUNT];
    enet_slot_t slots[]; ///< max_peers
} enet_transport_t;

/// Changes a slot's state, keeping the counts of num_gone and num_timed.
void EnetSlot_SetState(enet_transport_t *net, enet_slot_t *slot, slot_state_t state);

/// The slot lets go of its ENet peer and NET_LEFT will follow. ENet's side must be reset by now.
void EnetSlot_Gone(enet_transport_t *net, enet_slot_t *slot, net_reason_t reason);

/// transport_t.poll.
void EnetTransport_Poll(transport_t *base, int64_t now_ms, net_event_t *event);

/// The host's `intercept`: every datagram passes here before ENet looks at it.
int EnetTransport_Intercept(ENetHost *host, ENetEvent *event);

/// Adds ENet's 32-bit traffic counts to ours and zeroes them, before they can wrap.
void EnetTransport_CollectTraffic(enet_transport_t *net);

/// Sends a datagram past ENet, at once. False with errno when the kernel refuses.
bool EnetSocket_Send(enet_transport_t *net, netaddr_t to, const void *data, size_t size);

/// Binds and sets up the host's socket. False with the reason.
bool EnetSocket_Open(enet_transport_t *net, const enet_transport_config_t *config, err_t *err);

/// Sends one byte to the own socket `count` times, so that ENet calls `intercept` as often.
void EnetSocket_Wake(enet_transport_t *net, int32_t count);

/// Returns true for a datagram of EnetSocket_Wake.
bool EnetSocket_IsWake(const enet_transport_t *net, netaddr_t from, size_t size);

/// Whether another datagram waits to be read.
bool EnetSocket_HasMore(const enet_transport_t *net);

/// Datagrams the kernel dropped because the socket's buffer was full.
uint64_t EnetSocket_KernelDrops(const enet_transport_t *net);

#endif
