/// sim_net.h - a seeded network in memory and virtual time, with a reliable layer like ENet's.
//
// Floor:   tests.
// Memory:  bounded by limits in sim_local.h; what exceeds one is lost and counted, as on a network.
// Repeat:  same seed and same calls = same deliveries, bit for bit.

#ifndef EDICTD_TESTS_SIM_NET_H
#define EDICTD_TESTS_SIM_NET_H

#include "net/transport.h"

/// What every link does to a datagram. Shares in [0, 1], times in ms.
/// Jitter alone keeps the order, as a router's queue does; the share `reorder` is held back by
/// 10 ms up to 10 ms + delay + jitter and lets itself be overtaken.
typedef struct {
    float loss, duplicate, reorder;
    int32_t delay_ms, jitter_ms; ///< one way: delay +- jitter
} sim_conditions_t;

typedef struct sim_net_s sim_net_t;

/// An empty network. NULL without memory.
sim_net_t *SimNet_Create(uint64_t seed, sim_conditions_t conditions);

/// Changes the conditions from now on.
void SimNet_SetConditions(sim_net_t *sim, sim_conditions_t conditions);

/// Cuts (or heals) the link between two addresses' hosts.
void SimNet_SetPartition(sim_net_t *sim, netaddr_t a, netaddr_t b, bool cut);

/// A transport at an address of this network; with the same guard in front as the real one.
/// Freed by its own destroy or with the network. NULL when the address is taken. Its poll ignores
/// now_ms: the network's time rules.
transport_t *SimNet_Transport(sim_net_t *sim, netaddr_t address, int32_t max_peers, bool is_server);

/// Moves virtual time forward; datagrams due are delivered to the next polls.
void SimNet_Advance(sim_net_t *sim, int64_t now_ms);

/// Puts a datagram on its way from any address, forged ones too. False when too much is under way.
bool SimNet_Inject(sim_net_t *sim, netaddr_t from, netaddr_t to, const void *data, size_t size);

void SimNet_Destroy(sim_net_t *sim);

#endif
