/// ops/console_game.c - the cvar names of the game, and the `game` command.

#include "core/game_models.h"
#include "core/game_tables.h"
#include "ops/console_local.h"

#include <stdio.h>
#include <string.h>

// Checks that the server has no cvar or command with the name of a game's.
static bool check_name(const game_export_t *game, const char *kind, const char *name, err_t *err) {
    int32_t count = 0;
    const cvar_def_t *host = HostCvars_Defs(&count);
    bool is_command = Console_IsCommand(name);
    return !(is_command || Cvar_Find(host, count, name)) ||
           Err_Set(err, "game %s: %s \"%s\": the server has a %s of that name; rename it",
                   game->name, kind, name, is_command ? "command" : "cvar");
}

static bool check_names(const game_export_t *game, err_t *err) {
    bool good = true;
    for (int32_t i = 0; good && i < game->cvars.count; i++) {
        good = check_name(game, "cvar", game->cvars.list[i].name, err);
    }
    for (int32_t i = 0; good && i < game->num_commands; i++) {
        good = check_name(game, "command", game->commands[i].name, err);
    }
    return good;
}

bool Console_SetGame(console_t *console, game_module_t *module, err_t *err) {
    const game_export_t *game = module->game;
    if (!SV_CheckGame(game, err) || !check_names(game, err)) {
        return false;
    }
    console->module = module;
    Cvar_Reset(game->cvars.list, game->cvars.count, console->game_values);
    return true;
}

static void list_fields(console_t *console, const char *what, const game_fields_t *fields) {
    char line[512];
    for (int32_t i = 0; i < fields->count; i++) {
        const game_field_t *field = &fields->list[i];
        snprintf(line, sizeof line, "%s %s: %s at %u%s%s%s%s%s%.200s", what, field->name,
                 SV_FieldTypeName(field->type), field->offset,
                 (field->flags & FIELD_KEY) ? ", map key" : "",
                 (field->flags & FIELD_OWNER) ? ", sent to the player" : "",
                 (field->flags & FIELD_ALL) ? ", sent to all" : "",
                 (field->flags & FIELD_TEAM) ? ", sent to the team" : "", field->help ? ": " : "",
                 field->help ? field->help : "");
        Console_Answer(console, line);
    }
}

static void show_game(console_t *console) {
    char line[512];
    const game_export_t *game = console->module->game;
    model_t read[MAX_GAME_MODELS + 1];
    uint64_t models = 0;
    SV_ReadModels(game, read, &models, NULL); // cannot fail: checked when the game was loaded
    snprintf(line, sizeof line,
             "game %s (%.200s): %d classes, %d callbacks, %d commands, %d cvars, %d models, layout "
             "%016llx, "
             "models %016llx",
             game->name, console->module->path[0] ? console->module->path : "built in",
             game->num_spawns, game->num_callbacks, game->num_commands, game->cvars.count,
             game->num_models, (unsigned long long)SV_GameLayout(game), (unsigned long long)models);
    Console_Answer(console, line);
}

// Loads the new build of the module, switches the server to it, and then unloads the old build.
static bool reload_game(console_t *console, bool restart, err_t *err) {
    game_module_t next;
    game_module_t *module = console->module;
    if (!console->server) {
        return Err_Set(err, "game reload: no map is running yet");
    }
    if (module->path[0] == '\0') {
        return Err_Set(err, "game reload: the game is built in; only a module (-g FILE) can be "
                            "reloaded");
    }
    err_t why = {{0}};
    if (!GameModule_Load(&next, module->path, err)) {
        return false;
    }
    if (!check_names(next.game, &why) ||
        !Server_SetGame(console->server, next.game, restart, &why)) {
        Err_Set(err, "%.200s: %.300s", module->path, why.text);
        GameModule_Unload(&next);
        return false;
    }
    GameModule_Unload(module);
    *module = next;
    Log_Print(console->log, LOG_INFO, "game %s reloaded from %s%s", next.game->name, next.path,
              restart ? ", the map restarts" : "");
    return true;
}

bool Console_RunGame(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    const char *word = args->argv[1];
    bool restart = strcmp(args->argv[2], "restart") == 0;
    if (!console->module) {
        return Err_Set(err, "game: no game is loaded");
    }
    if (strcmp(word, "reload") == 0 && (args->argc == 2 || restart)) {
        return reload_game(console, restart, err);
    }
    const game_export_t *game = console->module->game;
    if (strcmp(word, "fields") == 0 && args->argc == 2) {
        list_fields(console, "edict", &game->edict_fields);
        list_fields(console, "client", &game->client_fields);
        list_fields(console, "world", &game->world_fields);
        return true;
    }
    if (args->argc > 1) {
        return Err_Set(err, "usage: game [fields | reload [restart]]");
    }
    show_game(console);
    return true;
}
