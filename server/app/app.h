/// app/app.h - the process around SV_Frame: how it starts, sleeps, handles signals and ends.
//
// Memory:  main.c owns the app_t, which is never freed: signal handlers read it until the end.

#ifndef EDICTD_APP_APP_H
#define EDICTD_APP_APP_H

#include "app/process.h"
#include "core/server.h"
#include "ops/bots.h"
#include "ops/console.h"
#include "ops/control.h"
#include "ops/crash.h"
#include "ops/log_sink.h"
#include "ops/options.h"
#include "ops/run_user.h"

#include <signal.h>

// Signals that arrived since the loop last handled them.
typedef struct {
    volatile sig_atomic_t stop, reload, status;
    sigset_t while_asleep; ///< mask for ppoll; all of the above are blocked otherwise
} signals_t;

typedef struct {
    options_t options;
    process_t process;
    game_module_t module;
    console_t console;
    log_sink_t sink;
    log_t log;
    transport_t *net;
    uint8_t *secret_key; ///< of sv_keyfile, out of core dumps, until the start is over; or NULL
    server_t *server;
    bans_t bans;
    bots_t bots;
    control_t *control;      ///< NULL = none
    console_source_t typist; ///< of commands on standard input
    char typist_name[CONTROL_USER_BYTES];
    tick_stats_t ticks;
    crash_t crash;
    run_user_t user;
    void (*on_watchdog)(int); ///< handler for Watchdog_Set
    signals_t *signals;
    int64_t deadline_ns; ///< deadline of the next tick
    int64_t ended_ns;    ///< end of the last tick
    int64_t drained_ms;
    int64_t drain_left_ns;   ///< time left for reading datagrams before the next tick
    uint64_t num_drained;    ///< datagrams read for the last tick
    uint64_t packets_in;     ///< datagrams read so far
    uint64_t packets_before; ///< the same until the last tick
    int64_t drained_ns;      ///< time spent reading datagrams before the next tick's deadline
    int64_t drain_until_ns;  ///< end of the time in which datagrams are read now
    int64_t awake_until_ms;
    int64_t title_at_ms; ///< earliest next check of the process title
    int64_t report_at_ms;
    uint64_t reported_overruns;
    char line[MAX_CMD_LINE]; ///< current line of standard input, as far as it was read
    size_t line_used; ///< bytes of `line`; sizeof line = the line is too long and will be skipped
} app_t;

/// Starts console, game, log, network and server. Reports every fault; returns false after a fault.
/// With -n, only checks. With --fgd, prints and exits.
bool App_Start(app_t *app);

/// Prints the line that scripts wait for; the server accepts clients from now on.
void App_PrintReady(const app_t *app);

/// Reads sv_keyfile into secret_key, if it is set.
bool App_ReadKey(app_t *app, err_t *err);

/// Opens the network as the cvars demand; with -n, only checks the address.
bool App_OpenTransport(app_t *app, err_t *err);

/// Creates the server as the cvars demand and starts its first map.
bool App_CreateServer(app_t *app, err_t *err);

/// Becomes the user, then enters the sandbox. Returns false if the user cannot be taken on, or
/// cannot read the maps.
bool App_Confine(app_t *app, err_t *err);

/// Applies the cvars of log and watchdog, which act outside of server_t.
void App_ApplyCvars(app_t *app);

/// Runs a line of commands and reports its fault.
void App_RunLine(app_t *app, const char *line);

/// Runs the lines that wait on standard input. Call if it is readable.
void App_ReadStdin(app_t *app);

/// Runs ticks until a signal or the command `quit` ends the server.
void App_Loop(app_t *app);

/// Disconnects the clients, then frees everything but the app_t.
void App_ShutDown(app_t *app);

#endif
