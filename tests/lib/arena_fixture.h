/// arena_fixture.h - a match of the reference game in a bare room. Places players, runs time,
/// counts prints.

#ifndef EDICTD_TESTS_ARENA_FIXTURE_H
#define EDICTD_TESTS_ARENA_FIXTURE_H

#include "game/game.h"
#include "game/players.h"
#include "lib/world_fixture.h"

#define ARENA_TICK_MS 16
#define ARENA_FLOOR   24.03125f // z of a standing player

// Centres of the pools, z 0 to 200.
#define ARENA_LAVA  ((vec3_t){300.0f, -300.0f, ARENA_FLOOR})
#define ARENA_SLIME ((vec3_t){300.0f, 300.0f, ARENA_FLOOR})
#define ARENA_WATER ((vec3_t){-300.0f, 300.0f, ARENA_FLOOR})
#define ARENA_WADE  ((vec3_t){-300.0f, -300.0f, ARENA_FLOOR}) // slime up to the feet

/// Builds a room of 1000 x 1000 qu around 0, floor at 0, 1600 high, with four pools and two spawn
/// points at x -100 and 100. `entities` (may be NULL) are added. Sets one cvar of the game first
/// (NULL = none).
void TestArena_Init(test_world_t *test, int32_t max_clients, const char *entities, const char *cvar,
                    const char *value);

/// Joins a player and puts it at a spot.
void TestArena_Join(test_world_t *test, int32_t slot, const char *name, vec3_t origin);

void TestArena_Put(test_world_t *test, int32_t slot, vec3_t origin);

player_fields_t *TestArena_Fields(const test_world_t *test, int32_t slot);
game_vars_t *TestArena_Vars(const test_world_t *test);
int32_t TestArena_Health(const test_world_t *test, int32_t slot);

/// Runs a client command of that player.
void TestArena_Tell(test_world_t *test, int32_t slot, const char *text);

/// Runs `ms` with usercmds of all players, yaw 0; only `slot` presses anything. Returns how many
/// prints contained `print`.
int32_t TestArena_Run(test_world_t *test, int32_t ms, const char *print);
int32_t TestArena_Press(test_world_t *test, int32_t slot, int32_t ms, uint8_t buttons,
                        uint8_t impulse, const char *print);

/// Returns the first living edict of a class, or NULL.
edict_t *TestArena_Find(const test_world_t *test, const char *classname);
int32_t TestArena_Count(const test_world_t *test, const char *classname);

#endif
