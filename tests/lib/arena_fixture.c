#include "lib/arena_fixture.h"
#include "game/players.h"

#include <stdio.h>
#include <string.h>

static const test_block_t blocks[] = {
    {.box = {{200, -400, 0}, {400, -200, 200}}, .contents = CONTENTS_LAVA},
    {.box = {{200, 200, 0}, {400, 400, 200}}, .contents = CONTENTS_SLIME},
    {.box = {{-400, 200, 0}, {-200, 400, 200}}, .contents = CONTENTS_WATER},
    {.box = {{-400, -400, 0}, {-200, -200, 16}}, .contents = CONTENTS_SLIME},
};

void TestArena_Init(test_world_t *test, int32_t max_clients, const char *entities, const char *cvar,
                    const char *value) {
    char all[8192];
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 1600}},
                            .blocks = blocks,
                            .num_blocks = (int32_t)COUNTOF(blocks),
                            .entities = all};
    snprintf(all, sizeof all,
             "{ \"classname\" \"worldspawn\" }"
             "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-100 0 25\" }"
             "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"100 0 25\" }%s",
             entities ? entities : "");
    TestWorld_InitGame(test, &map, max_clients, cvar, value);
}

void TestArena_Join(test_world_t *test, int32_t slot, const char *name, vec3_t origin) {
    TestWorld_Join(test, slot, name);
    TestWorld_Tick(test);
    TestArena_Put(test, slot, origin);
}

void TestArena_Put(test_world_t *test, int32_t slot, vec3_t origin) {
    edict_t *edict = World_Edict(test->world, slot + 1);
    edict->origin = origin;
    edict->velocity = Vector(0.0f, 0.0f, 0.0f);
    World_Client(test->world, slot)->player.origin = origin;
    World_Client(test->world, slot)->player.velocity = edict->velocity;
}

player_fields_t *TestArena_Fields(const test_world_t *test, int32_t slot) {
    return Game_PlayerFields(World_Client(test->world, slot));
}

game_vars_t *TestArena_Vars(const test_world_t *test) {
    return (game_vars_t *)(void *)test->world->game;
}

int32_t TestArena_Health(const test_world_t *test, int32_t slot) {
    return World_Client(test->world, slot)->player.health;
}

void TestArena_Tell(test_world_t *test, int32_t slot, const char *text) {
    input_t *input = Inputs_Add(test->inputs, INPUT_TEXT, slot);
    snprintf(input->text, sizeof input->text, "%s", text);
}

int32_t TestArena_Press(test_world_t *test, int32_t slot, int32_t ms, uint8_t buttons,
                        uint8_t impulse, const char *print) {
    int32_t count = 0;
    for (int32_t at = 0; at < ms; at += ARENA_TICK_MS) {
        for (int32_t i = 0; i < test->world->max_clients; i++) {
            usercmd_t cmd = {.msec = ARENA_TICK_MS};
            if (i == slot) {
                cmd.buttons = buttons;
                cmd.impulse = at == 0 ? impulse : 0;
            }
            if (World_Client(test->world, i)->inuse) {
                TestWorld_Cmd(test, i, cmd);
            }
        }
        TestWorld_Tick(test);
        count += TestWorld_CountEvents(test, EVENT_PRINT, print);
    }
    return count;
}

int32_t TestArena_Run(test_world_t *test, int32_t ms, const char *print) {
    return TestArena_Press(test, -1, ms, 0, 0, print);
}

static edict_t *find(const test_world_t *test, const char *classname, int32_t *count) {
    edict_t *first = NULL;
    for (int32_t i = 1; i < test->world->num_edicts; i++) {
        edict_t *edict = World_Edict(test->world, i);
        if (World_IsLive(edict) &&
            strcmp(World_Text(test->world, edict->classname), classname) == 0) {
            first = first ? first : edict;
            (*count)++;
        }
    }
    return first;
}

edict_t *TestArena_Find(const test_world_t *test, const char *classname) {
    int32_t count = 0;
    return find(test, classname, &count);
}

int32_t TestArena_Count(const test_world_t *test, const char *classname) {
    int32_t count = 0;
    find(test, classname, &count);
    return count;
}
