/// relay/relay.h - a UDP relay that gives each client a bad network of its own.
//
//     client --> listener --> up: impair_t --> upstream socket of that client --> server
//     client <-- listener <-- down: impair_t <-- upstream socket <-------------- server
//
// Memory:  a slot per client address, and RELAY_MAX_BYTES of delayed datagrams.
// Repeat:  the same seed and datagrams have the same fate; the n-th client uses seed + n.

#ifndef EDICTD_RELAY_RELAY_H
#define EDICTD_RELAY_RELAY_H

#include "net/impair.h"

#include <poll.h>

#define RELAY_MAX_CLIENTS 256                // a new client then takes the slot of the longest idle
#define RELAY_MAX_BYTES   ((size_t)64 << 20) // memory of delayed datagrams; more are lost, counted

enum { RELAY_UP, RELAY_DOWN, RELAY_DIRECTIONS };

typedef struct {
    netaddr_t listen; ///< port 0 = any free port
    netaddr_t target;
    const char *network; ///< for Net_Conditions
    uint64_t seed;
} relay_config_t;

/// Sums over all clients of one direction.
typedef struct {
    impair_counters_t fate;
    uint64_t bytes;     ///< received
    uint64_t delivered; ///< datagrams sent on, with duplicates
    uint64_t unsent;    ///< refused by the socket, or above RELAY_MAX_BYTES
} relay_counters_t;

typedef struct {
    relay_counters_t directions[RELAY_DIRECTIONS];
    int32_t clients;      ///< clients that use a slot now
    uint64_t num_clients; ///< clients ever
    uint64_t evicted;     ///< clients whose slot another client took
    size_t waiting_bytes; ///< memory of delayed datagrams
} relay_stats_t;

typedef struct relay_s relay_t;

/// Opens the listener. Returns NULL with the reason.
relay_t *Relay_Create(const relay_config_t *config, err_t *err);

/// Closes all sockets; NULL is allowed.
void Relay_Destroy(relay_t *relay);

/// Returns the bound port.
uint16_t Relay_Port(const relay_t *relay);

/// Receives from all sockets, and sends what is due.
void Relay_Step(relay_t *relay, int64_t now_ms);

/// Writes the sockets to poll; `fds` has room for RELAY_MAX_CLIENTS + 1. Returns their count.
nfds_t Relay_PollFds(const relay_t *relay, struct pollfd *fds);

/// Returns the time until the next datagram is due, at most 1,000 ms.
int32_t Relay_PatienceMs(const relay_t *relay, int64_t now_ms);

relay_stats_t Relay_Stats(const relay_t *relay);

#endif
