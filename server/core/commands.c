/// core/commands.c - commands of the operator that the game has, and what the game returns to the
/// operator: replies and cvars.
//
// A command enters the world as an input, so it changes the world inside a tick.

#include "base/str.h"
#include "core/game_tables.h"
#include "core/import_local.h"
#include "core/server_local.h"
#include "world/faults.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const game_command_t *SV_FindCommand(const game_export_t *game, const char *name) {
    for (int32_t i = 0; i < game->num_commands; i++) {
        if (strcmp(game->commands[i].name, name) == 0) {
            return &game->commands[i];
        }
    }
    return NULL;
}

// Replies with its arguments, after the replies of earlier commands.
static void echo(sv_context_t *sv, int32_t argc, const char *const *argv) {
    char text[MAX_TEXT_BYTES] = "";
    for (int32_t i = 1; i < argc; i++) {
        strlcat(text, i > 1 ? " " : "", sizeof text);
        strlcat(text, argv[i], sizeof text);
    }
    SV_Reply(sv, "%s", text);
}

// Returns a command of the game, or the engine's echo.
static const game_command_t *find_command(const game_export_t *game, const char *name) {
    static const game_command_t own = {"echo", "TEXT", "", 0, -1, echo};
    return strcmp(name, own.name) == 0 ? &own : SV_FindCommand(game, name);
}

static bool takes(const game_command_t *command, int32_t num_args) {
    return num_args >= command->min_args &&
           (command->max_args < 0 || num_args <= command->max_args);
}

bool SV_CheckCommands(const game_export_t *game, err_t *err) {
    bool is_own = false;
    if (game->num_commands < 0 || (game->num_commands > 0 && !game->commands)) {
        return Err_Set(err, "commands: expected a list and a count of 0 or more, found count %d%s",
                       game->num_commands, game->commands ? "" : " and no list");
    }
    for (int32_t i = 0; i < game->num_commands; i++) {
        const game_command_t *command = &game->commands[i];
        if (!SV_IsGoodName(command->name)) {
            return Err_Set(err,
                           "command %d: expected a name of 1..31 letters, digits and _, found "
                           "\"%.64s\"",
                           i, command->name ? command->name : "");
        }
        if (!command->usage || !command->help || !command->run) {
            return Err_Set(err, "command \"%s\": expected usage, help and a function, found NULL",
                           command->name);
        }
        if (command->min_args < 0 || command->min_args > MAX_CMD_ARGS - 2 ||
            command->max_args < -1 ||
            (command->max_args >= 0 && command->max_args < command->min_args)) {
            return Err_Set(err,
                           "command \"%s\": expected 0..%d arguments, the maximum -1 or not below "
                           "the minimum, found %d..%d",
                           command->name, MAX_CMD_ARGS - 2, command->min_args, command->max_args);
        }
        if (SV_FindCommand(game, command->name) != command) {
            return Err_Set(err, "command \"%s\" appears twice in the table", command->name);
        }
        if (SV_FindCvar(game, command->name, &is_own)) {
            return Err_Set(err, "command \"%s\": a cvar has that name; rename the command",
                           command->name);
        }
    }
    return true;
}

bool Server_Command(server_t *server, const cmd_args_t *args,
                    void (*print)(void *context, const char *line), void *context, err_t *err) {
    const char *name = args->argv[0];
    const game_command_t *command = find_command(server->config.game, name);
    if (!command || !server->world) {
        return Err_Set(err, "%.64s: %s", name,
                       command ? "no map is running yet" : "the game has no such command");
    }
    if (!takes(command, args->argc - 1)) {
        return Err_Set(err, "usage: %s%s%s", name, command->usage[0] ? " " : "", command->usage);
    }
    const char *last = args->argv[args->argc - 1];
    size_t bytes =
        (size_t)(last - args->text) + strlen(last) + 1; // Cmd_Split fills `text` in order
    if (bytes > MAX_TEXT_BYTES) {
        return Err_Set(err, "%s: expected words of at most %d bytes together, found %zu", name,
                       MAX_TEXT_BYTES, bytes);
    }
    input_t *input = Inputs_Add(server->inputs, INPUT_COMMAND, -1);
    if (!input) {
        return Err_Set(err, "%s: too many inputs wait for the next tick; enter it again later",
                       name);
    }
    input->value = args->argc;
    memcpy(input->text, args->text, bytes);
    server->reply = print;
    server->reply_context = context;
    return true;
}

// ---- in the tick ----

// Finds the words of an input in its text. Returns their count. argv[count] and later are "".
static int32_t split(const input_t *input, const char *argv[MAX_CMD_ARGS]) {
    int32_t argc = 0;
    const char *at = input->text;
    const char *end = input->text + sizeof input->text;
    for (int32_t i = 0; i < MAX_CMD_ARGS; i++) {
        size_t length = strnlen(at, (size_t)(end - at));
        bool is_word = i < input->value && i < MAX_CMD_ARGS - 1 && at + length < end;
        argv[i] = is_word ? at : "";
        argc += is_word ? 1 : 0;
        at += is_word ? length + 1 : 0;
    }
    return argc;
}

void SV_RunGameCommand(sv_context_t *sv, const input_t *input) {
    const char *argv[MAX_CMD_ARGS];
    int32_t argc = split(input, argv);
    const game_command_t *command = find_command(sv->game, argv[0]);
    if (!command || argc != input->value || !takes(command, argc - 1)) {
        Events_Log(sv->events, LOG_WARN,
                   "command \"%.64s\" skipped: the game does not have it, or not with %d arguments",
                   argv[0], argc - 1);
        return;
    }
    sv_running_t outer = SV_EnterGame(sv, "command", command->name, NULL);
    command->run(sv, argc, argv);
    SV_LeaveGame(sv, outer);
}

void SV_Reply(sv_context_t *sv, const char *format, ...) {
    char text[MAX_TEXT_BYTES];
    va_list args;
    if (!Import_Given(sv, "reply", "a format", format)) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    Str_TrimCut(text);
    Events_Add(sv->events, EVENT_REPLY, EVENT_TO_ALL, 0, (vec3_t){0}, text);
}

bool SV_SetCvar(sv_context_t *sv, const char *name, const char *value) {
    const char *function = "set_cvar";
    char text[MAX_TEXT_BYTES];
    err_t err = {{0}};
    bool is_own = false;
    if (!Import_Given(sv, function, "a name", name) ||
        !Import_Given(sv, function, "a value", value)) {
        return false;
    }
    const cvar_def_t *def = SV_FindCvar(sv->game, name, &is_own);
    bool acts_now = def && is_own && !(def->flags & CVAR_LATCH);
    bool good = def ? Cvar_Check(def, value, &err)
                    : Err_Set(&err, "%.64s: no cvar of the game or the simulation", name);
    if (good && acts_now) {
        good = Cvar_Set(def, sv->world->game, value, &err);
    } else if (good) {
        int length = snprintf(text, sizeof text, "%s %s", name, value);
        good = length < (int)sizeof text
                   ? Events_Add(sv->events, EVENT_CVAR, EVENT_TO_ALL, 0, (vec3_t){0}, text) ||
                         Err_Set(&err, "%s: the tick has %d events already", name, MAX_EVENTS)
                   : Err_Set(&err, "%s: the value is too long", name);
    }
    if (!good) {
        SV_ReportFault(sv, function, "%.200s", err.text);
    }
    return good;
}
