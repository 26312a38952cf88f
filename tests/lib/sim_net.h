/// sim_net.h - a seeded network in memory and virtual time, with a reliable layer like ENet's.
//
// Memory:  limited by sim_local.h; datagrams beyond a limit are lost and counted.
// Repeat:  the same seed and calls give the same deliveries, bit for bit.

#ifndef EDICTD_TESTS_SIM_NET_H
#define EDICTD_TESTS_SIM_NET_H

#include "net/impair.h"

/// Conditions of each link: shares in [0, 1], times in ms. Jitter alone keeps the order, as the
/// queue of a router does. The share `reorder` is held back by 10 ms to 10 ms + delay + jitter.
typedef struct {
    float loss, duplicate, reorder;
    int32_t delay_ms, jitter_ms; ///< one direction: delay +- jitter
} sim_conditions_t;

typedef struct sim_net_s sim_net_t;

/// Creates an empty network. Returns NULL if out of memory.
sim_net_t *SimNet_Create(uint64_t seed, sim_conditions_t conditions);

/// Changes the conditions from now on.
void SimNet_SetConditions(sim_net_t *sim, sim_conditions_t conditions);

/// Sends all datagrams of one client through a model of a bad network, from now on. The conditions
/// of all links come on top. `conditions`: NULL = no model any more. Datagrams in flight
/// still arrive.
void SimNet_SetNetwork(sim_net_t *sim, netaddr_t client, const net_conditions_t *conditions);

/// Sets the server's public key, 32 bytes; NULL = sessions are not sealed, and clients
/// expect no key. At first, sessions count as sealed with a key of zeros. Nothing is encrypted.
void SimNet_SetSeal(sim_net_t *sim, const uint8_t *server_key);

/// Cuts (or restores) the link between two addresses' hosts.
void SimNet_SetPartition(sim_net_t *sim, netaddr_t a, netaddr_t b, bool cut);

/// Creates a transport behind the guard of the product. Its destroy or SimNet_Destroy frees it.
/// Returns NULL if the address is in use. Its poll uses the time of the network, not now_ms.
transport_t *SimNet_Transport(sim_net_t *sim, netaddr_t address, int32_t max_peers, bool is_server);

/// Moves virtual time forward; the next polls deliver the datagrams that are due.
void SimNet_Advance(sim_net_t *sim, int64_t now_ms);

/// Sends a datagram from any address, also a forged one. Returns false beyond SIM_MAX_FLYING.
bool SimNet_Inject(sim_net_t *sim, netaddr_t from, netaddr_t to, const void *data, size_t size);

void SimNet_Destroy(sim_net_t *sim);

#endif
