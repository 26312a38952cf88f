/// tests/modules/tiny.h - a game of a few lines. Each module here is a build of it with one
/// difference.

#ifndef EDICTD_TESTS_MODULES_TINY_H
#define EDICTD_TESTS_MODULES_TINY_H

#include "core/game_api.h"

#include <string.h>

#ifndef TINY_ANSWER
#define TINY_ANSWER "nobody"
#endif

#ifndef TINY_FAULT
#define TINY_FAULT
#endif

typedef struct {
    int32_t thinks, best;
} tiny_world_t;

static void tiny_think(sv_context_t *sv, edict_t *self) {
    ((tiny_world_t *)sv->engine->world_vars(sv))->thinks++;
    TINY_FAULT;
    sv->engine->next_think(sv, self, sv->engine->time_ms(sv) + 100);
}

static void tiny_started(sv_context_t *sv) {
    edict_t *clock = sv->engine->spawn(sv);
    clock->think = sv->engine->callback(sv, "tiny_think");
    clock->classname = sv->engine->string(sv, "tiny_clock");
    sv->engine->next_think(sv, clock, 100);
}

static void tiny_spawn(sv_context_t *sv, edict_t *self) {
    (void)sv;
    self->visibility = VISIBLE_NOBODY;
}

static void tiny_join(sv_context_t *sv, edict_t *player, client_t *client) {
    const edict_t *spot = sv->engine->find_class(sv, NULL, "info_player_start");
    player->origin = spot->origin;
    player->solid = SOLID_SLIDEBOX;
    int32_t *score = (int32_t *)(void *)client->game;
    *score = 7;
}

static bool tiny_command(sv_context_t *sv, edict_t *player, client_t *client, const char *text) {
    (void)client;
    if (strcmp(text, "who") == 0) {
        sv->engine->print(sv, sv->engine->slot(sv, player), TINY_ANSWER);
        return true;
    }
    if (strcmp(text, "again") == 0) {
        sv->engine->change_map(sv, "");
        return true;
    }
    return false;
}

// Sets the cvar if there is a number.
static void tiny_ask(sv_context_t *sv, int32_t argc, const char *const *argv) {
    if (argc > 1) {
        sv->engine->set_cvar(sv, "tiny_best", argv[1]);
    }
    sv->engine->reply(sv, "%s", TINY_ANSWER);
}

static const game_command_t tiny_commands[] = {
    {"tiny_ask", "[NUMBER]", "replies which build this is", 0, 1, tiny_ask},
#ifdef TINY_COMMAND
    {TINY_COMMAND, "", "a command of this build only", 0, 0, tiny_ask},
#endif
};

static const callback_t tiny_callbacks[] = {
#ifdef TINY_OTHER_THINK
    {.name = "other_think", .think = tiny_think},
#else
    {.name = "tiny_think", .think = tiny_think},
#endif
};

static const game_spawn_t tiny_spawns[] = {
    {.classname = "worldspawn"},
    {.classname = "info_player_start", .spawn = tiny_spawn},
};

static const game_field_t tiny_client[] = {
    {"score", FIELD_INT, 0, FIELD_ALL, NULL, 0, 0, 0},
    {"secret", FIELD_INT, 4, 0, NULL, 0, 0, 0},
};

static const game_field_t tiny_world[] = {
    {"thinks", FIELD_INT, offsetof(tiny_world_t, thinks), 0, NULL, 0, 0, 0},
#ifdef TINY_EXTRA_FIELD
    {"extra", FIELD_INT, 64, 0, NULL, 0, 0, 0},
#endif
};

static const cvar_def_t tiny_cvars[] = {
    {"tiny_best", CVAR_INT, 0, "3", 0, 10, "", "a number", offsetof(tiny_world_t, best)},
};

#ifdef TINY_MODEL
static const game_model_t tiny_models[] = {{.name = "ogre", .file = TINY_MODEL}};
#endif

__attribute__((visibility("default"))) const game_export_t *Game_Export(void);
const game_export_t *Game_Export(void) {
    static const game_export_t table = {
        .api_version = GAME_API_VERSION,
        .name = "tiny",
        .callbacks = tiny_callbacks,
        .num_callbacks = (int32_t)COUNTOF(tiny_callbacks),
        .client_fields = {tiny_client, (int32_t)COUNTOF(tiny_client)},
        .world_fields = {tiny_world, (int32_t)COUNTOF(tiny_world)},
        .cvars = {tiny_cvars, (int32_t)COUNTOF(tiny_cvars)},
        .spawns = tiny_spawns,
        .num_spawns = (int32_t)COUNTOF(tiny_spawns),
        .map_started = tiny_started,
        .client_join = tiny_join,
        .client_command = tiny_command,
        .commands = tiny_commands,
        .num_commands = (int32_t)COUNTOF(tiny_commands),
#ifdef TINY_MODEL
        .models = tiny_models,
        .num_models = 1,
#endif
    };
    return &table;
}

#endif
