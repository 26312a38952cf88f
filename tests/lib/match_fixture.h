/// match_fixture.h - a match of the reference game on a compiled map, without a network.
//
// Every player runs at the nearest enemy and shoots. All choices come from a seed.

#ifndef EDICTD_TESTS_MATCH_FIXTURE_H
#define EDICTD_TESTS_MATCH_FIXTURE_H

#include "base/rng.h"
#include "collide/cmap.h"
#include "core/frame.h"
#include "game/game.h"
#include "world/block.h"

#define MATCH_PLAYERS 16
#define MATCH_TICK_MS 16

typedef struct {
    const char *map;     ///< name of a project map, or the path of a file; NULL = foundry
    const char *profile; ///< NULL = quake
    int32_t gametype, fraglimit;
    /// With monsters, all players are one team and attack them; after 8 s one player in four
    /// shoots.
    bool monsters;
} test_match_config_t;

typedef struct {
    cmap_t map;
    world_t *world;
    game_binding_t game;
    inputs_t *inputs;
    events_t *events;
    rng_t rng;
    bool monsters;
    // Counts:
    int32_t kills, spawns, changes;
    int32_t stuck; ///< ticks that a player was inside something solid
} test_match_t;

/// Loads the map and starts the match; all players join in its first tick. Returns false and prints
/// why if the map is missing.
bool TestMatch_Start(test_match_t *match, const test_match_config_t *config);

/// Runs the fight for a number of ticks.
void TestMatch_Play(test_match_t *match, int32_t ticks);

/// Return the sum of the players' deaths, and the highest frags.
int32_t TestMatch_Deaths(const test_match_t *match);
int32_t TestMatch_MostFrags(const test_match_t *match);

/// Returns the context for calls into the game and the server.
sv_context_t TestMatch_Context(test_match_t *match);

void TestMatch_Free(test_match_t *match);

#endif
