/// test_arena.h - a match of the reference game in a bare room: players put somewhere, time that
/// passes, what was said.

#ifndef EDICTD_TESTS_TEST_ARENA_H
#define EDICTD_TESTS_TEST_ARENA_H

#include "game/game.h"
#include "lib/world_fixture.h"

#define ARENA_TICK_MS 16
#define ARENA_FLOOR   24.03125f // z of a player who stands

// Middles of what stands in the room, z 0 to 200.
#define ARENA_LAVA  ((vec3_t){300.0f, -300.0f, ARENA_FLOOR})
#define ARENA_SLIME ((vec3_t){300.0f, 300.0f, ARENA_FLOOR})
#define ARENA_WATER ((vec3_t){-300.0f, 300.0f, ARENA_FLOOR})
#define ARENA_WADE  ((vec3_t){-300.0f, -300.0f, ARENA_FLOOR}) // slime to the feet only

/// A room of 1000 x 1000 qu around 0, the floor at 0, 1600 high, with four pools. Two spawn points at
/// x -100 and 100; `entities` come on top (NULL = none). One cvar of the game is set before (NULL =
/// none).
void TestArena_Init(test_world_t *test, int32_t max_clients, const char *entities, const char *cvar,
                    const char *value);

/// Joins and puts somebody.
void TestArena_Join(test_world_t *test, int32_t slot, const char *name, vec3_t origin);

void TestArena_Put(test_world_t *test, int32_t slot, vec3_t origin);

player_fields_t *TestArena_Fields(const test_world_t *test, int32_t slot);
game_vars_t *TestArena_Vars(const test_world_t *test);
int32_t TestArena_Health(const test_world_t *test, int32_t slot);

/// He types a command.
void TestArena_Tell(test_world_t *test, int32_t slot, const char *text);

/// Time with commands of everybody's, yaw 0: nobody presses anything but `slot`. How many prints had
/// that text in them.
int32_t TestArena_Run(test_world_t *test, int32_t ms, const char *print);
int32_t TestArena_Press(test_world_t *test, int32_t slot, int32_t ms, uint8_t buttons,
                        uint8_t impulse, const char *print);

/// The first living edict of a class, or NULL.
edict_t *TestArena_Find(const test_world_t *test, const char *classname);
int32_t TestArena_Count(const test_world_t *test, const char *classname);

#endif
