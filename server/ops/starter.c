#include "ops/starter.h"

#include "ops/host_cvars.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NICE      5                   // the server's ticks come first
#define KEEPER_FD (STDERR_FILENO + 1) // number of the socket in the process

// ---- the process ----

typedef struct {
    int fd; ///< socket to the server
    starter_setup_t setup;
    pid_t pids[MAX_BOTS]; ///< 0 = none
    int lifeline[2];      ///< standard input of the bots: read end, write end
    int output[2];        ///< standard output and error of the bots: read end, write end
    char reason[BOT_LINE_BYTES];
} keeper_t;

// Runs edict-bot with the pipes as its only files. Returns 0 or an errno.
static int run_bot(keeper_t *keeper, char *const *argv, pid_t *pid) {
    char password[64];
    char *environment[] = {password, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    snprintf(password, sizeof password, "EDICT_PASSWORD=%s", keeper->setup.password);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, keeper->lifeline[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, keeper->output[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, keeper->output[1], STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0); // Ctrl-C is for the server, which then ends the bots
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    int fault = posix_spawn(pid, argv[0], &files, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return fault;
}

static void send_report(keeper_t *keeper, int32_t index, int fault, int status) {
    starter_report_t report = {.index = index, .fault = fault, .status = status};
    memcpy(report.reason, keeper->reason, sizeof report.reason);
    keeper->reason[0] = '\0'; // a bot writes shortly before it ends
    while (send(keeper->fd, &report, sizeof report, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

static void start_bot(keeper_t *keeper, const starter_order_t *order) {
    char index[16], seed[16];
    snprintf(index, sizeof index, "%d", order->index + 1);
    snprintf(seed, sizeof seed, "%d", order->seed);
    const starter_setup_t *setup = &keeper->setup;
    const char *words[] = {setup->program,
                           "-q",
                           "-t",
                           "0",
                           "--until-eof",
                           "-c",
                           setup->to,
                           "-b",
                           setup->from,
                           "-i",
                           index,
                           "-S",
                           seed,
                           order->folders[0] ? "-m" : setup->script,
                           order->folders[0] ? order->folders : NULL,
                           setup->script,
                           NULL};
    pid_t pid = 0;
    int fault = run_bot(keeper, (char *const *)(uintptr_t)words, &pid);
    if (fault != 0) {
        snprintf(keeper->reason, sizeof keeper->reason, "%s: %s", setup->program, strerror(fault));
        send_report(keeper, order->index, fault, 0);
        return;
    }
    keeper->pids[order->index] = pid;
    setpriority(PRIO_PROCESS, (id_t)pid, NICE);
}

// Follows an order that is well formed; ignores any other.
static void obey(keeper_t *keeper, starter_order_t *order, size_t size) {
    if (size != sizeof *order || order->index < 0 || order->index >= MAX_BOTS) {
        return;
    }
    order->folders[sizeof order->folders - 1] = '\0';
    pid_t pid = keeper->pids[order->index];
    if (order->what == STARTER_START && pid == 0) {
        start_bot(keeper, order);
    } else if (order->what != STARTER_START && pid != 0) {
        kill(pid, order->what == STARTER_KILL ? SIGKILL : SIGTERM);
    }
}

// Reads what the bots wrote. Keeps the last line that is neither a comment nor a plan of TAP.
static void read_output(keeper_t *keeper) {
    char text[4096];
    ssize_t got = read(keeper->output[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        if (line[0] != '\0' && line[0] != '#' && strncmp(line, "1..", 3) != 0) {
            strlcpy(keeper->reason, line, sizeof keeper->reason);
        }
    }
}

// Reaps the bots that have ended. Returns the number of those that run.
static int32_t reap(keeper_t *keeper) {
    int32_t running = 0;
    for (int32_t i = 0; i < MAX_BOTS; i++) {
        int status = 0;
        if (keeper->pids[i] != 0 && waitpid(keeper->pids[i], &status, WNOHANG) != 0) {
            keeper->pids[i] = 0;
            read_output(keeper);
            send_report(keeper, i, 0, status);
        }
        running += keeper->pids[i] != 0 ? 1 : 0;
    }
    return running;
}

static void signal_all(const keeper_t *keeper, int number) {
    for (int32_t i = 0; i < MAX_BOTS; i++) {
        if (keeper->pids[i] != 0) {
            kill(keeper->pids[i], number);
        }
    }
}

static void on_child(int number) {
    (void)number; // only ends ppoll
}

// Serves orders until the server closes its end of the socket.
static void serve(keeper_t *keeper, const sigset_t *while_asleep) {
    union {
        starter_order_t order;
        starter_setup_t setup;
    } message;
    for (ssize_t got = 1; got != 0;) {
        struct pollfd fds[2] = {{.fd = keeper->fd, .events = POLLIN},
                                {.fd = keeper->output[0], .events = POLLIN}};
        int ready = ppoll(fds, 2, NULL, while_asleep);
        if (ready > 0 && fds[1].revents) {
            read_output(keeper);
        }
        reap(keeper);
        if (ready <= 0 || !fds[0].revents) {
            continue;
        }
        got = recv(keeper->fd, &message, sizeof message, 0);
        if (got == (ssize_t)sizeof message.setup && keeper->setup.program[0] == '\0') {
            keeper->setup = message.setup;
            got = RunUser_Become(&keeper->setup.user, NULL) ? got : 0;
        } else if (got > 0 && keeper->setup.program[0] != '\0') {
            obey(keeper, &message.order, (size_t)got);
        }
    }
}

static _Noreturn void live(int fd) {
    static const int ignored[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGPIPE}; // for the server
    keeper_t keeper = {.fd = KEEPER_FD};
    sigset_t children, none;
    int null = open("/dev/null", O_RDWR);
    for (int i = 0; i <= STDERR_FILENO; i++) {
        dup2(null, i);
    }
    dup2(fd, KEEPER_FD);
    closefrom(KEEPER_FD + 1);
    for (size_t i = 0; i < COUNTOF(ignored); i++) {
        signal(ignored[i], SIG_IGN);
    }
    sigemptyset(&none);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_SETMASK, &children, NULL); // except in ppoll, so that no end is missed
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = on_child}, NULL);
    prctl(PR_SET_NAME, "edictd-starter");
    setproctitle("starter of bots");
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (pipe2(keeper.lifeline, O_CLOEXEC) == 0 && pipe2(keeper.output, O_CLOEXEC) == 0) {
        fcntl(keeper.output[0], F_SETFL, O_NONBLOCK);
        serve(&keeper, &none);
        close(keeper.lifeline[1]);
        signal_all(&keeper, SIGTERM);
        for (int32_t waited_ms = 0; reap(&keeper) > 0; waited_ms += 10) {
            if (waited_ms >= BOTS_GRACE_MS) {
                signal_all(&keeper, SIGKILL);
            }
            ppoll(NULL, 0, &(struct timespec){.tv_nsec = 10000000}, NULL);
        }
    }
    _exit(0);
}

// ---- the server's end ----

void Starter_Open(starter_t *starter) {
    int fds[2];
    starter->fd = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
        return;
    }
    starter->pid = fork();
    if (starter->pid == 0) {
        close(fds[0]);
        live(fds[1]);
    }
    close(fds[1]);
    if (starter->pid < 0) {
        close(fds[0]);
        return;
    }
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    starter->fd = fds[0];
}

bool Starter_Setup(const starter_t *starter, const starter_setup_t *setup) {
    return send(starter->fd, setup, sizeof *setup, MSG_NOSIGNAL) == (ssize_t)sizeof *setup;
}

bool Starter_Send(const starter_t *starter, const starter_order_t *order) {
    return send(starter->fd, order, sizeof *order, MSG_NOSIGNAL) == (ssize_t)sizeof *order;
}

bool Starter_Read(starter_t *starter, starter_report_t *report) {
    ssize_t got = starter->fd >= 0 ? recv(starter->fd, report, sizeof *report, 0) : -1;
    if (got == 0 || (got < 0 && starter->fd >= 0 && errno == ECONNRESET)) {
        close(starter->fd);
        starter->fd = -1;
    }
    return got == (ssize_t)sizeof *report;
}

void Starter_Close(starter_t *starter) {
    starter_report_t report;
    struct pollfd end = {.fd = starter->fd, .events = POLLIN};
    if (starter->fd < 0) {
        return;
    }
    shutdown(starter->fd, SHUT_WR);
    for (int32_t waits = 0; starter->fd >= 0 && waits < BOTS_GRACE_MS / 10 + 100; waits++) {
        poll(&end, 1, 10);
        while (Starter_Read(starter, &report)) {
        }
    }
    if (starter->fd < 0) {
        waitpid(starter->pid, NULL, 0);
    } else {
        close(starter->fd);
    }
}
