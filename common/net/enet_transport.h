/// net/enet_transport.h - the transport of the product: ENet on UDP behind the guard.
//
// IPv4 only.

#ifndef EDICTD_NET_ENET_TRANSPORT_H
#define EDICTD_NET_ENET_TRANSPORT_H

#include "base/log.h"
#include "net/filter.h"
#include "net/guard.h"
#include "net/impair.h"
#include "net/ranges.h"
#include "net/transport.h"

EXTERN_C_BEGIN

typedef struct {
    netaddr_t bind;                ///< port 0 = any free port; host 0 = all interfaces
    int32_t max_peers;             ///< 1..4095
    bool is_server;                ///< accepts connections and cookie requests
    const log_t *log;              ///< must outlive the transport
    int32_t max_peers_per_address; ///< connections of one address; 0 = no limit
    const netranges_t *exempt;     ///< see Net_IsExempt; the list may change at any time
    int32_t max_waiting;           ///< connections that are not admitted; 0 = no limit
    net_allow_fn *allows;          ///< server: judges each proven address; NULL = allow all
    void *allow_context;
    net_seal_t seal;           ///< server: clients set it with transport_t.set_seal
    const uint8_t *secret_key; ///< server: KEY_BYTES; NULL = random
    /// Server: the clock of polls is the real one. rtt_ms then leaves out the time for which
    /// datagrams waited in the kernel.
    bool is_real_time;
    bool without_checksum; ///< for clients whose ENet cannot set a checksum; server and clients
        ///< must use the same value. Risk: docs/enet.md, "Forged disconnects"
    /// Called every 32 datagrams. Return true to stop reading; the rest waits in the kernel. NULL =
    /// never.
    bool (*is_late)(void *context);
    void *late_context;
    /// Simulates a bad network; NULL = off. Applies to received datagrams, and to those that a
    /// client sends. Net_Conditions fills both.
    const impair_conditions_t *impair;
    const impair_conditions_t *impair_sent; ///< of what a client sends; NULL = like `impair`
} enet_transport_config_t;

/// Opens the socket. Returns NULL with the reason. Poll all transports of a process with the same
/// clock.
transport_t *EnetTransport_Create(const enet_transport_config_t *config, err_t *err);

/// Returns the impairment counters of sent or received datagrams; zeros if off.
impair_counters_t EnetTransport_Impaired(const transport_t *net, bool sent);

/// Returns the bound port.
uint16_t EnetTransport_Port(const transport_t *net);

/// Returns how many ENet peers are used, with pending connections.
int32_t EnetTransport_SlotsUsed(const transport_t *net);

EXTERN_C_END

#endif
