/// main.c - edictd: options, signals and the main loop. The only file that reads the clock.
//
// The loop sleeps until the next tick's deadline or until datagrams arrive. It reads datagrams at
// most every DRAIN_EVERY_MS, and for at most half of each tick's time. Deadlines are absolute: a
// late tick does not delay the next tick. With no client connected, no tick runs, and the loop
// wakes once a second.

#include "base/log.h"
#include "core/map_file.h"
#include "core/server.h"
#include "game/game.h"
#include "net/enet_transport.h"
#include "ops/bots.h"
#include "ops/console.h"
#include "ops/crash.h"
#include "ops/fgd.h"
#include "ops/install_paths.h"
#include "ops/log_sink.h"
#include "ops/options.h"
#include "ops/tick_stats.h"

#include <errno.h>
#include <malloc.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define DRAIN_EVERY_MS  2 // batches datagrams; longer could overflow the kernel's buffer
#define MAX_CATCH_UP    5 // ticks run at once to catch up; a longer backlog is dropped and counted
#define IDLE_WAKE_MS    1000 // sleep if no client is connected
#define STAY_AWAKE_MS   2000 // no IDLE_WAKE_MS sleep after a datagram: a client may be connecting
#define GOODBYE_MS      500  // maximum wait for the goodbyes of a shutdown
#define MMAP_BYTES      (128 * 1024) // allocations of this size go back to the system when freed
#define REPORT_EVERY_MS 5000         // minimum interval between two reports of overruns

static crash_t *crash; // state for the crash and watchdog handlers
static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t reload_signal;
static volatile sig_atomic_t status_signal;

typedef struct {
    options_t options;
    game_module_t module;
    console_t console;
    log_sink_t sink;
    log_t log;
    transport_t *net;
    server_t *server;
    bans_t bans;
    bots_t bots;
    tick_stats_t ticks;
    crash_t crash;
    int64_t deadline_ns; ///< deadline of the next tick
    int64_t drained_ms;
    int64_t drain_left_ns;  ///< time left for reading datagrams before the next tick
    int64_t drain_until_ns; ///< end of the time in which datagrams are read now
    int64_t awake_until_ms;
    int64_t report_at_ms;
    uint64_t reported_overruns;
    char line[MAX_CMD_LINE]; ///< current line of standard input, as far as it was read
    size_t line_used; ///< bytes of `line`; sizeof line = the line is too long and will be skipped
} app_t;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t now_ms(void) {
    return now_ns() / 1000000;
}

static bool report(const app_t *app, const err_t *err) {
    Log_Print(&app->log, LOG_ERROR, "%s", err->text);
    return false;
}

// ---- starting ----

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

// Checks that a UDP socket can be bound to `address`. Accepts a port in use by a running server.
static bool check_bind(netaddr_t address, err_t *err) {
    const struct sockaddr_in name = {.sin_family = AF_INET,
                                     .sin_port = htons(address.port),
                                     .sin_addr.s_addr = htonl(address.host)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool good = fd >= 0 &&
                (bind(fd, (const struct sockaddr *)&name, sizeof name) == 0 || errno == EADDRINUSE);
    if (!good) {
        char text[32];
        Net_FormatAddress(address, text, sizeof text);
        Err_Set(err, "net_ip, net_port: %s cannot be bound: %s; choose an address of this machine",
                text, strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    return good;
}

static bool is_drain_over(void *context) {
    return now_ns() >= ((const app_t *)context)->drain_until_ns;
}

static bool open_transport(app_t *app, err_t *err) {
    const host_cvars_t *host = &app->console.host;
    enet_transport_config_t config = {.max_peers = host->sv_maxclients + SERVER_SPARE_PEERS,
                                      .is_server = true,
                                      .log = &app->log,
                                      .max_peers_per_address = host->sv_maxperaddress,
                                      .exempt = &app->console.proxies,
                                      .max_waiting = SERVER_SPARE_PEERS,
                                      .is_late = is_drain_over,
                                      .late_context = app,
                                      .allows = Bans_Allow,
                                      .allow_context = &app->bans,
                                      .without_checksum = host->net_checksum == 0};
    if (strchr(host->net_ip, ':') ||
        !Net_ParseAddress(host->net_ip, (uint16_t)host->net_port, &config.bind, err)) {
        return Err_Set(err,
                       "net_ip: expected an IPv4 address without a port, found \"%.200s\"; "
                       "net_port or -p sets the port",
                       host->net_ip);
    }
    if (app->options.check_only) {
        return check_bind(config.bind, err);
    }
    app->net = EnetTransport_Create(&config, err);
    return app->net != NULL;
}

static bool create_server(app_t *app, err_t *err) {
    const host_cvars_t *host = &app->console.host;
    if (app->console.start_map[0] == '\0' && host->sv_maplist[0] == '\0') {
        return Err_Set(err, "no map: name one with +map NAME, or in the config (map, sv_maplist)");
    }
    const server_config_t config = {.game = app->module.game,
                                    .game_values = app->console.game_values,
                                    .net = app->net,
                                    .exempt = &app->console.proxies,
                                    .log = &app->log,
                                    .max_clients = host->sv_maxclients,
                                    .max_edicts = host->sv_maxedicts,
                                    .snapshot_ticks = host->sv_snapshot_ticks,
                                    .send_bones = host->sv_send_bones,
                                    .idle_s = host->sv_idle_s,
                                    .seed = (uint64_t)host->sv_seed,
                                    .hostname = host->sv_hostname,
                                    .password = host->sv_password,
                                    .map_path = host->sv_mappath,
                                    .map_list = host->sv_maplist,
                                    .cvars = app->console.game};
    app->server = Server_Create(&config, err);
    if (!app->server || !Server_SetSpectateDelay(app->server, host->sv_spectate_delay_s, err) ||
        !Server_SetGameCheck(app->server, host->sv_gamecheck != 0, err)) {
        return false;
    }
    app->crash.running = Server_Running(app->server);
    return app->console.start_map[0] != '\0'
               ? Server_StartMap(app->server, app->console.start_map, err)
               : Server_NextMap(app->server, err);
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
        crash->module = app->module.path; // written by GameModule_Load and `game reload`
        return GameModule_Load(&app->module, path, err) &&
               Console_SetGame(&app->console, &app->module, err);
    }
    app->module.game = Game_Export();
    return Console_SetGame(&app->console, &app->module, err);
}

static void on_crash(int number, siginfo_t *info, void *context) {
    (void)context;
    Crash_Report(crash, number, info);
}

static void on_watchdog(int number) {
    (void)number;
    Watchdog_Check(crash);
}

// Applies the cvars of log and watchdog, which act outside of server_t.
static void apply_cvars(app_t *app) {
    app->log.level = app->options.debug ? LOG_DEBUG : (log_level_t)app->console.host.log_level;
    app->sink.is_json = strcmp(app->console.host.log_format, "json") == 0;
    Watchdog_Set(&app->crash, app->console.host.sv_watchdog_ms, on_watchdog);
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

// Starts console, game, log, network and server. Reports every fault; returns false after a fault.
static bool start(app_t *app) {
    err_t err = {{0}};
    app->sink.fd = -1;
    app->log = LogSink_Log(&app->sink, LOG_INFO);
    crash = &app->crash;
    crash->log_fd = &app->sink.fd;
    Crash_Install(crash, on_crash);
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
    good = (open_log(app, &err) || report(app, &err)) && good;
    apply_cvars(app);
    good = Console_LoadBans(&app->console, app->options.check_only) && good;
    good = (open_transport(app, &err) || report(app, &err)) && good;
    good = (!names_map || create_server(app, &err) || report(app, &err)) && good;
    app->console.server = app->server;
    return (!app->options.check_only || check_map_list(app)) && good;
}

// ---- signals and standard input ----

static void on_signal(int number) {
    if (number == SIGHUP) {
        reload_signal = 1;
    } else if (number == SIGUSR1) {
        status_signal = 1;
    } else {
        stop_signal = 1;
    }
}

// Blocks the handled signals except in ppoll, so that no signal is missed before the sleep.
// *while_asleep receives the mask for ppoll.
static void block_signals(sigset_t *while_asleep) {
    static const int caught[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t i = 0; i < COUNTOF(caught); i++) {
        sigaddset(&blocked, caught[i]);
        sigaction(caught[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); // if ignored, as some parents leave it, no bot could be reaped
    sigprocmask(SIG_BLOCK, &blocked, while_asleep);
    sigaddset(while_asleep, SIGALRM); // so that the watchdog's timer does not end the sleep
}

static void run_console(app_t *app, const char *line) {
    err_t err;
    if (!Console_Line(&app->console, line, &err)) {
        Console_Error(&app->console, &err);
    }
    apply_cvars(app);
}

static void log_status(app_t *app) {
    bool echo = app->console.echo;
    app->console.echo = false;
    run_console(app, "status");
    app->console.echo = echo;
}

static void end_line(app_t *app) {
    err_t err;
    if (app->line_used == sizeof app->line) {
        Err_Set(&err, "standard input: a line of more than %zu bytes is skipped",
                sizeof app->line - 1);
        Console_Error(&app->console, &err);
    } else if (app->line_used > 0) {
        app->line[app->line_used] = '\0';
        run_console(app, app->line);
    }
    app->line_used = 0;
}

static void read_stdin(app_t *app) {
    char bytes[512];
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got <= 0) {
        app->options.read_stdin = got < 0 && (errno == EINTR || errno == EAGAIN);
        if (got == 0) {
            end_line(app);
        }
        return;
    }
    for (ssize_t i = 0; i < got; i++) {
        if (bytes[i] == '\n') {
            end_line(app);
        } else if (app->line_used < sizeof app->line) {
            app->line[app->line_used++] = bytes[i]; // end_line skips a line that fills the buffer
        }
    }
}

static void handle_signals(app_t *app) {
    if (reload_signal) {
        reload_signal = 0;
        err_t err;
        const char *config = app->options.config;
        if (!LogSink_Reopen(&app->sink, &err)) {
            Log_Print(&app->log, LOG_ERROR, "%s; still writing to the old log file", err.text);
        }
        if (!config) {
            Log_Print(&app->log, LOG_INFO,
                      "SIGHUP: the log file was opened again; there is no config (-c)");
        } else if (Console_Reload(&app->console, config, &err)) {
            Log_Print(&app->log, LOG_INFO, "SIGHUP: %s was read again", config);
        } else {
            Log_Print(&app->log, LOG_ERROR, "%s", err.text);
        }
        apply_cvars(app);
        Console_ReloadBans(&app->console);
    }
    if (status_signal) {
        status_signal = 0;
        log_status(app);
    }
}

// ---- the loop ----

// Sleeps until `until_ns` (monotonic) or until a datagram, standard input or a signal arrives.
// Returns true if `until_ns` was reached.
static bool sleep_until(app_t *app, int64_t until_ns, bool watch_net, const sigset_t *signals) {
    int64_t left_ns = until_ns - now_ns();
    struct pollfd fds[2];
    nfds_t count = 0;
    left_ns = left_ns > 0 ? left_ns : 0;
    if (watch_net) {
        fds[count++] = (struct pollfd){.fd = app->net->descriptor(app->net), .events = POLLIN};
    }
    if (app->options.read_stdin) {
        fds[count++] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    }
    const struct timespec timeout = {left_ns / 1000000000, left_ns % 1000000000};
    int ready = ppoll(fds, count, &timeout, signals);
    if (ready <= 0) {
        return ready == 0;
    }
    for (nfds_t i = 0; i < count; i++) {
        if (fds[i].revents && fds[i].fd == STDIN_FILENO) {
            read_stdin(app);
        } else if (fds[i].revents) {
            app->awake_until_ms = now_ms() + STAY_AWAKE_MS;
        }
    }
    return false;
}

static void report_overruns(app_t *app) {
    uint64_t total = app->ticks.overruns;
    int64_t ms = now_ms();
    if (total == app->reported_overruns || ms < app->report_at_ms) {
        return;
    }
    Log_Print(&app->log, LOG_WARN,
              "%llu ticks began more than one tick late since the start; %llu more were dropped; "
              "maximum delay %.1f ms",
              (unsigned long long)total, (unsigned long long)app->ticks.skipped,
              (double)app->ticks.late_ns_max / 1e6);
    app->reported_overruns = total;
    app->report_at_ms = ms + REPORT_EVERY_MS;
}

static int64_t tick_ns(const app_t *app) {
    return (int64_t)Server_TickMs(app->server) * 1000000;
}

// Reads datagrams for at most drain_left_ns.
static void drain(app_t *app) {
    int64_t begun_ns = now_ns();
    app->drain_until_ns = begun_ns + app->drain_left_ns;
    app->drained_ms = begun_ns / 1000000;
    Server_Drain(app->server, app->drained_ms);
    app->drain_left_ns -= now_ns() - begun_ns;
}

// Runs the due ticks, at most MAX_CATCH_UP at once, and drops the rest of a backlog.
static void run_due_ticks(app_t *app) {
    for (int32_t n = 0; now_ns() >= app->deadline_ns; n++) {
        int64_t length_ns = tick_ns(app);
        int64_t begun_ns = now_ns();
        int64_t late_ns = begun_ns - app->deadline_ns;
        if (n == MAX_CATCH_UP) {
            int64_t given_up = late_ns / length_ns + 1;
            app->ticks.skipped += (uint64_t)given_up;
            app->deadline_ns += given_up * length_ns;
            break;
        }
        if (late_ns >= length_ns) {
            app->ticks.overruns++;
            app->ticks.late_ns_max = (uint64_t)late_ns > app->ticks.late_ns_max
                                         ? (uint64_t)late_ns
                                         : app->ticks.late_ns_max;
        }
        Server_Tick(app->server, begun_ns / 1000000);
        TickStats_Add(&app->ticks, now_ns() - begun_ns);
        app->deadline_ns += tick_ns(app); // the sum of lengths: ends never drift
        app->drain_left_ns = tick_ns(app) / 2;
    }
    report_overruns(app);
}

// Sleeps until `until_ns` or a datagram, but at least until DRAIN_EVERY_MS after the last drain.
// Datagrams that arrive when drain_left_ns is used up wait until `until_ns`.
static void sleep_between(app_t *app, int64_t until_ns, const sigset_t *signals) {
    int64_t drain_ns = (app->drained_ms + DRAIN_EVERY_MS) * 1000000;
    bool may_drain = app->drain_left_ns > 0;
    if (sleep_until(app, may_drain && drain_ns < until_ns ? drain_ns : until_ns, false, signals) &&
        now_ns() < until_ns) {
        sleep_until(app, until_ns, true, signals);
    }
}

static void loop(app_t *app, const sigset_t *signals) {
    bool was_idle = true;
    app->drain_left_ns = tick_ns(app) / 2;
    while (!stop_signal && !app->console.quit) {
        app->bans.now_s = (int64_t)time(NULL);
        handle_signals(app);
        Bots_Update(&app->bots, &app->console, EnetTransport_Port(app->net), now_ms());
        if (app->drain_left_ns > 0) {
            drain(app);
        }
        int64_t ms = app->drained_ms;
        bool idle = Server_NumClients(app->server) == 0;
        if (idle) {
            Server_Settle(app->server); // otherwise the next player would read that the last left
            bool awake = ms < app->awake_until_ms;
            // With 0, the first datagram wakes the loop at once from a sleep of IDLE_WAKE_MS.
            app->drained_ms = awake ? ms : 0;
            bool is_flooded = app->drain_left_ns <= 0;
            int64_t wake_ns = awake || is_flooded ? tick_ns(app) : IDLE_WAKE_MS * INT64_C(1000000);
            sleep_between(app, ms * 1000000 + wake_ns, signals);
            app->drain_left_ns = tick_ns(app) / 2;
            was_idle = true;
            continue;
        }
        if (was_idle) {
            app->deadline_ns = now_ns();
            was_idle = false;
        }
        run_due_ticks(app);
        sleep_between(app, app->deadline_ns, signals);
    }
}

static void shut_down(app_t *app) {
    Log_Print(&app->log, LOG_INFO, "shutting down: sending a goodbye to %d clients",
              Server_NumClients(app->server));
    Server_Shutdown(app->server, "the server is shutting down");
    int64_t until_ms = now_ms() + GOODBYE_MS;
    while (Server_NumClients(app->server) > 0 && now_ms() < until_ms) {
        app->drain_left_ns = tick_ns(app) / 2;
        drain(app);
        poll(&(struct pollfd){.fd = app->net->descriptor(app->net), .events = POLLIN}, 1, 5);
    }
    Bots_Stop(&app->bots);
    log_status(app);
    app->crash.running = NULL;
    Server_Destroy(app->server);
    app->net->destroy(app->net);
    GameModule_Unload(&app->module);
    Bans_Free(&app->bans);
    LogSink_Close(&app->sink);
}

// Prints the line that scripts wait for; the server accepts clients from now on.
static void print_ready(const app_t *app) {
    uint16_t port = EnetTransport_Port(app->net);
    char join[3 * MAX_PATH_BYTES];
    Install_JoinCommand(port, join, sizeof join);
    bool needs_password = app->console.host.sv_password[0] != '\0';
    printf("edictd: listening on %s:%u, map %s%s%s%s\n", app->console.host.net_ip, port,
           CM_Info(Server_Map(app->server)).name, join[0] != '\0' ? ", join with: " : "", join,
           join[0] != '\0' && needs_password ? " -P PASSWORD" : "");
    fflush(stdout);
}

int main(int argc, char **argv) {
    // Fixed, because glibc raises it: then the memory of players who left stays in the heap.
    mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
    app_t *app = calloc(1, sizeof *app);
    sigset_t signals;
    if (!app) {
        fputs("edictd: error: no memory to start\n", stderr);
        return 1;
    }
    Options_Parse(&app->options, argc, argv);
    if (!start(app)) {
        return 1;
    }
    if (app->options.check_only) {
        printf("edictd: config and map %s are good\n", CM_Info(Server_Map(app->server)).name);
        app->crash.running = NULL; // Server_Destroy frees it
        Server_Destroy(app->server);
        GameModule_Unload(&app->module);
        return 0;
    }
    block_signals(&signals);
    print_ready(app);
    loop(app, &signals);
    shut_down(app);
    return 0; // `app` is not freed: signal handlers still read `crash`
}
