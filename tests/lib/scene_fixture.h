/// scene_fixture.h - a hall with every feature that pmove handles, and players that run through it:
/// stairs, slopes, corners, a pool with a bank, a low ceiling, a push pad and a teleporter.
//
// Uses no test framework, so that tests/golden/across.sh can run it on other CPUs.

#ifndef EDICTD_TESTS_SCENE_FIXTURE_H
#define EDICTD_TESTS_SCENE_FIXTURE_H

#include "base/rng.h"
#include "bsp/bsp.h"
#include "lib/golden_fixture.h"
#include "move/pmove.h"

typedef struct {
    cmap_t map;
    pm_world_t world;
    pm_hooks_t hooks; ///< the push pad and the teleporter
    int64_t num_steps, num_pushes, num_teleports, num_wet, num_jumps, num_steps_up;
    bool has_extras; ///< a ladder, a belt and a stream, for profiles
    int64_t num_ducked, num_climbing, num_on_belt, num_in_stream;
    uint64_t seen; ///< hash of the hooks' arguments and the player after each sub-step
} test_scene_t;

/// Builds the hall. Returns false if the map cannot be built.
bool TestScene_Build(test_scene_t *scene);

/// Adds features of the other games: a ladder up the block after the stairs, a conveyor belt on the
/// floor before them, a stream through the air across the hall's middle.
void TestScene_AddExtras(test_scene_t *scene);

/// Number of starting points; each is near one feature.
#define TEST_SCENE_SPOTS 10
player_state_t TestScene_PlayerAt(int32_t spot);

/// Input that a player holds for `ms`.
typedef struct {
    usercmd_t cmd; ///< msec is not used
    int32_t ms;
} test_hold_t;

/// Makes random input for `total_ms`, first towards the spot's feature. View, movement and buttons
/// change every 1..60 ms. Returns the number of holds, at most `max`.
int32_t TestScene_RandomInput(rng_t *rng, int32_t spot, int32_t total_ms, test_hold_t *holds,
                              int32_t max);

/// Presses the duck button in some of the holds, from a generator of its own.
void TestScene_AddDucks(rng_t *rng, test_hold_t *holds, int32_t count);

/// Prints runs from every spot in hex: default movevars, plain hall.
void TestScene_PrintRuns(test_golden_t *golden);

/// Prints runs of the client movetypes that pmove moves: noclip, fly, toss and none.
void TestScene_PrintTypes(test_golden_t *golden);

/// Prints runs of a profile, with ducking, in the hall with extras.
void TestScene_PrintProfile(test_golden_t *golden, const char *profile);

#endif
