/// test_world.h - a world on a map in memory, ready for SV_Frame: no network, no files.

#ifndef EDICTD_TESTS_TEST_WORLD_H
#define EDICTD_TESTS_TEST_WORLD_H

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

/// The same with a cvar of the game set before the entities are spawned (NULL = none).
void TestWorld_InitGame(test_world_t *test, const test_map_t *map, int32_t max_clients,
                        const char *cvar, const char *value);

/// The same with a map that lies in a file, and what it places.
void TestWorld_InitFile(test_world_t *test, const char *path, int32_t max_clients);

/// Runs a tick with the inputs collected so far, then forgets them. Events stay until the next.
void TestWorld_Tick(test_world_t *test);

void TestWorld_Join(test_world_t *test, int32_t client, const char *name);

/// A command for the tick that comes next.
void TestWorld_Cmd(test_world_t *test, int32_t client, usercmd_t cmd);

/// How many events of the last tick (before the first: of the spawning) are of a type and have a
/// text in them.
int32_t TestWorld_CountEvents(const test_world_t *test, event_type_t type, const char *text);

void TestWorld_Free(test_world_t *test);

#endif
