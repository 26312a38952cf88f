/// ops/console_cvars.c - the cvars of the console: set, sv_profile and cvarlist.

#include "core/download.h"
#include "core/game_tables.h"
#include "core/token.h"
#include "move/profiles.h"
#include "ops/console_local.h"
#include "ops/sandbox.h"

#include <stdio.h>
#include <string.h>

const game_export_t *Console_Game(const console_t *console) {
    return console->server   ? Server_Game(console->server)
           : console->module ? console->module->game
                             : NULL;
}

const game_command_t *Console_GameCommand(const console_t *console, const char *name) {
    const game_export_t *game = Console_Game(console);
    return game ? SV_FindCommand(game, name) : NULL;
}

cvar_values_t Console_CvarTable(const console_t *console, cvar_table_t table) {
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
    } else if (Console_Game(console)) {
        const game_export_t *game = Console_Game(console);
        cvars.defs = game->cvars.list;
        cvars.count = game->cvars.count;
        cvars.wanted = server ? Server_GameValues(server) : console->game_values;
        cvars.in_force = world ? (const void *)world->game : cvars.wanted;
    }
    return cvars;
}

const cvar_def_t *Console_FindCvar(const console_t *console, const char *name,
                                   cvar_table_t *table) {
    const cvar_def_t *def = NULL;
    for (*table = CVARS_HOST; *table < CVAR_TABLES; (*table)++) {
        cvar_values_t cvars = Console_CvarTable(console, *table);
        def = Cvar_Find(cvars.defs, cvars.count, name);
        if (def) {
            break;
        }
    }
    return def;
}

void Console_PrintCvar(console_t *console, const cvar_def_t *def, const cvar_values_t *values) {
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

// Parses the value of sv_proxies. Does nothing for other cvars.
static bool set_proxies(console_t *console, const char *name, const char *value, err_t *err) {
    err_t why;
    return strcmp(name, "sv_proxies") != 0 || Net_ParseRanges(value, &console->proxies, &why) ||
           Err_Set(err, "sv_proxies: %s", why.text);
}

// Refuses an sv_mappath with a folder that the sandbox forbids. Does nothing for other cvars.
static bool check_map_path(const char *name, const char *value, err_t *err) {
    char list[CVAR_STRING_BYTES];
    strlcpy(list, value, sizeof list);
    for (char *rest = list, *folder; (folder = strsep(&rest, ":"));) {
        if (strcmp(name, "sv_mappath") == 0 && *folder && !Sandbox_AllowsFolder(folder)) {
            return Err_Set(err,
                           "sv_mappath: the sandbox does not allow %.300s: set it before the start",
                           folder);
        }
    }
    return true;
}

// Checks sv_authkeys; a running server takes the keys. Does nothing for other cvars.
static bool set_keys(console_t *console, const char *name, const char *value, err_t *err) {
    token_keys_t keys;
    return strcmp(name, "sv_authkeys") != 0 ||
           (console->server ? Server_SetAuth(console->server, value, console->host.sv_ticket_s, err)
                            : Token_ParseKeys(value, &keys, err));
}

bool Console_SetCvar(console_t *console, const char *name, const char *value, err_t *err) {
    cvar_table_t table;
    const cvar_def_t *def = Console_FindCvar(console, name, &table);
    if (!def) {
        return Console_IsCommand(name) || Console_GameCommand(console, name)
                   ? Err_Set(err, "%s is a command: write \"%s %s\"", name, name, value)
                   : Console_FailName(console, name, true, err);
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
    if (!Cvar_Check(def, value, err) || !check_map_path(name, value, err) ||
        (strcmp(name, "sv_downloadurl") == 0 && !Download_CheckUrl(value, err)) ||
        !set_proxies(console, name, value, err) || !set_keys(console, name, value, err) ||
        !Cvar_Set(def, values, value, err)) {
        return false;
    }
    if (console->server) {
        const host_cvars_t *host = &console->host;
        Server_SetHost(console->server, host->sv_hostname, host->sv_mappath, host->sv_maplist,
                       host->sv_snapshot_ticks);
        Server_SetCullLos(console->server, host->sv_cull_los != 0);
        Server_SetSendBones(console->server, host->sv_send_bones);
        Server_SetRates(console->server, (rate_bounds_t){host->sv_minrate, host->sv_maxrate});
        Server_SetDownload(console->server, host->sv_allowdownload != 0, host->sv_download_rate,
                           host->sv_downloadurl);
        Server_SetIdle(console->server, host->sv_idle_s);
        Server_SetGrace(console->server, host->sv_grace_ms);
        Server_SetPassword(console->server, host->sv_password);
        return Server_SetAuth(console->server, host->sv_authkeys, host->sv_ticket_s, err) &&
               Server_SetSpectateDelay(console->server, host->sv_spectate_delay_s, err) &&
               Server_SetGameCheck(console->server, host->sv_gamecheck != 0, err);
    }
    return true;
}

bool Console_FailValues(const cmd_args_t *args, int32_t first, err_t *err) {
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

bool Console_RunSet(void *context, const cmd_args_t *args, err_t *err) {
    if (args->argc > 3) {
        return Console_FailValues(args, 2, err);
    }
    return Console_SetCvar(context, args->argv[1], args->argv[2], err);
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

bool Console_RunProfile(void *context, const cmd_args_t *args, err_t *err) {
    int32_t count = 0;
    const cvar_def_t *defs = GameCvars_Defs(&count);
    game_cvars_t wanted = *(const game_cvars_t *)Console_CvarTable(context, CVARS_ENGINE).wanted;
    if (!PM_Profile(args->argv[1], &wanted.move)) {
        return Err_Set(
            err, "sv_profile: expected quake, quake2, halflife, sweep or drop, found \"%.64s\"",
            args->argv[1]);
    }
    for (int32_t i = 0; i < count; i++) {
        char value[CVAR_STRING_BYTES];
        Cvar_Format(&defs[i], &wanted, value, sizeof value);
        if (is_in_profile(&defs[i]) && !Console_SetCvar(context, defs[i].name, value, err)) {
            return false;
        }
    }
    return true;
}

bool Console_RunCvarlist(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    const char *prefix = args->argv[1];
    int32_t shown = 0;
    for (cvar_table_t table = CVARS_HOST; table < CVAR_TABLES; table++) {
        cvar_values_t cvars = Console_CvarTable(console, table);
        for (int32_t i = 0; i < cvars.count; i++) {
            if (strncmp(cvars.defs[i].name, prefix, strlen(prefix)) == 0) {
                Console_PrintCvar(console, &cvars.defs[i], &cvars);
                shown++;
            }
        }
    }
    return shown > 0 || Err_Set(err, "cvarlist: no cvar begins with \"%s\"", prefix);
}
