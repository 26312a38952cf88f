/// test_match.h - a match of the reference game on a compiled map, without a network.
//
// Players who do nothing but go for the nearest enemy and shoot, drawn from a seed.

#ifndef EDICTD_TESTS_TEST_MATCH_H
#define EDICTD_TESTS_TEST_MATCH_H

#include "base/rng.h"
#include "core/frame.h"
#include "game/game.h"
#include "world/block.h"

#define MATCH_PLAYERS 16
#define MATCH_TICK_MS 16

typedef struct {
    const char *map;     ///< a map of ours by name, or the path of a file; NULL = foundry
    const char *profile; ///< NULL = quake
    int32_t gametype, fraglimit;
    /// Monsters are there: all players are one team, go for them, and after 8 s one in four
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
    // Counted:
    int32_t kills, spawns, changes;
    int32_t stuck; ///< ticks that a player was in something solid
} test_match_t;

/// Loads the map and starts the match; everybody joins in its first tick. False, and said so, when
/// the map is not there.
bool TestMatch_Start(test_match_t *match, const test_match_config_t *config);

/// Everybody fights for so many ticks.
void TestMatch_Play(test_match_t *match, int32_t ticks);

/// Sum of the players' deaths, and the best one's frags.
int32_t TestMatch_Deaths(const test_match_t *match);
int32_t TestMatch_MostFrags(const test_match_t *match);

/// For calls into the game and the engine.
sv_context_t TestMatch_Context(test_match_t *match);

void TestMatch_Free(test_match_t *match);

#endif
