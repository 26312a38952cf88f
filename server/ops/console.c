#include "ops/console.h"

#include "base/near_name.h"
#include "base/str.h"
#include "core/game_tables.h"
#include "move/profiles.h"
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
    if (console->echo) {
        printf("%s\n", line);
        fflush(stdout);
    } else {
        Log_Print(console->log, LOG_INFO, "%s", line);
    }
}

void Console_Error(const console_t *console, const err_t *err) {
    if (console->echo && console->server && !console->reloading) {
        printf("error: %s\n", err->text);
        fflush(stdout);
    } else {
        Log_Print(console->log, LOG_ERROR, "%s", err->text);
    }
}

// ---- cvars ----

typedef enum { CVARS_HOST, CVARS_ENGINE, CVARS_MODULE, CVAR_TABLES } cvar_table_t;

typedef struct {
    const cvar_def_t *defs;
    int32_t count;
    const void *in_force; // values in use now
    const void *wanted;   // values from the next tick, or (CVAR_LATCH) the next map on
} cvar_values_t;

// Returns the loaded game, or NULL.
static const game_export_t *loaded_game(const console_t *console) {
    return console->server   ? Server_Game(console->server)
           : console->module ? console->module->game
                             : NULL;
}

static const game_command_t *game_command(const console_t *console, const char *name) {
    const game_export_t *game = loaded_game(console);
    return game ? SV_FindCommand(game, name) : NULL;
}

// Returns one of the three cvar tables: of the server, the simulation or the loaded game.
static cvar_values_t cvar_table(const console_t *console, cvar_table_t table) {
    const server_t *server = console->server;
    const world_t *world = server ? Server_World(server) : NULL;
    cvar_values_t cvars = {.count = 0};
    if (table == CVARS_HOST) {
        cvars.defs = HostCvars_Defs(&cvars.count);
        cvars.in_force = cvars.wanted = &console->host;
    } else if (table == CVARS_ENGINE) {
        cvars.defs = GameCvars_Defs(&cvars.count);
        cvars.wanted = server ? Server_Cvars(server) : &console->game;
        cvars.in_force = world ? &world->cvars : cvars.wanted;
    } else if (loaded_game(console)) {
        const game_export_t *game = loaded_game(console);
        cvars.defs = game->cvars.list;
        cvars.count = game->cvars.count;
        cvars.wanted = server ? Server_GameValues(server) : console->game_values;
        cvars.in_force = world ? (const void *)world->game : cvars.wanted;
    }
    return cvars;
}

static const cvar_def_t *find_cvar(const console_t *console, const char *name,
                                   cvar_table_t *table) {
    const cvar_def_t *def = NULL;
    for (*table = CVARS_HOST; *table < CVAR_TABLES; (*table)++) {
        cvar_values_t cvars = cvar_table(console, *table);
        def = Cvar_Find(cvars.defs, cvars.count, name);
        if (def) {
            break;
        }
    }
    return def;
}

// Prints a cvar: sv_gravity = "800", "100" from the next tick on (default "800") [0..8000 qu/s2]...
static void print_cvar(console_t *console, const cvar_def_t *def, const cvar_values_t *values) {
    char value[CVAR_STRING_BYTES];
    char wanted[CVAR_STRING_BYTES];
    char next[CVAR_STRING_BYTES + 64] = "";
    char range[96] = "";
    char line[1024];
    bool is_latched = def->flags & CVAR_LATCH;
    Cvar_Format(def, values->in_force, value, sizeof value);
    Cvar_Format(def, values->wanted, wanted, sizeof wanted);
    if ((def->flags & CVAR_SECRET) && value[0] != '\0') {
        snprintf(value, sizeof value, "(hidden)");
        snprintf(wanted, sizeof wanted, "(hidden)");
    }
    if (strcmp(value, wanted) != 0) {
        snprintf(next, sizeof next, ", \"%s\" from the next %s on", wanted,
                 is_latched ? "map" : "tick");
    }
    if (def->type != CVAR_STRING) {
        snprintf(range, sizeof range, " [%.10g..%.10g%s%s]", def->min, def->max,
                 def->unit[0] ? " " : "", def->unit);
    } else if (def->unit[0] != '\0') {
        snprintf(range, sizeof range, " [%s]", def->unit);
    }
    snprintf(line, sizeof line, "%s = \"%s\"%s (default \"%s\")%s%s%s: %s", def->name, value, next,
             def->def, range, (def->flags & CVAR_INIT) ? ", set only at the start" : "",
             is_latched ? ", takes effect with the next map" : "", def->help);
    Console_Answer(console, line);
}

// Handles the setting of a CVAR_INIT cvar while the server runs. Accepts the current value. Only
// warns in a reload, because the config may be meant for the next start.
static bool keep_start_cvar(const console_t *console, const cvar_def_t *def, const char *value,
                            err_t *err) {
    char now[CVAR_STRING_BYTES];
    host_cvars_t other = console->host;
    if (!Cvar_Set(def, &other, value, err)) {
        return false;
    }
    if (memcmp(&other, &console->host, sizeof other) == 0) {
        return true;
    }
    if (!console->reloading) {
        return Err_Set(
            err, "%s: can be set only when the server starts; set it in the config and restart",
            def->name);
    }
    Cvar_Format(def, &console->host, now, sizeof now);
    Log_Print(console->log, LOG_WARN, "%s stays \"%s\": it can be set only when the server starts",
              def->name, now);
    return true;
}

static bool fail_name(const console_t *console, const char *name, bool is_cvar, err_t *err);

// Parses the value of sv_proxies. Does nothing for other cvars.
static bool set_proxies(console_t *console, const char *name, const char *value, err_t *err) {
    err_t why;
    return strcmp(name, "sv_proxies") != 0 || Net_ParseRanges(value, &console->proxies, &why) ||
           Err_Set(err, "sv_proxies: %s", why.text);
}

static bool set_cvar(console_t *console, const char *name, const char *value, err_t *err) {
    cvar_table_t table;
    const cvar_def_t *def = find_cvar(console, name, &table);
    if (!def) {
        return Console_IsCommand(name) || game_command(console, name)
                   ? Err_Set(err, "%s is a command: write \"%s %s\"", name, name, value)
                   : fail_name(console, name, true, err);
    }
    if ((def->flags & CVAR_INIT) && console->server) {
        return keep_start_cvar(console, def, value, err);
    }
    if (table != CVARS_HOST && console->server) {
        return Server_SetCvar(console->server, name, value, err);
    }
    void *values = table == CVARS_HOST     ? (void *)&console->host
                   : table == CVARS_ENGINE ? (void *)&console->game
                                           : console->game_values;
    if (!Cvar_Check(def, value, err) || !set_proxies(console, name, value, err) ||
        !Cvar_Set(def, values, value, err)) {
        return false;
    }
    if (console->server) {
        const host_cvars_t *host = &console->host;
        Server_SetHost(console->server, host->sv_hostname, host->sv_mappath, host->sv_maplist,
                       host->sv_snapshot_ticks);
        Server_SetSendBones(console->server, host->sv_send_bones);
        Server_SetIdle(console->server, host->sv_idle_s);
        Server_SetPassword(console->server, host->sv_password);
        return Server_SetSpectateDelay(console->server, host->sv_spectate_delay_s, err) &&
               Server_SetGameCheck(console->server, host->sv_gamecheck != 0, err);
    }
    return true;
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

// Fails because a value, from word `first` on, has several words but no quotes.
static bool fail_values(const cmd_args_t *args, int32_t first, err_t *err) {
    char found[128];
    int32_t count = 0;
    const cvar_def_t *defs = HostCvars_Defs(&count);
    const cvar_def_t *def = Cvar_Find(defs, count, args->argv[first - 1]);
    Console_JoinWords(args, first, found, sizeof found);
    if (def && (def->flags & CVAR_SECRET)) {
        snprintf(found, sizeof found, "(hidden)");
    }
    return Err_Set(err, "%s: expected one value, found \"%s\" (put text with blanks in quotes)",
                   args->argv[first - 1], found);
}

static bool run_set(void *context, const cmd_args_t *args, err_t *err) {
    if (args->argc > 3) {
        return fail_values(args, 2, err);
    }
    return set_cvar(context, args->argv[1], args->argv[2], err);
}

// Returns true if profiles set the cvar. Profiles set the cvars of player movement, without body
// sizes and without the operator's choices.
static bool is_in_profile(const cvar_def_t *def) {
    static const char *const others[] = {"sv_maxvelocity",    "sv_spectatormaxspeed",
                                         "sv_spectatorclip",  "sv_solids",
                                         "sv_pushermomentum", "pm_step_ms",
#define NAME(type, name, value, min, max, unit, help) #name,
                                         MOVEVARS_BODY(NAME)
#undef NAME
    };
    for (size_t i = 0; i < COUNTOF(others); i++) {
        if (strcmp(def->name, others[i]) == 0) {
            return false;
        }
    }
    return def->offset >= offsetof(game_cvars_t, move);
}

static bool run_profile(void *context, const cmd_args_t *args, err_t *err) {
    int32_t count = 0;
    const cvar_def_t *defs = GameCvars_Defs(&count);
    game_cvars_t wanted = *(const game_cvars_t *)cvar_table(context, CVARS_ENGINE).wanted;
    if (!PM_Profile(args->argv[1], &wanted.move)) {
        return Err_Set(
            err, "sv_profile: expected quake, quake2, halflife, sweep or drop, found \"%.64s\"",
            args->argv[1]);
    }
    for (int32_t i = 0; i < count; i++) {
        char value[CVAR_STRING_BYTES];
        Cvar_Format(&defs[i], &wanted, value, sizeof value);
        if (is_in_profile(&defs[i]) && !set_cvar(context, defs[i].name, value, err)) {
            return false;
        }
    }
    return true;
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

static bool run_cvarlist(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    const char *prefix = args->argv[1];
    int32_t shown = 0;
    for (cvar_table_t table = CVARS_HOST; table < CVAR_TABLES; table++) {
        cvar_values_t cvars = cvar_table(console, table);
        for (int32_t i = 0; i < cvars.count; i++) {
            if (strncmp(cvars.defs[i].name, prefix, strlen(prefix)) == 0) {
                print_cvar(console, &cvars.defs[i], &cvars);
                shown++;
            }
        }
    }
    return shown > 0 || Err_Set(err, "cvarlist: no cvar begins with \"%s\"", prefix);
}

static void print_counter(console_t *console, const char *name, uint64_t value, const char *help) {
    char line[256];
    snprintf(line, sizeof line, "%s %llu (%s)", name, (unsigned long long)value, help);
    Console_Answer(console, line);
}

static void print_net_counters(console_t *console) {
    char line[512];
    net_counters_t net = Server_NetCounters(console->server);
    snprintf(
        line, sizeof line,
        "network: received %llu packets (%llu bytes), sent %llu packets (%llu bytes); "
        "rejected before ENet %llu, cookie replies %llu; failed sends %llu, socket errors %llu, "
        "dropped by the kernel %llu, lost for lack of memory %llu",
        (unsigned long long)net.packets_in, (unsigned long long)net.bytes_in,
        (unsigned long long)net.packets_out, (unsigned long long)net.bytes_out,
        (unsigned long long)net.guard_dropped, (unsigned long long)net.guard_replied,
        (unsigned long long)net.send_failed, (unsigned long long)net.service_errors,
        (unsigned long long)net.kernel_dropped, (unsigned long long)net.no_memory);
    Console_Answer(console, line);
#define PRINT_NET(name, help) print_counter(console, #name, net.name, help);
    NET_COUNTERS(PRINT_NET)
#undef PRINT_NET
    uint64_t count = 0;
    const char *why = NULL;
    for (int32_t i = 0; (why = Server_NetDrops(console->server, i, &count)) != NULL; i++) {
        if (count > 0) {
            snprintf(line, sizeof line, "network: dropped %llu: %s", (unsigned long long)count,
                     why);
            Console_Answer(console, line);
        }
    }
}

static bool run_status(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    (void)args;
    char line[512];
    if (!console->server || !Server_World(console->server)) {
        return Err_Set(err, "status: no map is running yet");
    }
    const world_t *world = Server_World(console->server);
    const tick_stats_t *ticks = console->ticks;
    snprintf(line, sizeof line, "map %s  tick %lld  hash %016llx  edicts %d  clients %d of %d",
             CM_Info(Server_Map(console->server)).name, (long long)world->tick,
             (unsigned long long)world->tick_hash, world->num_edicts,
             Server_NumPlayers(console->server), console->host.sv_maxclients);
    Console_Answer(console, line);
    if (ticks) {
        char times[96] = "not measured yet";
        if (ticks->count > 0) {
            snprintf(times, sizeof times, "p50 %.3f  p99 %.3f  max %.3f",
                     (double)TickStats_Percentile(ticks, 0.5) / 1e6,
                     (double)TickStats_Percentile(ticks, 0.99) / 1e6,
                     (double)TickStats_Percentile(ticks, 1.0) / 1e6);
        }
        snprintf(line, sizeof line, "tick time ms: %s  overruns %llu  skipped %llu", times,
                 (unsigned long long)ticks->overruns, (unsigned long long)ticks->skipped);
        Console_Answer(console, line);
    }
    if (Server_Describe(console->server, line, sizeof line)) {
        Console_Answer(console, line);
    }
    Server_PrintClients(console->server, Console_Answer, console);
    return true;
}

static bool run_counters(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    (void)args;
    if (!console->server || !Server_World(console->server)) {
        return Err_Set(err, "counters: no map is running yet");
    }
    const world_counters_t *counters = &Server_World(console->server)->counters;
    server_stats_t stats = Server_Stats(console->server);
#define PRINT_COUNTER(name, help) print_counter(console, #name, counters->name, help);
#define PRINT_STAT(name, help)    print_counter(console, #name, stats.name, help);
    WORLD_COUNTERS(PRINT_COUNTER)
    SERVER_STATS(PRINT_STAT)
    print_net_counters(console);
    return true;
}

static bool run_maps(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    const char *folders = console->host.sv_mappath;
    return MapList_Print(folders, args->argv[1], Console_Answer, console) > 0 ||
           Err_Set(err, "maps: no map begins with \"%s\" in the folders of sv_mappath (%.300s)",
                   args->argv[1], folders);
}

// Replies in the next tick, so after the replies of the game's commands before it.
static bool run_echo(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    char text[MAX_CMD_LINE];
    if (console->server) {
        return Server_Command(console->server, args, Console_Answer, console, err);
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

static bool run_cmdlist(void *context, const cmd_args_t *args, err_t *err);
static bool run_help(void *context, const cmd_args_t *args, err_t *err);

static const cmd_def_t console_cmds[] = {
    {"set", "NAME VALUE", "sets a cvar", 2, -1, run_set},
    {"sv_profile", "NAME",
     "sets the cvars of player movement: quake, quake2, halflife, sweep or drop", 1, 1,
     run_profile},
    {"map", "NAME", "starts a map, by name or path", 1, 1, run_map},
    {"nextmap", "", "starts the next map of sv_maplist", 0, 0, run_nextmap},
    {"exec", "FILE", "runs the lines of a file", 1, 1, run_exec},
    {"cvarlist", "[PREFIX]", "lists cvars with value, range and help", 0, 1, run_cvarlist},
    {"cmdlist", "[PREFIX]", "lists these commands and those of the game", 0, 1, run_cmdlist},
    {"help", "[PREFIX]", "lists the commands, or else the cvars, whose names begin with PREFIX", 0,
     1, run_help},
    {"maps", "[PREFIX]", "lists the maps in the folders of sv_mappath", 0, 1, run_maps},
    {"game", "[fields | reload [restart]]",
     "shows the game, lists its fields, or loads its module again", 0, 2, Console_RunGame},
    {"status", "", "shows the map, tick times, the match and the clients", 0, 0, run_status},
    {"counters", "", "shows every counter", 0, 0, run_counters},
    {"echo", "TEXT", "prints TEXT after the answers to earlier commands", 0, -1, run_echo},
    {"say", "TEXT", "sends every player a line", 1, -1, run_say},
    {"kick", "WHO [REASON]", "drops a player by slot, name or address; status lists them", 1, -1,
     Console_RunKick},
    {"ban", "WHO [TIME] [REASON]", "bans the address of a player, or a range, for 30m, 12h, 7d ...",
     1, -1, Console_RunBan},
    {"allow", "WHO [TIME] [REASON]", "exempts an address or range from bans of larger ranges", 1,
     -1, Console_RunAllow},
    {"unban", "ADDRESS", "removes an entry of ban or allow", 1, 1, Console_RunUnban},
    {"bans", "[TEXT]", "lists bans, allowed addresses and mutes; with TEXT: bans that contain it",
     0, 1, Console_RunBans},
    {"mute", "WHO [TIME]", "ignores a player's chat for a time, or until the map changes", 1, 2,
     Console_RunMute},
    {"unmute", "WHO", "ends a mute", 1, 1, Console_RunUnmute},
    {"peers", "", "lists connections that have not joined", 0, 0, Console_RunPeers},
    {"quit", "", "sends the clients a goodbye and ends the server", 0, 0, run_quit},
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
    const game_export_t *game = loaded_game(console);
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
    return list_commands(context, args->argv[1]) > 0 || run_cvarlist(context, args, NULL) ||
           Err_Set(err, "help: no command and no cvar begins with \"%s\"", args->argv[1]);
}

// Fails because of an unknown name; the error suggests the most similar known name.
static bool fail_name(const console_t *console, const char *name, bool is_cvar, err_t *err) {
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
        cvar_values_t cvars = cvar_table(console, table);
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

static bool run_command(console_t *console, const char *line, err_t *err) {
    cmd_args_t args;
    cvar_table_t table;
    if (!Cmd_Split(line, &args, err)) {
        return false;
    }
    if (args.argc == 0) {
        return true;
    }
    const cmd_def_t *cmd = Cmd_Find(console_cmds, (int32_t)COUNTOF(console_cmds), args.argv[0]);
    if (cmd) {
        return Cmd_Run(cmd, console, &args, err);
    }
    if (game_command(console, args.argv[0])) {
        return console->server
                   ? Server_Command(console->server, &args, Console_Answer, console, err)
                   : Err_Set(err, "%s: no server is running yet", args.argv[0]);
    }
    const cvar_def_t *def = find_cvar(console, args.argv[0], &table);
    if (def) { // "NAME" prints the cvar, "NAME VALUE" sets it
        if (args.argc == 1) {
            cvar_values_t cvars = cvar_table(console, table);
            print_cvar(console, def, &cvars);
            return true;
        }
        return args.argc == 2 ? set_cvar(console, args.argv[0], args.argv[1], err)
                              : fail_values(&args, 1, err);
    }
    return fail_name(console, args.argv[0], false, err);
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
