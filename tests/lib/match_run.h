/// match_run.h - runs the plan of a short match: a real server and real clients in virtual time.
//
// The first fault ends the match. It is printed with the plan and the seed.

#ifndef EDICTD_TESTS_MATCH_RUN_H
#define EDICTD_TESTS_MATCH_RUN_H

#include "core/server_local.h"
#include "lib/match_plan.h"
#include "lib/net_fixture.h"
#include "proto/control.h"
#include "proto/snapshot_ring.h"

/// The state in which a client of a match should be.
typedef enum {
    WANTED_IN,  ///< joins again after each loss
    WANTED_OUT, ///< left, or its program died
    WANTED_ANY  ///< was kicked: may be out, or in again
} wanted_t;

#define MATCH_FILES 8

/// A downloaded file.
typedef struct {
    char path[128];
    void *data;
    size_t size;
} match_file_t;

typedef struct {
    transport_t *net;
    cl_t *cl;        ///< NULL = no program runs
    cl_maps_t *maps; ///< its own, if it downloads
    match_file_t files[MATCH_FILES];
    int32_t num_files;
    wanted_t wanted;
    netaddr_t address;
    bool has_joined;       ///< ever
    int64_t next_frame_ms; ///< of the match
    int64_t next_input_ms;
    int64_t next_lie_ms;
    rejoin_key_t key, old_key;   ///< for a return: the newest, and the one that was used
    int64_t network_until_ms;    ///< end of a cut; 0 = none
    uint32_t epoch;              ///< of the snapshot that was compared last
    int64_t seen_tick;           ///< its tick
    uint32_t filled_ms;          ///< of its player, as last seen
    int64_t acked_tick;          ///< of the last acknowledged snapshot that was compared
    int32_t heard[PLAN_CLIENTS]; ///< number of the last chat line of each client
    int32_t num_lines;           ///< said
    int32_t num_noises;          ///< sounds and effects of the map, since the last join
    char reason[MAX_TEXT_BYTES];
} match_client_t;

/// Counters of all matches.
typedef struct {
    uint64_t matches, ticks, snapshots; ///< snapshots: received by clients
    uint64_t compared;                  ///< snapshots compared when received
    uint64_t not_kept;                  ///< those that the server had dropped before
    uint64_t acked;                     ///< snapshots compared when acknowledged
    uint64_t truths;                    ///< snapshots compared with the world
    uint64_t entities;                  ///< states compared
    uint64_t downloads;                 ///< files
    uint64_t lies;                      ///< packets and messages that must have no effect
    uint64_t old_keys;                  ///< tries of a rejoin key that was used
    uint64_t noises, queued;            ///< sounds and effects: received, and sent at least once
    uint64_t joins, returns, lost, drops, maps, settled_ms;
    uint64_t predictions, mispredictions;
    uint64_t acts[ACT_COUNT];
} match_counts_t;

/// The things that all matches share.
typedef struct {
    char folder[64];
    cl_maps_t *maps;
    const game_export_t *game;
    match_counts_t counts;
    bool is_loud;                                      ///< prints plans and log lines
    const entity_state_t *lists[2][MAX_SNAPSHOT_ENTS]; ///< space of the checks
    entity_state_t moved[2][MAX_SNAPSHOT_ENTS];
} match_house_t;

typedef struct {
    const plan_t *plan;
    match_house_t *house;
    rng_t rng;
    sim_net_t *sim;
    transport_t *server_net;
    server_t *server;
    log_t log;
    match_client_t clients[PLAN_CLIENTS];
    uint16_t event_seqs[PLAN_CLIENTS + 8]; ///< of each slot's queue of sounds and effects
    int32_t next_event;
    int32_t num_steps; ///< a limit ends the match
    int64_t now_ms, next_tick_ms, asleep_until_ms;
    bool is_healed;
    bool is_shut;
    uint64_t hash; ///< of all worlds
    char fault[512];
} match_t;

/// Writes the maps that the matches use. Aborts on failure.
void Matches_Open(match_house_t *house);
void Matches_Close(match_house_t *house);

/// Returns the name of map 0..PLAN_MAPS-1.
const char *Matches_Map(int32_t number);

/// Runs the match of a seed. Returns false after a fault, which is printed. `hash`: receives a hash
/// of all that happened; may be NULL.
bool Matches_Run(match_house_t *house, uint64_t seed, uint64_t *hash);

/// Notes the first fault of a match.
void Match_Fault(match_t *match, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Creates the maps of a client that downloads them, and frees them with the files.
void Match_OpenDownloads(match_client_t *client);
void Match_CloseDownloads(match_client_t *client);

// match_noises.c
/// Counts a sound or an effect that a client received. A join or a map starts from 0.
void Match_HearEvent(match_t *match, int32_t n, const cl_event_t *event);
/// Checks that a client received at most the sounds and effects that the server sent to its slot.
void Match_CheckNoises(match_t *match, int32_t n, int32_t slot);
/// Counts the sounds and effects that the server sent in this tick for the first time.
void Match_CountQueued(match_t *match);

// match_rogue.c
/// Sends what the server must refuse, if the client is a rogue: usercmds and READY of other epochs,
/// and views of snapshots that the client cannot have.
void Match_Lie(match_t *match, int32_t n);
/// Checks after a drain that no lie had an effect, that no acknowledged event waits, and that no
/// rejoin key is good twice.
void Match_CheckSessions(match_t *match);
/// Checks that a client took all events of a snapshot that it received.
void Match_CheckEvents(match_t *match, int32_t n, int32_t slot, int64_t tick);

// match_checks.c
/// Returns the session of a client; NULL = none.
const session_t *Match_Session(const match_t *match, const match_client_t *client);
/// Compares the newest snapshot of a client with the server's.
void Match_CheckReceived(match_t *match, int32_t n);
/// Compares the snapshots that were acknowledged last.
void Match_CheckAcked(match_t *match);
/// Compares the snapshots that were sent in this tick with the world.
void Match_CheckTruth(match_t *match);
/// Checks the clients at the end, when nothing is in flight.
void Match_CheckSettled(match_t *match);
/// Returns true if every client is in that should be, and if the commands of all arrive in time.
bool Match_IsSettled(match_t *match);
/// Checks the server after all clients have gone.
void Match_CheckEmpty(match_t *match);

#endif
