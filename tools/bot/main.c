/// bot/main.c - edict-bot: runs many scripted clients in one process.
//
// Results go to stdout as TAP; the status line and errors go to stderr. Only this file reads the
// clock.

#include "base/file.h"
#include "base/limits.h"
#include "bot/junit.h"
#include "bot/load.h"
#include "bot/squad.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define STATUS_MS 1000
#define SERVER    "edictd" // the program that is started

static int64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Writes the status line. If `stays`, it replaces the line before.
static void show_status(const squad_t *squad, int64_t elapsed_ms, bool stays) {
    squad_status_t status = Squad_Status(squad);
    fprintf(stderr,
            "%s%3lld s  %d of %d bots joined, %d play  mean speed %3.0f qu/s  rtt %d ms  "
            "%llu events%s",
            stays ? "\r" : "", (long long)(elapsed_ms / 1000), status.joined, status.count,
            status.playing, (double)status.mean_speed, status.rtt_ms,
            (unsigned long long)status.events, stays ? "\033[K" : "\n");
    fflush(stderr);
}

/// Returns a descriptor that becomes readable on SIGINT, SIGTERM and SIGHUP. Returns -1 on failure;
/// these signals then end the program at once.
static int open_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd >= 0) {
        sigprocmask(SIG_BLOCK, &set, NULL);
    }
    return fd;
}

/// Polls and steps until every bot is over. `fds` has room for the bots, the signal descriptor and
/// standard input.
static void run(squad_t *squad, struct pollfd *fds, int signals, const bot_args_t *args) {
    bool show = args->status;
    bool stays = isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) != 1; // no results between
    bool has_shown = false;
    int64_t start_ms = clock_ms(), next_status_ms = start_ms + STATUS_MS;
    nfds_t count = (nfds_t)squad->count + 2;
    bool until_eof = args->until_eof;
    for (;;) {
        int64_t now_ms = clock_ms();
        Squad_PollFds(squad, fds);
        fds[squad->count] = (struct pollfd){.fd = signals, .events = POLLIN};
        fds[squad->count + 1] =
            (struct pollfd){.fd = until_eof ? STDIN_FILENO : -1, .events = POLLIN};
        if (poll(fds, count, Squad_PatienceMs(squad, now_ms)) < 0) {
            memset(fds, 0, count * sizeof *fds); // a signal interrupted poll, so no socket is ready
        }
        if (fds[squad->count].revents != 0) {
            struct signalfd_siginfo info;
            if (read(signals, &info, sizeof info) == (ssize_t)sizeof info) {
                Squad_Stop(squad, "interrupted");
            }
        }
        if (fds[squad->count + 1].revents != 0) {
            char ignored[256];
            if (read(STDIN_FILENO, ignored, sizeof ignored) <= 0) {
                until_eof = false;
                Squad_Stop(squad, "standard input has ended");
            }
        }
        now_ms = clock_ms();
        bool more = Squad_Step(squad, now_ms, fds);
        if (show && now_ms >= next_status_ms) {
            show_status(squad, now_ms - start_ms, stays);
            next_status_ms = now_ms + STATUS_MS;
            has_shown = true;
        }
        if (!more) {
            break;
        }
    }
    if (has_shown && stays) {
        fputc('\n', stderr);
    }
}

/// Runs a script with all bots. Returns the exit status.
static int run_script(const bot_args_t *args, operator_t *console, const char *script,
                      size_t size) {
    err_t err = {""};
    tap_t tap;
    squad_t squad;
    watchdog_t dog;
    const bool needs_maps = args->maps || args->download;
    cl_maps_t *maps = needs_maps ? CL_MapsCreate(args->maps ? args->maps : "") : NULL;
    struct pollfd *fds = calloc((size_t)args->count + 2, sizeof *fds);
    int signals = open_signals();
    int status = EXIT_NO_SERVER;
    if (!fds || (needs_maps && !maps)) {
        fprintf(stderr, "edict-bot: out of memory\n");
    } else if (args->download && !CL_MapsDownload(maps, args->download, &err)) {
        fprintf(stderr, "edict-bot: --download: %s\n", err.text);
    } else if (!Watchdog_Start(&dog, args->script, &err)) {
        fprintf(stderr, "edict-bot: %s\n", err.text);
    } else {
        const squad_config_t config = {.args = args,
                                       .script = script,
                                       .script_size = size,
                                       .maps = maps,
                                       .console = console,
                                       .tap = &tap,
                                       .dog = &dog};
        status = Squad_Create(&squad, &config, &err);
        Tap_Plan(&tap, stdout, args->quiet, args->count);
        if (status == EXIT_PASSED) {
            if (!args->quiet) {
                Tap_Note(&tap, "seed %lld", (long long)args->seed);
            }
            run(&squad, fds, signals, args);
            status = Squad_Finish(&squad);
        } else {
            printf("Bail out! %s\n", err.text);
        }
        if (args->junit && !Junit_Write(args->junit, args->script, &squad, err.text, &err)) {
            fprintf(stderr, "edict-bot: %s\n", err.text);
            status = status == EXIT_PASSED ? EXIT_SCRIPT_FAILED : status;
        }
        Squad_Destroy(&squad);
        Watchdog_Stop(&dog);
    }
    if (signals >= 0) {
        close(signals);
    }
    free(fds);
    CL_MapsDestroy(maps);
    return status;
}

/// Starts a server with the arguments after the script, or connects to a control socket. Runs the
/// script, and ends a started server.
static int run_with_console(bot_args_t *args, const char *script, size_t size) {
    char program[MAX_PATH_BYTES] = "";
    err_t err = {""};
    operator_t *console = calloc(1, sizeof *console);
    int status = EXIT_NO_SERVER;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - sizeof SERVER);
    char *slash = length > 0 ? strrchr(program, '/') : NULL;
    strlcpy(slash ? slash + 1 : program, SERVER, sizeof SERVER); // beside this program
    if (!console) {
        Err_Set(&err, "out of memory");
    } else if (args->control ? Operator_Connect(console, args->control, &err)
                             : Operator_Start(console, program, args->server_args,
                                              args->num_server_args, &args->server, &err)) {
        status = run_script(args, console, script, size);
        if (!Operator_Stop(console, &err)) {
            status = EXIT_SCRIPT_FAILED;
        }
    }
    if (err.text[0] != '\0') {
        fprintf(stderr, "edict-bot: %s\n", err.text);
    }
    free(console);
    return status;
}

int main(int argc, char **argv) {
    bot_args_t args;
    err_t err = {""};
    if (!Args_Parse(argc, argv, &args, &err)) {
        fprintf(stderr, "edict-bot: %s\nedict-bot --help lists the options\n", err.text);
        return EXIT_NO_SERVER;
    }
    if (args.load > 0) {
        return Load_Run(&args, open_signals());
    }
    size_t size = 0;
    bool has_folders = Args_CheckFolders(args.maps, &err);
    uint8_t *script = has_folders ? File_Read(args.script, MAX_SCRIPT_BYTES, &size, &err) : NULL;
    if (!script) {
        fprintf(stderr, "edict-bot: %s\n", err.text);
        return EXIT_NO_SERVER;
    }
    int status = args.server_args || args.control
                     ? run_with_console(&args, (const char *)script, size)
                     : run_script(&args, NULL, (const char *)script, size);
    free(script);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "edict-bot: stdout: %s\n", strerror(errno));
        return EXIT_SCRIPT_FAILED;
    }
    return status;
}
