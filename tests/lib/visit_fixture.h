/// test_visit.h - a compiled map with the reference game and players who visit one thing after the
/// other: they are put at it, walk against it, stand on it, jump, and are checked after every tick.

#ifndef EDICTD_TESTS_TEST_VISIT_H
#define EDICTD_TESTS_TEST_VISIT_H

#include "base/rng.h"
#include "core/frame.h"
#include "game/game.h"

#define VISIT_PLAYERS 16
#define VISIT_EDICTS  1024
#define VISIT_TICK_MS 16

typedef struct {
    cmap_t map;
    world_t *world, *fresh; ///< as it is; as it was when the map had started
    size_t bytes;
    game_binding_t game;
    callback_t counted[MAX_CALLBACKS]; ///< what game.callbacks points to: these count, and call ...
    const callback_t *own[MAX_CALLBACKS]; ///< ... the game's own
    int32_t used[VISIT_EDICTS];           ///< calls of use, by edict
    int32_t touched[VISIT_EDICTS];        ///< calls of touch
    int32_t blocked[VISIT_EDICTS];        ///< calls of blocked
    inputs_t *inputs;
    events_t *events;
    rng_t rng;
    bounds_t box;                        ///< of what they visit
    int32_t here;                        ///< players that there was room for
    int32_t inside_ticks[VISIT_PLAYERS]; ///< in a row that somebody was inside something
    // Since TestVisit_Load:
    int64_t ticks, player_ticks, places, deaths, changes; ///< changes: of the map, asked for
    int64_t crowded; ///< ticks a player is a last bit inside another
    int64_t unstuck; ///< what the world counted
    // Since TestVisit_Reset, all but the first of them faults:
    int64_t teleported;
    int64_t stuck, outside, quarantined;
    char fault[256]; ///< the first one, in words
} test_visit_t;

/// Loads a map file and starts the game on it. False when the file does not load; its text is left
/// out then. What the start had to say is in events.
bool TestVisit_Load(test_visit_t *visit, const char *path, err_t *err);

/// Everything as it was when the map had started, nobody there.
void TestVisit_Reset(test_visit_t *visit);

/// The players join and are put on and around what is visited, as many as there is room for.
void TestVisit_Arrive(test_visit_t *visit, bounds_t box);

/// True when a player's box can be where it meets this one: not in a shaft too narrow for him.
bool TestVisit_HasRoom(test_visit_t *visit, bounds_t box);

/// They go.
void TestVisit_Leave(test_visit_t *visit);

/// A tick: the players walk about, and are checked after it. Who has gone far away comes back.
void TestVisit_Tick(test_visit_t *visit);

/// The first that had this targetname (a string id) when the map had started, or NULL.
const edict_t *TestVisit_Named(const test_visit_t *visit, int32_t name);

/// For calls into the game and the engine.
sv_context_t TestVisit_Context(test_visit_t *visit);

void TestVisit_Free(test_visit_t *visit);

#endif
