/// predict_fixture.h - a server and clients that predict, each at its own frame rate and with its
/// own clock, on the simulated network in steps of 1 ms.

#ifndef EDICTD_TESTS_PREDICT_FIXTURE_H
#define EDICTD_TESTS_PREDICT_FIXTURE_H

#include "lib/net_fixture.h"

#include "base/rng.h"
#include "core/server_local.h"

#define TEST_PREDICT_CLIENTS 2
#define TEST_PREDICT_LINES   8
#define TEST_PREDICT_SETTLE  3000 // ms until the clocks of usercmds are settled

/// The connection and the clock of the clients.
typedef struct {
    int32_t round_trip_ms, frames_s;
    int32_t cmd_ms; ///< length of a usercmd; 0 = a tick
    int32_t drift_ppm;
} test_line_t;

/// Round trips of 0 to 150 ms, 30 to 240 frames a second, drifts of up to 200 ppm.
extern const test_line_t test_predict_lines[TEST_PREDICT_LINES];

/// A place to play.
typedef struct {
    const char *name;
    const char *entities; ///< in the room of the test; NULL = those of the room
    const char *file;     ///< name of a map of maps/; NULL = the room
} test_scene_t;

/// The common part of all runs of a test. Functions receive the run, a test_predict_t, which may be
/// the first member of a larger struct. All but `choose` may be NULL.
typedef struct {
    const test_map_t *room; ///< for scenes without a file
    int32_t num_clients;    ///< 0 = 1
    /// TestPredict_Run calls it once after the join, half a second before it counts.
    void (*begin)(void *run);
    /// Called after each tick.
    void (*look)(void *run);
    /// Called before each frame of a client: sets its input.
    void (*choose)(void *run, int32_t client, cl_input_t *input);
    /// Called after each frame of a client, with its predicted player.
    void (*draw)(void *run, int32_t client, const player_state_t *predicted);
} test_predict_config_t;

typedef struct {
    test_predict_config_t config;
    const test_scene_t *scene;
    const test_line_t *line;
    uint64_t seed;
    test_net_t net;
    sv_context_t sv;
    rng_t rng;
    cl_t *clients[TEST_PREDICT_CLIENTS];
    cl_input_t inputs[TEST_PREDICT_CLIENTS];
    cl_stats_t before[TEST_PREDICT_CLIENTS];
    uint64_t corrected[TEST_PREDICT_CLIENTS]; ///< until the last frame
    int64_t frames;
    int64_t excused_ms; ///< set by the test: predictions that differ until then are excused
    uint64_t wrong, excused;
} test_predict_t;

/// Predictions since TestPredict_Count.
typedef struct {
    uint64_t wrong;   ///< differed when they were first made
    uint64_t excused; ///< differed as well, before test_predict_t.excused_ms
    uint64_t all;
    float error; ///< largest error of an origin, qu; 0 if none is wrong
} test_predicted_t;

/// Starts a server, and clients that connect.
void TestPredict_Init(test_predict_t *run, const test_predict_config_t *config,
                      const test_scene_t *scene, const test_line_t *line, uint64_t seed);
/// Calls TestPredict_Init and TestPredict_Join, begins, and counts predictions while it plays.
void TestPredict_Run(test_predict_t *run, const test_predict_config_t *config,
                     const test_scene_t *scene, const test_line_t *line, uint64_t seed, int64_t ms);
void TestPredict_Play(test_predict_t *run, int64_t ms);
/// Plays until all clients are active.
void TestPredict_WaitActive(test_predict_t *run);
/// Plays until all clients are active and their clocks of usercmds are settled.
void TestPredict_Join(test_predict_t *run);
/// Begins to count predictions.
void TestPredict_Count(test_predict_t *run);
/// Returns the predictions of all clients.
test_predicted_t TestPredict_Sum(test_predict_t *run);
/// Adds the predictions to a sum, and reports a scene in which some differ.
void TestPredict_Add(test_predict_t *run, test_predicted_t *sum);
void TestPredict_Free(test_predict_t *run);

/// Returns a random edict of a class.
const edict_t *TestPredict_Any(test_predict_t *run, const char *classname);
/// Returns the player of a client, and its edict.
const player_state_t *TestPredict_Player(const test_predict_t *run, int32_t client);
edict_t *TestPredict_Edict(const test_predict_t *run, int32_t client);

#endif
