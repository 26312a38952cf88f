/// runners_fixture.h - snapshots of players that run, turn, jump and rest, written for one of them
/// and read back, with a round trip of six ticks.
//
// `has_all` adds a class, a weapon and an armour of each player, the info records of all clients
// (ping, team, score) and of the world (clock), and 1.5 sounds a second of each player, each sent
// three times.

#ifndef EDICTD_TESTS_RUNNERS_FIXTURE_H
#define EDICTD_TESTS_RUNNERS_FIXTURE_H

#include "base/rng.h"
#include "proto/snapshot_codec.h"

#define RUNNERS_TICK_MS  16
#define RUNNERS_RATE_MHZ 62500
#define RUNNERS_RTT      6 // ticks

enum { MAX_RUNNERS = 512, RUNNERS_SOUND_TICKS = 7 };

/// A player of the simulated match.
typedef struct {
    vec3_t origin, velocity;
    float yaw, turn; ///< degrees, degrees a tick
    int32_t busy_ticks;
    bool runs;
} runner_t;

/// A simulated match, and totals of its snapshots.
typedef struct {
    rng_t rng;
    bool has_all;
    int32_t count; ///< players; the first one receives the snapshots
    runner_t runners[MAX_RUNNERS];
    entity_state_t states[MAX_RUNNERS];
    const entity_state_t *order[MAX_RUNNERS]; ///< entities of a snapshot
    snapshot_ring_t *server, *client;
    uint64_t bytes, entities, moving, deferred; ///< `moving`: other players that moved
    int64_t write_ns, read_ns;                  ///< times of the last snapshot
    // Private to the fixture.
    uint16_t seq;                                // of the next sound
    snapshot_events_t made[RUNNERS_SOUND_TICKS]; // sounds of the last ticks
    snapshot_events_t events;
    entity_state_t fields[MAX_RUNNERS]; // only class and fields
    entity_state_t infos[MAX_RUNNERS + 1];
    const entity_state_t *info_order[MAX_RUNNERS + 1];
} runners_t;

/// Creates a match of 1..MAX_RUNNERS players, always the same for equal arguments. Aborts if out of
/// memory.
runners_t *Runners_Create(int32_t count, bool has_all);
void Runners_Destroy(runners_t *match);

/// Moves all players by a tick and sets their states.
void Runners_Move(runners_t *match);

/// Moves the players, and writes and reads the snapshot of a tick. Ticks count from 1. Aborts if
/// the snapshot cannot be read.
void Runners_Tick(runners_t *match, int64_t tick);

/// Moves one player by a tick.
void Runner_Run(rng_t *rng, runner_t *runner);

#endif
