/// app/loop.c - the main loop: sleeps, reads datagrams, runs due ticks, handles signals.
//
// The loop sleeps until the next tick's deadline or until datagrams arrive. It reads datagrams at
// most every drain_every_ms, and for at most half of each tick's time. Deadlines are absolute: a
// late tick does not delay the next tick. With no client connected, no tick runs, and the loop
// wakes once a second.

#include "app/app.h"
#include "app/clock.h"
#include "net/enet_transport.h"

#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// Intervals of reading datagrams. Each costs system calls, a wakeup and visits to all peers; a
// longer one adds to what joins and queries take, and may overflow the kernel's buffer in a flood.
// With the usual ticks of 16 ms, DRAIN_MS is once a tick.
#define DRAIN_MS        20
#define DRAIN_IDLE_MS   2   // without clients: a first one joins quickly
#define DRAIN_FULL_MS   8   // while a tick has MANY_DATAGRAMS
#define MANY_DATAGRAMS  128 // a quarter of what the usual buffer of 208 KiB holds
#define MAX_CATCH_UP    5 // ticks run at once to catch up; a longer backlog is dropped and counted
#define IDLE_WAKE_MS    1000 // sleep if no client is connected
#define STAY_AWAKE_MS   2000 // no IDLE_WAKE_MS sleep after a datagram: a client may be connecting
#define GOODBYE_MS      500  // maximum wait for the goodbyes of a shutdown
#define TITLE_EVERY_MS  1000 // minimum interval between two process titles
#define REPORT_EVERY_MS 5000 // minimum interval between two reports of overruns

static void log_status(app_t *app) {
    bool echo = app->console.echo;
    const console_source_t *source = app->console.source;
    app->console.echo = false;
    app->console.source = NULL;
    App_RunLine(app, "status");
    app->console.echo = echo;
    app->console.source = source;
}

static void handle_signals(app_t *app) {
    if (app->signals->reload) {
        app->signals->reload = 0;
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
        App_ApplyCvars(app);
        Console_ReloadBans(&app->console);
    }
    if (app->signals->status) {
        app->signals->status = 0;
        log_status(app);
    }
}

// Runs what arrived on the control socket. Standard input goes first, because the socket's commands
// can keep it waiting for tick after tick.
static void run_control(app_t *app, int64_t until_ns) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (!app->control) {
        return;
    }
    Control_Finish(app->control);
    if (app->options.read_stdin && !Console_IsWaiting(&app->console) && poll(&input, 1, 0) > 0) {
        App_ReadStdin(app);
    }
    Control_Run(app->control, until_ns);
}

// Sleeps until `until_ns` (monotonic) or until a datagram, a command or a signal arrives.
// Returns true if `until_ns` was reached.
static bool sleep_until(app_t *app, int64_t until_ns, bool watch_net) {
    struct pollfd fds[2 + CONTROL_PEERS + 1];
    nfds_t count = 0;
    if (app->console.quit) {
        return false;
    }
    if (app->control) {
        count += (nfds_t)Control_Watch(app->control, fds);
        until_ns = Control_WakeNs(app->control, until_ns);
    }
    nfds_t num_control = count;
    int64_t left_ns = until_ns - Clock_Ns();
    left_ns = left_ns > 0 ? left_ns : 0;
    if (watch_net) {
        fds[count++] = (struct pollfd){.fd = app->net->descriptor(app->net), .events = POLLIN};
    }
    if (app->options.read_stdin && !Console_IsWaiting(&app->console)) {
        fds[count++] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    }
    const struct timespec timeout = {left_ns / 1000000000, left_ns % 1000000000};
    int ready = ppoll(fds, count, &timeout, &app->signals->while_asleep);
    if (ready <= 0) {
        return ready == 0;
    }
    for (nfds_t i = num_control; i < count; i++) {
        if (fds[i].revents && fds[i].fd == STDIN_FILENO) {
            App_ReadStdin(app);
        } else if (fds[i].revents) {
            app->awake_until_ms = Clock_Ms() + STAY_AWAKE_MS;
        }
    }
    return false;
}

static void report_overruns(app_t *app) {
    uint64_t total = app->ticks.overruns;
    int64_t ms = Clock_Ms();
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

// Shows map and players in the process title.
static void update_title(app_t *app) {
    char title[MAX_PATH_BYTES + 32];
    if (app->drained_ms < app->title_at_ms) {
        return;
    }
    app->title_at_ms = app->drained_ms + TITLE_EVERY_MS;
    snprintf(title, sizeof title, "%s %d/%d", CM_Info(Server_Map(app->server)).name,
             Server_NumClients(app->server), app->console.host.sv_maxclients);
    Process_SetTitle(&app->process, title);
}

static int64_t tick_ns(const app_t *app) {
    return (int64_t)Server_TickMs(app->server) * 1000000;
}

// Reads datagrams for at most drain_left_ns.
static void drain(app_t *app) {
    cl_traffic_t traffic;
    int64_t begun_ns = Clock_Ns();
    app->drain_until_ns = begun_ns + app->drain_left_ns;
    app->drained_ms = begun_ns / 1000000;
    Server_Drain(app->server, app->drained_ms);
    int64_t ended_ns = Clock_Ns();
    app->net->traffic(app->net, &traffic);
    app->packets_in = traffic.packets_in;
    app->drain_left_ns -= ended_ns - begun_ns;
    int64_t early_ns = (ended_ns < app->deadline_ns ? ended_ns : app->deadline_ns) - begun_ns;
    app->drained_ns += early_ns > 0 ? early_ns : 0;
}

// Runs the due ticks, at most MAX_CATCH_UP at once, and drops the rest of a backlog.
static void run_due_ticks(app_t *app) {
    for (int32_t n = 0; Clock_Ns() >= app->deadline_ns; n++) {
        if (n > 0) {
            drain(app); // a late server reads as much for each tick as one in time
        }
        int64_t length_ns = tick_ns(app);
        int64_t begun_ns = Clock_Ns();
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
        Server_Run(app->server, begun_ns / 1000000);
        int64_t ran_ns = Clock_Ns();
        Server_Send(app->server);
        int64_t ended_ns = Clock_Ns();
        int64_t took_ns = ended_ns - app->deadline_ns + app->drained_ns;
        int64_t waited_ns = app->ended_ns > app->deadline_ns ? app->ended_ns - app->deadline_ns : 0;
        app->ended_ns = ended_ns;
        TickStats_Add(&app->ticks, took_ns);
        Server_NoteTick(app->server, took_ns, took_ns - waited_ns, ended_ns - ran_ns);
        app->drained_ns = 0;
        app->num_drained = app->packets_in - app->packets_before;
        app->packets_before = app->packets_in;
        app->deadline_ns += tick_ns(app); // the sum of lengths: ends never drift
        app->drain_left_ns = tick_ns(app) / 2;
    }
    report_overruns(app);
}

static int64_t drain_every_ms(const app_t *app) {
    return Server_NumClients(app->server) == 0 ? DRAIN_IDLE_MS
           : app->num_drained < MANY_DATAGRAMS ? DRAIN_MS
                                               : DRAIN_FULL_MS;
}

// Sleeps until `until_ns` or a datagram, but at least until drain_every_ms after the last drain.
// Datagrams that arrive when drain_left_ns is used up, or in the last millisecond, wait until
// `until_ns`.
static void sleep_between(app_t *app, int64_t until_ns) {
    int64_t drain_ns = (app->drained_ms + drain_every_ms(app)) * 1000000;
    bool may_drain = app->drain_left_ns > 0 && drain_ns < until_ns - 1000000;
    if (sleep_until(app, may_drain ? drain_ns : until_ns, false) && Clock_Ns() < until_ns) {
        sleep_until(app, until_ns, true);
    }
}

void App_Loop(app_t *app) {
    bool was_idle = true;
    app->drain_left_ns = tick_ns(app) / 2;
    while (!app->signals->stop && !app->console.quit) {
        app->bans.now_s = (int64_t)time(NULL);
        Server_SetTime(app->server, app->bans.now_s);
        handle_signals(app);
        Bots_Update(&app->bots, &app->console, Clock_Ms());
        if (app->drain_left_ns > 0) {
            drain(app);
        }
        update_title(app);
        int64_t ms = app->drained_ms;
        bool idle = Server_NumClients(app->server) == 0;
        if (idle) {
            Server_Settle(app->server); // otherwise the next player would read that the last left
            bool awake = ms < app->awake_until_ms;
            // With 0, the first datagram wakes the loop at once from a sleep of IDLE_WAKE_MS.
            app->drained_ms = awake ? ms : 0;
            bool is_flooded = app->drain_left_ns <= 0;
            int64_t wake_ns = awake || is_flooded ? tick_ns(app) : IDLE_WAKE_MS * INT64_C(1000000);
            run_control(app, INT64_MAX);
            sleep_between(app, ms * 1000000 + wake_ns);
            app->drain_left_ns = tick_ns(app) / 2;
            was_idle = true;
            continue;
        }
        if (was_idle) {
            app->deadline_ns = Clock_Ns();
            was_idle = false;
        }
        run_due_ticks(app);
        run_control(app, app->deadline_ns);
        sleep_between(app, app->deadline_ns);
    }
}

void App_ShutDown(app_t *app) {
    Log_Print(&app->log, LOG_INFO, "shutting down: sending a goodbye to %d clients",
              Server_NumClients(app->server));
    Server_Shutdown(app->server, "the server is shutting down");
    int64_t until_ms = Clock_Ms() + GOODBYE_MS;
    while (Server_NumClients(app->server) > 0 && Clock_Ms() < until_ms) {
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
    Control_Destroy(app->control);
    LogSink_Close(&app->sink);
}
