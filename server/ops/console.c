#include "ops/console_local.h"

#include "base/near_name.h"
#include "base/str.h"
#include "core/game_tables.h"
#include "ops/map_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Console_Init(console_t *console, const log_t *log) {
    int32_t count = 0;
    memset(console, 0, sizeof *console);
    console->log = log;
    const cvar_def_t *defs = HostCvars_Defs(&count);
    Cvar_Reset(defs, count, &console->host);
    (void)Net_ParseRanges(console->host.sv_proxies, &console->proxies, NULL);
    defs = GameCvars_Defs(&count);
    Cvar_Reset(defs, count, &console->game);
}

void Console_Answer(void *context, const char *line) {
    const console_t *console = context;
    if (console->source && console->source->answer) {
        console->source->answer(console->source->context, line);
    } else if (console->echo) {
        printf("%s\n", line);
        fflush(stdout);
    } else {
        Log_Print(console->log, LOG_INFO, "%s", line);
    }
}

void Console_Error(const console_t *console, const err_t *err) {
    if (console->source && console->source->answer) {
        console->source->answer(console->source->context, err->text);
    } else if (console->echo && console->server && !console->reloading) {
        printf("error: %s\n", err->text);
        fflush(stdout);
    } else {
        Log_Print(console->log, LOG_ERROR, "%s", err->text);
    }
}

// ---- commands ----

void Console_JoinWords(const cmd_args_t *args, int32_t first, char *text, size_t bytes) {
    text[0] = '\0';
    for (int32_t i = first; i < args->argc; i++) {
        strlcat(text, i > first ? " " : "", bytes);
        strlcat(text, args->argv[i], bytes);
    }
    Str_TrimCut(text);
}

static bool skip_map(const console_t *console, const char *name) {
    if (console->reloading) {
        Log_Print(console->log, LOG_INFO, "%s: skipped during a reload; the running map is kept",
                  name);
    }
    return console->reloading;
}

static bool run_map(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    if (skip_map(console, "map")) {
        return true;
    }
    if (console->server) {
        return Server_StartMap(console->server, args->argv[1], err);
    }
    if (strlen(args->argv[1]) >= sizeof console->start_map) {
        return Err_Set(err, "map: expected a name of at most %zu bytes, found %zu",
                       sizeof console->start_map - 1, strlen(args->argv[1]));
    }
    snprintf(console->start_map, sizeof console->start_map, "%s", args->argv[1]);
    return true;
}

static bool run_nextmap(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    (void)args;
    if (skip_map(console, "nextmap")) {
        return true;
    }
    return console->server ? Server_NextMap(console->server, err)
                           : Err_Set(err, "nextmap: no map is running yet");
}

static bool run_exec(void *context, const cmd_args_t *args, err_t *err) {
    return Console_Exec(context, args->argv[1], err);
}

static bool run_say(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    char text[MAX_TEXT_BYTES];
    if (!console->server) {
        return Err_Set(err, "say: no server is running yet");
    }
    Console_JoinWords(args, 1, text, sizeof text);
    Server_Say(console->server, text);
    return true;
}

static bool run_maps(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    const char *folders = console->host.sv_mappath;
    return MapList_Print(folders, args->argv[1], Console_Answer, console) > 0 ||
           Err_Set(err, "maps: no map begins with \"%s\" in the folders of sv_mappath (%.300s)",
                   args->argv[1], folders);
}

bool Console_RunInTick(console_t *console, const cmd_args_t *args, err_t *err) {
    if (!console->server) {
        return Err_Set(err, "%s: no server is running yet", args->argv[0]);
    }
    if (!Server_Command(console->server, args, Console_Answer, console, err)) {
        return false;
    }
    console->asked_tick = Server_Stats(console->server).ticks + 1;
    return true;
}

bool Console_IsWaiting(const console_t *console) {
    return console->server && console->asked_tick == Server_Stats(console->server).ticks + 1;
}

// Replies in the next tick, so after the replies of the game's commands before it.
static bool run_echo(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    char text[MAX_CMD_LINE];
    if (console->server) {
        return Console_RunInTick(console, args, err);
    }
    Console_JoinWords(args, 1, text, sizeof text);
    Console_Answer(console, text);
    return true;
}

static bool run_quit(void *context, const cmd_args_t *args, err_t *err) {
    (void)args, (void)err;
    ((console_t *)context)->quit = true;
    return true;
}

// Fails: ops/control.c runs these commands itself.
static bool run_socket_command(void *context, const cmd_args_t *args, err_t *err) {
    (void)context;
    return Err_Set(err, "%s: works only as the first word of a line on the control socket",
                   args->argv[0]);
}

static bool run_cmdlist(void *context, const cmd_args_t *args, err_t *err);
static bool run_help(void *context, const cmd_args_t *args, err_t *err);

static const cmd_def_t console_cmds[] = {
    {"set", "NAME VALUE", "sets a cvar", 2, -1, Console_RunSet, ROLE_ADMIN},
    {"sv_profile", "NAME",
     "sets the cvars of player movement: quake, quake2, halflife, sweep or drop", 1, 1,
     Console_RunProfile, ROLE_ADMIN},
    {"map", "NAME", "starts a map, by name or path", 1, 1, run_map, ROLE_OPERATE},
    {"nextmap", "", "starts the next map of sv_maplist", 0, 0, run_nextmap, ROLE_OPERATE},
    {"exec", "FILE", "runs the lines of a file", 1, 1, run_exec, ROLE_ADMIN},
    {"cvarlist", "[PREFIX]", "lists cvars with value, range and help", 0, 1, Console_RunCvarlist,
     ROLE_WATCH},
    {"cmdlist", "[PREFIX]", "lists these commands and those of the game", 0, 1, run_cmdlist,
     ROLE_WATCH},
    {"help", "[PREFIX]", "lists the commands, or else the cvars, whose names begin with PREFIX", 0,
     1, run_help, ROLE_WATCH},
    {"maps", "[PREFIX]", "lists the maps in the folders of sv_mappath", 0, 1, run_maps, ROLE_WATCH},
    {"game", "[fields | reload [restart]]",
     "shows the game, lists its fields, or loads its module again", 0, 2, Console_RunGame,
     ROLE_WATCH},
    {"status", "", "shows the map, tick times, the match and the clients", 0, 0, Console_RunStatus,
     ROLE_WATCH},
    {"counters", "", "shows every counter", 0, 0, Console_RunCounters, ROLE_WATCH},
    {"echo", "TEXT", "prints TEXT after the answers to earlier commands", 0, -1, run_echo,
     ROLE_WATCH},
    {"say", "TEXT", "sends every player a line", 1, -1, run_say, ROLE_OPERATE},
    {"kick", "WHO [REASON]",
     "drops a player by slot, name, address or id:PLAYER; status lists them", 1, -1,
     Console_RunKick, ROLE_OPERATE},
    {"ban", "WHO [TIME] [REASON]",
     "bans the address of a player, a range, or id:PLAYER for 30m, 12h, 7d ...", 1, -1,
     Console_RunBan, ROLE_OPERATE},
    {"allow", "WHO [TIME] [REASON]", "exempts an address or range from bans of larger ranges", 1,
     -1, Console_RunAllow, ROLE_OPERATE},
    {"unban", "WHO", "removes an entry of ban or allow", 1, 1, Console_RunUnban, ROLE_OPERATE},
    {"bans", "[TEXT]", "lists bans, allowed addresses and mutes; with TEXT: bans that contain it",
     0, 1, Console_RunBans, ROLE_WATCH},
    {"mute", "WHO [TIME]", "ignores a player's chat for a time, or until the map changes", 1, 2,
     Console_RunMute, ROLE_OPERATE},
    {"unmute", "WHO", "ends a mute", 1, 1, Console_RunUnmute, ROLE_OPERATE},
    {"peers", "", "lists connections that have not joined", 0, 0, Console_RunPeers, ROLE_WATCH},
    {"quit", "", "sends the clients a goodbye and ends the server", 0, 0, run_quit, ROLE_ADMIN},
    {"follow", "[json]", "sends every log line to this connection of the control socket", 0, 1,
     run_socket_command, ROLE_WATCH},
    {"json", "COMMAND", "answers as JSON, on the control socket", 1, -1, run_socket_command,
     ROLE_WATCH},
    {"role", "watch | operate", "gives up rights of this connection of the control socket", 1, 1,
     run_socket_command, ROLE_WATCH},
};

bool Console_IsCommand(const char *name) {
    return Cmd_Find(console_cmds, (int32_t)COUNTOF(console_cmds), name) != NULL;
}

// A command of the server or the game.
typedef struct {
    const char *name, *usage, *help, *owner;
} listed_t;

// Returns command `i` of the server or, after those, of the game. Its name is NULL after the last.
static listed_t command_at(const console_t *console, int32_t i) {
    const game_export_t *game = Console_Game(console);
    const int32_t own = (int32_t)COUNTOF(console_cmds);
    if (i < own) {
        return (listed_t){console_cmds[i].name, console_cmds[i].usage, console_cmds[i].help, ""};
    }
    if (!game || i - own >= game->num_commands) {
        return (listed_t){.name = NULL};
    }
    const game_command_t *command = &game->commands[i - own];
    return (listed_t){command->name, command->usage, command->help, " (of the game)"};
}

static int32_t list_commands(console_t *console, const char *prefix) {
    int32_t shown = 0;
    listed_t at;
    for (int32_t i = 0; (at = command_at(console, i)).name; i++) {
        char line[512];
        if (strncmp(at.name, prefix, strlen(prefix)) == 0) {
            snprintf(line, sizeof line, "%s%s%s: %s%s", at.name, at.usage[0] ? " " : "", at.usage,
                     at.help, at.owner);
            Console_Answer(console, line);
            shown++;
        }
    }
    return shown;
}

static bool run_cmdlist(void *context, const cmd_args_t *args, err_t *err) {
    return list_commands(context, args->argv[1]) > 0 ||
           Err_Set(err, "cmdlist: no command begins with \"%s\"", args->argv[1]);
}

static bool run_help(void *context, const cmd_args_t *args, err_t *err) {
    return list_commands(context, args->argv[1]) > 0 || Console_RunCvarlist(context, args, NULL) ||
           Err_Set(err, "help: no command and no cvar begins with \"%s\"", args->argv[1]);
}

bool Console_FailName(const console_t *console, const char *name, bool is_cvar, err_t *err) {
    char hint[96];
    near_name_t near = NearName_Start(name);
    if (Server_IsCheat(name)) {
        return Err_Set(err,
                       "%s is a command of clients: a player enters it, or a script of edict-bot "
                       "calls bot:command(\"%s\"); it needs sv_cheats 1",
                       name, name);
    }
    listed_t at;
    for (int32_t i = 0; !is_cvar && (at = command_at(console, i)).name; i++) {
        NearName_Look(&near, at.name);
    }
    for (cvar_table_t table = CVARS_HOST; table < CVAR_TABLES; table++) {
        cvar_values_t cvars = Console_CvarTable(console, table);
        for (int32_t i = 0; i < cvars.count; i++) {
            NearName_Look(&near, cvars.defs[i].name);
        }
    }
    NearName_Hint(&near, hint, sizeof hint);
    if (strcmp(name, "sv_tick_ms") == 0) { // its name in older configs
        snprintf(hint, sizeof hint, "; set sv_tickrate to 1000 / sv_tick_ms");
    }
    return is_cvar ? Err_Set(err, "%.200s: no such cvar (cvarlist lists them)%s", name, hint)
                   : Err_Set(err, "unknown command \"%.200s\" (cmdlist lists them)%s", name, hint);
}

static bool run_known(console_t *console, const cmd_args_t *args, const cmd_def_t *cmd,
                      err_t *err) {
    const char *name = args->argv[0];
    cvar_table_t table;
    if (cmd) {
        return Cmd_Run(cmd, console, args, err);
    }
    if (Console_GameCommand(console, name)) {
        return Console_RunInTick(console, args, err);
    }
    const cvar_def_t *def = Console_FindCvar(console, name, &table);
    if (def && args->argc == 1) { // "NAME" prints the cvar, "NAME VALUE" sets it
        cvar_values_t cvars = Console_CvarTable(console, table);
        Console_PrintCvar(console, def, &cvars);
        return true;
    }
    if (def) {
        return args->argc == 2 ? Console_SetCvar(console, name, args->argv[1], err)
                               : Console_FailValues(args, 1, err);
    }
    return Console_FailName(console, name, false, err);
}

static bool run_command(console_t *console, const char *line, err_t *err) {
    cmd_args_t args;
    if (!Cmd_Split(line, &args, err)) {
        return false;
    }
    if (args.argc == 0) {
        return true;
    }
    const cmd_def_t *cmd = Cmd_Find(console_cmds, (int32_t)COUNTOF(console_cmds), args.argv[0]);
    role_t needed = Console_RoleOf(console, &args, cmd);
    if (!Console_MayRun(console, &args, needed, err)) {
        return false;
    }
    bool good = run_known(console, &args, cmd, err);
    Console_Audit(console, &args, needed, good);
    return good;
}

bool Console_Line(console_t *console, const char *line, err_t *err) {
    char command[MAX_CMD_LINE];
    const char *at = line;
    bool good = true;
    while (at && good) {
        at = Cmd_Next(at, command);
        if (console->server) {
            Server_Settle(console->server);
        }
        good = run_command(console, command, err);
    }
    if (console->server) {
        Server_Settle(console->server);
    }
    return good;
}
