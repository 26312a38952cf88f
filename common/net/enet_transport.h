/// net/enet_transport.h - the real transport: ENet on UDP behind the guard.
//
// Floor:   net. IPv4 only.

#ifndef EDICTD_NET_ENET_TRANSPORT_H
#define EDICTD_NET_ENET_TRANSPORT_H

#include "base/log.h"
#include "net/transport.h"

typedef struct {
    netaddr_t bind;    ///< port 0 = any free one; host 0 = all interfaces
    int32_t max_peers; ///< 1..4095
    bool is_server;    ///< a server takes connections and answers cookie requests
    const log_t *log;
} enet_transport_config_t;

/// Opens the socket. NULL with the reason ("port 27500 is already in use ...").
transport_t *EnetTransport_Create(const enet_transport_config_t *config, err_t *err);

/// The port it is bound to.
uint16_t EnetTransport_Port(const transport_t *net);

#endif
