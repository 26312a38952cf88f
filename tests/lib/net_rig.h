/// net_rig.h - a server and clients on one of the two networks, for tests that run on both.
//
// ENet runs on loopback sockets, but in virtual time: its clock is the rig's.

#ifndef EDICTD_TESTS_NET_RIG_H
#define EDICTD_TESTS_NET_RIG_H

#include "base/limits.h"
#include "lib/sim_net.h"

#define NET_RIG_CLIENTS 64
#define NET_RIG_STEP_MS 4

typedef struct {
    bool is_sim;
    sim_net_t *sim;
    int64_t now_ms;
    transport_t *server; ///< the test may destroy these and set them to NULL
    netaddr_t server_address;
    transport_t *clients[NET_RIG_CLIENTS];
    int32_t num_clients;
} net_rig_t;

/// Events of one transport: their counts, and the data of the latest.
typedef struct {
    int32_t connected, left, messages, oob;
    int32_t last_peer;
    net_reason_t reason;
    uint8_t channel;
    uint8_t data[MAX_MESSAGE_BYTES];
    size_t size;
    netaddr_t from;
} net_heard_t;

/// Opens a server with max_peers and clients of one peer each. Fails the test if it cannot.
net_rig_t NetRig_Open(bool is_sim, int32_t max_peers, int32_t num_clients);

void NetRig_Close(net_rig_t *rig);

/// Makes another transport on the rig's network; on the simulated one, at a port of the client's
/// host.
transport_t *NetRig_Make(net_rig_t *rig, int32_t max_peers, bool is_server, uint16_t port);

/// Advances time by one step without polling.
void NetRig_Advance(net_rig_t *rig);

/// Polls a transport until it has no events.
void NetRig_Listen(const net_rig_t *rig, transport_t *net, net_heard_t *heard);

/// Runs for `ms`; `server` and `clients` (an array; both may be NULL) collect the events.
void NetRig_Run(net_rig_t *rig, int32_t ms, net_heard_t *server, net_heard_t *clients);

/// Connects a client; returns its number at the server. Fails the test if that does not work.
int32_t NetRig_Join(net_rig_t *rig, int32_t client);

#endif
