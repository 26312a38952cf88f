#include "lib/world_fixture.h"

#include "bsp/map_local.h"
#include "game/game.h"
#include "world/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test world: %s\n", what);
        abort();
    }
}

#define MAX_TEST_EDICTS 1024

void TestWorld_Init(test_world_t *test, const test_map_t *map, int32_t max_clients) {
    TestWorld_InitGame(test, map, max_clients, NULL, NULL);
}

void TestWorld_Start(test_world_t *test, int32_t max_edicts, int32_t max_clients, const char *cvar,
                     const char *value) {
    err_t err = {{0}};
    const world_params_t params = {.max_edicts = max_edicts,
                                   .max_clients = max_clients,
                                   .seed = 1,
                                   .map_hash = test->map.hash,
                                   .bounds = test->map.models[0].bounds};
    test->world = World_Init(malloc(World_Bytes(&params)), &params);
    test->inputs = calloc(1, sizeof *test->inputs);
    test->events = calloc(1, sizeof *test->events);
    must(SV_BindGame(test->world, Game_Export(), &test->game, &err), err.text);
    if (cvar) {
        const game_cvar_table_t *cvars = &Game_Export()->cvars;
        const cvar_def_t *def = Cvar_Find(cvars->list, cvars->count, cvar);
        must(def && Cvar_Set(def, test->world->game, value, &err), "no such cvar or value");
    }
    must(SV_SpawnEntities(test->world, &test->map, &test->game, test->events, &err), err.text);
}

void TestWorld_InitGame(test_world_t *test, const test_map_t *map, int32_t max_clients,
                        const char *cvar, const char *value) {
    must(TestMap_Build(&test->map, map), "the map does not build");
    TestWorld_Start(test, MAX_TEST_EDICTS, max_clients, cvar, value);
}

void TestWorld_InitFile(test_world_t *test, const char *path, int32_t max_clients) {
    err_t err = {{0}};
    must(Map_LoadInto(&test->map, path, &err), err.text);
    TestWorld_Start(test, MAX_TEST_EDICTS, max_clients, NULL, NULL);
}

void TestWorld_Tick(test_world_t *test) {
    Events_Clear(test->events);
    SV_Frame(test->world, &test->map, &test->game, test->inputs, test->events);
    Inputs_Clear(test->inputs);
}

void TestWorld_Join(test_world_t *test, int32_t client, const char *name) {
    input_t *input = Inputs_Add(test->inputs, INPUT_JOIN, client);
    snprintf(input->text, sizeof input->text, "%s", name);
}

void TestWorld_Cmd(test_world_t *test, int32_t client, usercmd_t cmd) {
    input_t *input = Inputs_Add(test->inputs, INPUT_USERCMD, client);
    must(input != NULL, "too many inputs");
    if (cmd.tick == 0) {
        cmd.tick = test->world->tick;
    }
    input->cmd = cmd;
}

int32_t TestWorld_CountEvents(const test_world_t *test, event_type_t type, const char *text) {
    int32_t count = 0;
    for (int32_t i = 0; i < test->events->count; i++) {
        const event_t *event = &test->events->list[i];
        count += event->type == type && strstr(event->text, text) ? 1 : 0;
    }
    return count;
}

void TestWorld_Free(test_world_t *test) {
    CM_FreeMap(&test->map);
    free(test->world);
    free(test->inputs);
    free(test->events);
}
