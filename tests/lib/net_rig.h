/// net_rig.h - a server and clients on one of the two networks, for tests that hold for both.
//
// ENet runs on loopback sockets, but in virtual time too: its clock is the rig's.

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
    transport_t *server; ///< may be destroyed and set to NULL by the test, as may the clients
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

/// A server with max_peers and clients of one peer each. Fails the test when it cannot.
net_rig_t NetRig_Open(bool is_sim, int32_t max_peers, int32_t num_clients);

void NetRig_Close(net_rig_t *rig);

/// Another transport on the rig's network; on the simulated one at a port of the client's host.
transport_t *NetRig_Make(net_rig_t *rig, int32_t max_peers, bool is_server, uint16_t port);

/// One step of time, without polling anybody.
void NetRig_Advance(net_rig_t *rig);

/// Polls a transport dry.
void NetRig_Listen(const net_rig_t *rig, transport_t *net, net_heard_t *heard);

/// Runs for a while; `server` and `clients` (an array; both may be NULL) gather what was heard.
void NetRig_Run(net_rig_t *rig, int32_t ms, net_heard_t *server, net_heard_t *clients);

/// Connects a client; its number at the server. Fails the test when that does not work.
int32_t NetRig_Join(net_rig_t *rig, int32_t client);

#endif
