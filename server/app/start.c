/// app/start.c - starts the server from the command line and the config.

#include "app/app.h"
#include "app/clock.h"
#include "core/map_file.h"
#include "game/game.h"
#include "net/enet_transport.h"
#include "ops/fgd.h"
#include "ops/install_paths.h"

#include <sodium/utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool report(const app_t *app, const err_t *err) {
    Log_Print(&app->log, LOG_ERROR, "%s", err->text);
    return false;
}

// Runs each "+COMMAND [ARGUMENT]..." of the command line.
static bool run_plus_commands(app_t *app) {
    const options_t *options = &app->options;
    bool good = true;
    for (int32_t i = 0; i < options->num_words;) {
        const char *word = options->words[i++];
        char line[MAX_CMD_LINE] = "";
        err_t err;
        size_t used = strlcpy(line, word + 1, sizeof line);
        while (i < options->num_words && options->words[i][0] != '+') {
            strlcat(line, " \"", sizeof line);
            strlcat(line, options->words[i++], sizeof line);
            used = strlcat(line, "\"", sizeof line);
        }
        if (used >= sizeof line) {
            Err_Set(&err, "%.64s: expected a command of at most %zu bytes", word, sizeof line - 1);
            good = report(app, &err);
        } else if (!Console_Line(&app->console, line, &err)) {
            good = report(app, &err);
        }
    }
    return good;
}

// Runs the config, the commands and the options that set cvars. Reports every fault.
static bool read_settings(app_t *app) {
    const options_t *options = &app->options;
    err_t err;
    bool good = true;
    if (options->config && !Console_Exec(&app->console, options->config, &err)) {
        good = report(app, &err);
    }
    good = run_plus_commands(app) && good;
    if (options->port) {
        char line[64];
        snprintf(line, sizeof line, "set net_port \"%.16s\"", options->port);
        if (!Console_Line(&app->console, line, &err)) {
            Err_Set(&err, "-p: %.200s", err.text);
            good = report(app, &err);
        }
    }
    return good;
}

// Opens the log file; with -n only checks that it can be written.
static bool open_log(app_t *app, err_t *err) {
    const char *path = app->console.host.log_file;
    return app->options.check_only ? LogSink_Check(path, err) : LogSink_Open(&app->sink, path, err);
}

// Loads the game. Runs before the config and the commands, because they may set cvars of the game.
static bool load_game(app_t *app, err_t *err) {
    if (app->options.game) {
        char path[MAX_PATH_BYTES];
        Install_ModulePath(app->options.game, path);
        if (access(path, F_OK) != 0) {
            return Err_Set(err,
                           "game module \"%.200s\": no such file, and no game_%.200s.so beside "
                           "edictd or in ../lib/edictd",
                           app->options.game, app->options.game);
        }
        app->crash.module = app->module.path; // written by GameModule_Load and `game reload`
        return GameModule_Load(&app->module, path, err) &&
               Console_SetGame(&app->console, &app->module, err);
    }
    app->module.game = Game_Export();
    return Console_SetGame(&app->console, &app->module, err);
}

void App_ApplyCvars(app_t *app) {
    app->log.level = app->options.debug ? LOG_DEBUG : (log_level_t)app->console.host.log_level;
    app->sink.is_json = strcmp(app->console.host.log_format, "json") == 0;
    Watchdog_Set(&app->crash, app->console.host.sv_watchdog_ms, app->on_watchdog);
}

static void apply_cvars(void *app) {
    App_ApplyCvars(app);
}

// Reports every map of sv_maplist that cannot be found.
static bool check_map_list(app_t *app) {
    char list[CVAR_STRING_BYTES], path[MAX_PATH_BYTES];
    err_t err;
    bool good = true;
    strlcpy(list, app->console.host.sv_maplist, sizeof list);
    for (char *rest = list, *name = NULL; (name = strsep(&rest, " \t"));) {
        bool found = !*name || MapFile_Find(name, app->console.host.sv_mappath, path, &err);
        good = (found || report(app, &err)) && good;
    }
    return good;
}

// Opens the control socket; with -n, or after a fault, only checks ctl_users.
static bool open_control(app_t *app, bool good, err_t *err) {
    const host_cvars_t *host = &app->console.host;
    ControlUsers_Name((int64_t)getuid(), app->typist_name);
    app->typist = (console_source_t){
        .via = "stdin", .user = app->typist_name, .uid = (int64_t)getuid(), .role = ROLE_ADMIN};
    if (app->options.check_only || !good) {
        return Control_CheckUsers(host->ctl_users, err);
    }
    return Control_Create(&(control_config_t){.path = host->net_control,
                                              .port = EnetTransport_Port(app->net),
                                              .users = host->ctl_users,
                                              .console = &app->console,
                                              .sink = &app->sink,
                                              .log = &app->log,
                                              .now_ns = Clock_Ns,
                                              .after_line = apply_cvars,
                                              .context = app},
                          &app->control, err);
}

bool App_Start(app_t *app) {
    err_t err = {{0}};
    bool serves = !app->options.check_only && !app->options.print_fgd;
    app->bots.starter.fd = -1;
    if (serves) {
        Starter_Open(&app->bots.starter); // first, so that it inherits nothing
    }
    app->sink.fd = -1;
    app->log = LogSink_Log(&app->sink, LOG_INFO);
    Console_Init(&app->console, &app->log);
    Install_MapPath(app->console.host.sv_mappath, sizeof app->console.host.sv_mappath);
    app->console.ticks = &app->ticks;
    app->console.bans = &app->bans;
    app->console.echo = app->options.read_stdin || app->options.check_only;
    if (!load_game(app, &err)) {
        return report(app, &err);
    }
    if (app->options.print_fgd) {
        Fgd_Write(stdout, app->module.game);
        exit(fflush(stdout) == 0 ? 0 : 1);
    }
    app->bans.path = app->console.host.sv_banfile;
    app->bans.now_s = (int64_t)time(NULL);
    bool good = read_settings(app);
    bool names_map = good || app->console.start_map[0] != '\0' ||
                     app->console.host.sv_maplist[0] != '\0'; // else a fault has hidden the map
    good =
        (!serves || RunUser_Find(&app->user, app->options.user, &err) || report(app, &err)) && good;
    good = (open_log(app, &err) || report(app, &err)) && good;
    App_ApplyCvars(app);
    good = Console_LoadBans(&app->console, app->options.check_only) && good;
    good = ((App_ReadKey(app, &err) && App_OpenTransport(app, &err)) || report(app, &err)) && good;
    good = (!names_map || App_CreateServer(app, &err) || report(app, &err)) && good;
    sodium_free(app->secret_key);
    app->secret_key = NULL;
    app->console.server = app->server;
    good = (open_control(app, good, &err) || report(app, &err)) && good;
    if (app->options.check_only) {
        return check_map_list(app) && good;
    }
    if (good && (App_Confine(app, &err) || report(app, &err))) {
        return true;
    }
    Control_Destroy(app->control); // removes its file
    return false;
}

void App_PrintReady(const app_t *app) {
    if (app->options.background && app->sink.fd < 0) {
        Log_Print(&app->log, LOG_WARN,
                  "log_file: empty, so nothing keeps the log of -b; set a file");
    }
    uint16_t port = EnetTransport_Port(app->net);
    char join[3 * MAX_PATH_BYTES];
    Install_JoinCommand(port, join, sizeof join);
    const host_cvars_t *host = &app->console.host;
    bool needs_password = strcmp(host->sv_auth, "password") == 0 && host->sv_password[0] != '\0';
    const char *more = strcmp(host->sv_auth, "token") == 0 ? " -k KEY -T FILE"
                       : needs_password                    ? " -P PASSWORD"
                                                           : "";
    printf("edictd: listening on %s:%u, map %s%s%s%s%s\n", app->console.host.net_ip, port,
           CM_Info(Server_Map(app->server)).name, app->control ? ", commands by edict-ctl" : "",
           join[0] != '\0' ? ", join with: " : "", join, join[0] != '\0' ? more : "");
    fflush(stdout);
}
