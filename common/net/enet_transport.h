/// net/enet_transport.h - the real transport: ENet on UDP behind the guard.
//
// Floor:   net. IPv4 only.

#ifndef EDICTD_NET_ENET_TRANSPORT_H
#define EDICTD_NET_ENET_TRANSPORT_H

#include "base/log.h"
#include "net/guard.h"
#include "net/impair.h"
#include "net/transport.h"

EXTERN_C_BEGIN

typedef struct {
    netaddr_t bind;                ///< port 0 = any free one; host 0 = all interfaces
    int32_t max_peers;             ///< 1..4095
    bool is_server;                ///< a server takes connections and answers cookie requests
    const log_t *log;              ///< must outlive the transport
    int32_t max_peers_per_address; ///< connections one address may hold; 0 = no limit
    bool without_checksum; ///< for clients whose ENet binding cannot set one; both ends must agree.
                           ///< Then a forged goodbye can drop a player: see A7 in README.md
    /// NULL = off. Otherwise these conditions apply to all datagrams received, before the guard.
    /// Set them at both ends to impair both directions: ENet offers no hook for those it sends.
    const impair_conditions_t *impair;
} enet_transport_config_t;

/// Opens the socket. NULL with the reason ("port 27500/udp is already in use ..."). All ENet
/// transports of a process must be polled with the same clock: ENet's is process-wide.
transport_t *EnetTransport_Create(const enet_transport_config_t *config, err_t *err);

/// Returns the counters of the impairment model; zeros if it is off.
impair_counters_t EnetTransport_Impaired(const transport_t *net);

/// The port it is bound to.
uint16_t EnetTransport_Port(const transport_t *net);

/// How many datagrams the guard dropped for a reason.
uint64_t EnetTransport_Dropped(const transport_t *net, guard_why_t why);

/// How many of ENet's slots are taken, connections in the making included.
int32_t EnetTransport_SlotsUsed(const transport_t *net);

EXTERN_C_END

#endif
