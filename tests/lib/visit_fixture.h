/// visit_fixture.h - a compiled map with the reference game, and players that visit one edict after
/// another. They are put near it, walk against it, stand on it and jump; every tick checks them.

#ifndef EDICTD_TESTS_VISIT_FIXTURE_H
#define EDICTD_TESTS_VISIT_FIXTURE_H

#include "base/rng.h"
#include "collide/cmap.h"
#include "core/frame.h"
#include "game/game.h"

#define VISIT_PLAYERS 16
#define VISIT_EDICTS  1024
#define VISIT_TICK_MS 16

typedef struct {
    cmap_t map;
    world_t *world, *fresh; ///< the running world, and a copy from the start of the map
    size_t bytes;
    game_binding_t game;
    callback_t counted[MAX_CALLBACKS]; ///< game.callbacks points here: these count, then call ...
    const callback_t *own[MAX_CALLBACKS]; ///< ... the game's own callbacks
    int32_t used[VISIT_EDICTS];           ///< calls of use, by edict
    int32_t touched[VISIT_EDICTS];        ///< calls of touch
    int32_t blocked[VISIT_EDICTS];        ///< calls of blocked
    inputs_t *inputs;
    events_t *events;
    rng_t rng;
    bounds_t box;                        ///< box of the visited edict
    int32_t here;                        ///< number of players placed
    int32_t inside_ticks[VISIT_PLAYERS]; ///< ticks in a row that a player was inside something
    // Counts since TestVisit_Load:
    int64_t ticks, player_ticks, places, deaths, changes; ///< changes: map changes requested
    int64_t crowded; ///< ticks a player overlaps another by a last bit
    int64_t unstuck; ///< unstuck count of the world
    // Counts since TestVisit_Reset; all but the first are faults:
    int64_t teleported;
    int64_t stuck, outside, quarantined;
    char fault[256]; ///< text of the first fault
} test_visit_t;

/// Loads a map file and starts the game on it. Returns false if the file does not load. Log lines
/// of the start are in events.
bool TestVisit_Load(test_visit_t *visit, const char *path, err_t *err);

/// Restores the state of the map's start, without players.
void TestVisit_Reset(test_visit_t *visit);

/// Joins the players and puts them on and around `box`, as many as there is room for.
void TestVisit_Arrive(test_visit_t *visit, bounds_t box);

/// Returns true if a player's box can meet this one; a shaft may be too narrow.
bool TestVisit_HasRoom(test_visit_t *visit, bounds_t box);

/// Removes the players.
void TestVisit_Leave(test_visit_t *visit);

/// Runs a tick: moves the players and checks them. A player far away is put back.
void TestVisit_Tick(test_visit_t *visit);

/// Returns the first edict that had this targetname (a string id) when the map started, or NULL.
const edict_t *TestVisit_Named(const test_visit_t *visit, int32_t name);

/// Returns the context for calls into the game and the server.
sv_context_t TestVisit_Context(test_visit_t *visit);

void TestVisit_Free(test_visit_t *visit);

#endif
