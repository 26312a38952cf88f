/// main.c - edictd: options and signals around server/app. The only file with globals: they are
/// for signal handlers.

#include "app/app.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MMAP_BYTES (128 * 1024) // allocations of this size go back to the system when freed

static crash_t *crash; // state for the crash and watchdog handlers
static signals_t signals;

static void on_crash(int number, siginfo_t *info, void *context) {
    (void)context;
    Crash_Report(crash, number, info);
}

static void on_watchdog(int number) {
    (void)number;
    Watchdog_Check(crash);
}

static void on_signal(int number) {
    if (number == SIGHUP) {
        signals.reload = 1;
    } else if (number == SIGUSR1) {
        signals.status = 1;
    } else {
        signals.stop = 1;
    }
}

// Blocks the handled signals except in ppoll, so that no signal is missed before the sleep.
static void block_signals(void) {
    static const int caught[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t i = 0; i < COUNTOF(caught); i++) {
        sigaddset(&blocked, caught[i]);
        sigaction(caught[i], &action, NULL);
    }
    sigprocmask(SIG_BLOCK, &blocked, &signals.while_asleep);
    sigaddset(&signals.while_asleep,
              SIGALRM); // so that the watchdog's timer does not end the sleep
}

int main(int argc, char **argv) {
    err_t err;
    // Fixed, because glibc raises it: then the memory of players who left stays in the heap.
    mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
    app_t *app = calloc(1, sizeof *app);
    if (!app) {
        fputs("edictd: error: no memory to start\n", stderr);
        return 1;
    }
    signal(SIGPIPE, SIG_IGN); // standard error may be a pipe that nobody reads any more
    Process_KeepTitle(&app->process, argc, argv);
    Options_Parse(&app->options, argc, argv);
    app->signals = &signals;
    app->on_watchdog = on_watchdog;
    crash = &app->crash;
    crash->log_fd = &app->sink.fd;
    Crash_Install(crash, on_crash);
    if (!Process_Begin(&app->process, &app->options, &err)) {
        fprintf(stderr, "edictd: error: %s\n", err.text);
        return 1;
    }
    if (!App_Start(app)) {
        if (!app->options.check_only) {
            Log_Print(&app->log, LOG_ERROR, "the server did not start; the errors above say why");
        }
        Process_End(&app->process);
        return 1;
    }
    if (app->options.check_only) {
        printf("edictd: config and map %s are good\n", CM_Info(Server_Map(app->server)).name);
        app->crash.running = NULL; // Server_Destroy frees it
        Server_Destroy(app->server);
        GameModule_Unload(&app->module);
        return 0;
    }
    block_signals();
    App_PrintReady(app);
    Process_Ready(&app->process);
    App_Loop(app);
    App_ShutDown(app);
    Process_End(&app->process);
    return 0; // `app` is not freed: signal handlers still read `crash`
}
