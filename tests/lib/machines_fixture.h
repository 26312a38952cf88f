/// machines_fixture.h - a room with a player and brush models for pushers and triggers.
//
// The room is 1,000 x 1,000 qu with its floor at 0. Its models:
//   *1  a plate of 64 x 64 x 16 on the floor in the middle
//   *2  *3  two leaves of a door, 16 x 64 x 128, beside each other at x 100
//   *4  a button of 8 x 32 x 32 at x 200, 16 above the floor
//   *5  a wall of 16 x 64 x 96 at x -200
//   *6  a box of 100 x 100 x 64 at (-350, 250)
//   *7  a box of the same size at (-350, -250)

#ifndef EDICTD_TESTS_MACHINES_FIXTURE_H
#define EDICTD_TESTS_MACHINES_FIXTURE_H

#include "game/game.h"
#include "lib/world_fixture.h"

/// Builds the room with these entities; the player "ann" stands at (-400, 0). `max_edicts` 0 =
/// 1024.
void TestMachines_Init(test_world_t *test, const char *entities, int32_t max_edicts);

/// Like TestMachines_Init, with a format of map_fixture.h and more keys of worldspawn.
void TestMachines_InitAs(test_world_t *test, const char *format, const char *world_keys,
                         const char *entities);

/// Returns the first edict of a class, or with a targetname. Aborts if there is none.
edict_t *TestMachines_Class(test_world_t *test, const char *classname);
edict_t *TestMachines_Named(test_world_t *test, const char *targetname);

/// Runs `ms`; returns how many prints and log lines contained `text`.
int32_t TestMachines_Run(test_world_t *test, int32_t ms, const char *text);

/// Puts the player at `origin`, at rest.
void TestMachines_Put(test_world_t *test, vec3_t origin);

/// Returns the context for calls into the game and the server.
sv_context_t TestMachines_Context(test_world_t *test);

#endif
