#include "lib/machines_fixture.h"
#include "lib/events_fixture.h"

#include "core/core_local.h"
#include "world/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_MS 16

static const test_block_t models[] = {
    {.box = {{-32, -32, 0}, {32, 32, 16}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{100, -64, 0}, {116, 0, 128}}, .contents = CONTENTS_SOLID, .model = 2},
    {.box = {{100, 0, 0}, {116, 64, 128}}, .contents = CONTENTS_SOLID, .model = 3},
    {.box = {{200, -16, 16}, {208, 16, 48}}, .contents = CONTENTS_SOLID, .model = 4},
    {.box = {{-200, -32, 0}, {-184, 32, 96}}, .contents = CONTENTS_SOLID, .model = 5},
    {.box = {{-400, 200, 0}, {-300, 300, 64}}, .contents = CONTENTS_SOLID, .model = 6},
    {.box = {{-400, -300, 0}, {-300, -200, 64}}, .contents = CONTENTS_SOLID, .model = 7},
};

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test machines: %s\n", what);
        abort();
    }
}

static void init(test_world_t *test, const char *format, const char *world_keys,
                 const char *entities, int32_t max_edicts) {
    size_t size = strlen(entities) + strlen(world_keys) + 256;
    char *text = malloc(size);
    must(text != NULL, "no memory");
    snprintf(text, size,
             "{ \"classname\" \"worldspawn\" %s }\n"
             "{ \"classname\" \"info_player_start\" \"origin\" \"-400 0 24\" }\n%s",
             world_keys, entities);
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}},
                            .blocks = models,
                            .num_blocks = (int32_t)COUNTOF(models),
                            .entities = text,
                            .format = format,
                            .brush_list = true};
    memset(test, 0, sizeof *test);
    must(TestMap_Build(&test->map, &map), "the map does not build");
    TestWorld_Start(test, max_edicts > 0 ? max_edicts : 1024, 2, NULL, NULL);
    free(text);
}

void TestMachines_Init(test_world_t *test, const char *entities, int32_t max_edicts) {
    init(test, NULL, "", entities, max_edicts);
}

void TestMachines_InitAs(test_world_t *test, const char *format, const char *world_keys,
                         const char *entities) {
    init(test, format, world_keys, entities, 0);
}

static edict_t *find(test_world_t *test, size_t offset, const char *name) {
    for (int32_t i = 1; i < test->world->num_edicts; i++) {
        edict_t *edict = World_Edict(test->world, i);
        int32_t id = 0;
        memcpy(&id, (const uint8_t *)edict + offset, sizeof id);
        if (edict->inuse && strcmp(World_Text(test->world, id), name) == 0) {
            return edict;
        }
    }
    must(false, name);
    return NULL;
}

edict_t *TestMachines_Class(test_world_t *test, const char *classname) {
    return find(test, offsetof(edict_t, classname), classname);
}

edict_t *TestMachines_Named(test_world_t *test, const char *targetname) {
    return find(test, offsetof(edict_t, targetname), targetname);
}

int32_t TestMachines_Run(test_world_t *test, int32_t ms, const char *text) {
    int32_t count = 0;
    for (int32_t at = 0; at < ms; at += TICK_MS) {
        if (!World_Client(test->world, 0)->inuse) {
            TestWorld_Join(test, 0, "ann");
        } else {
            TestWorld_Cmd(test, 0, (usercmd_t){.msec = TICK_MS});
        }
        TestWorld_Tick(test);
        for (int32_t i = 0; text && i < test->events->count; i++) {
            count += strstr(test->events->list[i].text, text) ? 1 : 0;
        }
        count += text ? TestEvents_Effects(test->world, test->events, text) : 0;
    }
    return count;
}

void TestMachines_Put(test_world_t *test, vec3_t origin) {
    edict_t *player = World_Edict(test->world, 1);
    player->origin = origin;
    player->oldorigin = origin;
    player->velocity = Vector(0.0f, 0.0f, 0.0f);
}

sv_context_t TestMachines_Context(test_world_t *test) {
    return SV_Context(test->world, &test->map, &test->game, test->events);
}
