/// mass_fixture.h - a server with up to a thousand clients that only walk and acknowledge. They do
/// not decode snapshots, so that they cost little.
//
// Repeat:  the same arguments give the same run.

#ifndef EDICTD_TESTS_MASS_FIXTURE_H
#define EDICTD_TESTS_MASS_FIXTURE_H

#include "core/server_local.h"

#define MASS_PEERS (MAX_CLIENTS + SERVER_SPARE_PEERS)
#define MASS_KEPT  256 // newest snapshots of a client of which the ticks are noted

typedef struct mass_s mass_t;

/// A client, with its path to the server.
typedef struct {
    int32_t delay_ticks; ///< from a snapshot to its acknowledgement
    float loss;          ///< share of lost snapshots, [0, 1]
    const char *rate;    ///< setting "rate"; NULL = none
    /// Returns the tick that the client acknowledges instead of the newest one that arrived.
    int64_t (*acks)(mass_t *mass, int32_t client);
    bool is_ready; ///< received the MAP
    uint16_t next_seq;
    int64_t named;            ///< for acks()
    int64_t newest;           ///< newest snapshot that arrived
    int32_t snapshots, bytes; ///< sent to it; a test may reset them
    int32_t num_ticks;
    int64_t ticks[MASS_KEPT]; ///< of its snapshots, by number; 0 = lost
} mass_client_t;

struct mass_s {
    transport_t base; ///< first, so that a transport_t * points to this
    server_t *server;
    log_t log;
    rng_t rng;
    int64_t now_ms;
    int map_file; ///< descriptor of the map in memory
    char map_path[64];
    net_event_t next;
    int32_t num_clients;
    int32_t num_dropped; ///< by the server
    mass_client_t clients[MASS_PEERS];
};

/// Starts a server on a hall in which all clients see each other, with a snapshot of each client
/// every `snapshot_ticks`. Aborts on failure.
mass_t *TestMass_Create(int32_t clients, int32_t snapshot_ticks);

/// Joins all clients, or clients `first` to before `end`. Set their paths before.
void TestMass_Join(mass_t *mass);
void TestMass_JoinSome(mass_t *mass, int32_t first, int32_t end);

/// Runs ticks in which all clients walk about.
void TestMass_Run(mass_t *mass, int32_t ticks);

/// Returns the tick of the n-th newest snapshot that was sent to a client; 0 = none, or lost.
int64_t TestMass_Sent(const mass_t *mass, int32_t client, int32_t n);

void TestMass_Free(mass_t *mass);

#endif
