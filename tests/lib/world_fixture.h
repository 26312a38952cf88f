/// world_fixture.h - a world on a map in memory, ready for SV_Frame: no network, no files.

#ifndef EDICTD_TESTS_WORLD_FIXTURE_H
#define EDICTD_TESTS_WORLD_FIXTURE_H

#include "core/frame.h"
#include "lib/map_fixture.h"

typedef struct {
    cmap_t map;
    world_t *world;
    game_binding_t game;
    inputs_t *inputs;
    events_t *events;
} test_world_t;

/// Builds map and world with the reference game and spawns the entities. Aborts on failure.
void TestWorld_Init(test_world_t *test, const test_map_t *map, int32_t max_clients);

/// Like TestWorld_Init, but first sets one cvar of the game (NULL = none).
void TestWorld_InitGame(test_world_t *test, const test_map_t *map, int32_t max_clients,
                        const char *cvar, const char *value);

/// Like TestWorld_Init, but with a map from a file, and the entities it places.
void TestWorld_InitFile(test_world_t *test, const char *path, int32_t max_clients);

/// Makes the world on test->map, with the reference game, and spawns the entities. First sets one
/// cvar of the game (NULL = none). Aborts on failure.
void TestWorld_Start(test_world_t *test, int32_t max_edicts, int32_t max_clients, const char *cvar,
                     const char *value);

/// Runs a tick with the inputs collected so far, then discards them. Events stay until the next
/// tick.
void TestWorld_Tick(test_world_t *test);

void TestWorld_Join(test_world_t *test, int32_t client, const char *name);

/// Adds a usercmd for the next tick.
void TestWorld_Cmd(test_world_t *test, int32_t client, usercmd_t cmd);

/// Returns how many events of the last tick have this type and contain this text. Before the first
/// tick: the events of the spawning.
int32_t TestWorld_CountEvents(const test_world_t *test, event_type_t type, const char *text);

void TestWorld_Free(test_world_t *test);

#endif
