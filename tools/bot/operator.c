#include "bot/operator.h"

#include "base/str.h"
#include "ctl/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OWN_ARGS 3 // edictd -p 0

// ---- the process ----

static void close_end(int *fd) {
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

// Becomes the server. Runs in the child process.
static _Noreturn void become(const char *program, char **argv, const int from[2]) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM); // the server must not outlive a killed edict-bot
    if (dup2(from[1], STDOUT_FILENO) >= 0) {
        execv(program, argv);
    }
    fprintf(stderr, "edict-bot: %s: %s\n", program, strerror(errno));
    _exit(127);
}

static bool spawn(operator_t *op, const char *program, char **argv, err_t *err) {
    int from[2] = {-1, -1};
    op->pid = pipe2(from, O_CLOEXEC) == 0 ? fork() : -1;
    if (op->pid == 0) {
        become(program, argv, from);
    }
    if (op->pid < 0) {
        Err_Set(err, "%s: cannot start a process: %s", program, strerror(errno));
        op->pid = 0;
        close_end(&from[0]);
    }
    close_end(&from[1]);
    op->out = from[0];
    if (op->pid > 0) {
        fcntl(op->out, F_SETFL, O_NONBLOCK);
    }
    return op->pid > 0;
}

// Waits until the server writes or ends its output. Returns false after `ms` of silence.
static bool wait_output(const operator_t *op, int32_t ms) {
    struct pollfd fd = {.fd = op->out, .events = POLLIN};
    int ready = 0;
    do {
        ready = poll(&fd, 1, ms);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

static int64_t monotonic_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool Operator_Stop(operator_t *op, err_t *err) {
    const int64_t end_ms = monotonic_ms() + OPERATOR_STOP_MS; // also of a server that still writes
    int status = 0;
    bool in_time = true;
    Link_Close(&op->link);
    if (op->pid <= 0) {
        return true;
    }
    kill(op->pid, SIGTERM);
    while (in_time && op->out >= 0) {
        int64_t left_ms = end_ms - monotonic_ms();
        in_time = left_ms > 0 && wait_output(op, (int32_t)left_ms);
        Operator_Read(op);
    }
    if (!in_time) {
        kill(op->pid, SIGKILL);
    }
    while (waitpid(op->pid, &status, 0) < 0 && errno == EINTR) {
    }
    op->pid = 0;
    close_end(&op->out);
    if (!in_time) {
        return Err_Set(err, "the server did not end within %d ms and was killed", OPERATOR_STOP_MS);
    }
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           Err_Set(err, "the server ended with %s %d", WIFEXITED(status) ? "exit status" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

// Reads the address in a line of op->text such as "edictd: listening on 0.0.0.0:27500, map arena".
static bool find_address(const operator_t *op, cl_address_t *address) {
    const char *at = strstr(op->text, "listening on ");
    unsigned a, b, c, d, port;
    if (!at || !strchr(at, '\n') ||
        sscanf(at, "listening on %3u.%3u.%3u.%3u:%5u", &a, &b, &c, &d, &port) != 5) {
        return false;
    }
    uint32_t host = (a & 255u) << 24 | (b & 255u) << 16 | (c & 255u) << 8 | (d & 255u);
    *address = (cl_address_t){.host = host ? host : 0x7f000001u, .port = (uint16_t)port};
    return true;
}

static void reset(operator_t *op) {
    memset(op, 0, sizeof *op);
    op->out = -1;
    op->link.fd = -1;
}

bool Operator_Start(operator_t *op, char *program, char *const *args, int32_t count,
                    cl_address_t *address, err_t *err) {
    char *own[OWN_ARGS] = {program, "-p", "0"};
    char **argv = calloc((size_t)(OWN_ARGS + count + 1), sizeof *argv);
    err_t why = {""};
    reset(op);
    if (!argv) {
        return Err_Set(err, "out of memory");
    }
    memcpy(argv, own, sizeof own);
    memcpy(argv + OWN_ARGS, args, (size_t)count * sizeof *argv);
    bool good = spawn(op, program, argv, err);
    free(argv);
    while (good && !find_address(op, address)) {
        if (op->out < 0 || !wait_output(op, OPERATOR_START_MS)) {
            bool is_over = op->out < 0;
            (void)Operator_Stop(op, &why);
            return Err_Set(err, "%s: %s before it accepted clients%s%s", program,
                           is_over ? "ended" : "wrote nothing", why.text[0] ? ": " : "", why.text);
        }
        Operator_Read(op);
    }
    op->used = 0;
    if (good) {
        (void)Sockets_Open(&op->link, NULL, address->port, NULL, &op->why);
    }
    return good;
}

bool Operator_Connect(operator_t *op, const char *server, err_t *err) {
    int64_t port = 0;
    bool is_port = Str_ToInt(server, 1, UINT16_MAX, &port);
    reset(op);
    return Sockets_Open(&op->link, is_port ? NULL : server, (uint16_t)port, NULL, err) == LINK_OPEN;
}

// ---- commands ----

// Reads the start of the server's output, which has its address. Drops the rest.
static void read_output(operator_t *op) {
    char bytes[4096];
    ssize_t got = read(op->out, bytes, sizeof bytes);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        close_end(&op->out);
    }
    if (got > 0 && op->link.fd < 0 && op->used + (size_t)got < sizeof op->text) {
        memcpy(op->text + op->used, bytes, (size_t)got);
        op->used += (size_t)got;
        op->text[op->used] = '\0';
    }
}

static void add_line(operator_t *op, const char *start, const char *line) {
    size_t room = sizeof op->text - op->used;
    int length = snprintf(op->text + op->used, room, "%s%s\n", start, line);
    if (length < (int)room) {
        op->used += (size_t)length;
    } else {
        op->lost++;
    }
    op->text[op->used] = '\0';
}

// Handles a line of an answer. Lines of answers for which no bot waits any more are dropped.
static void take_line(operator_t *op, const char *line) {
    const char *text = line[0] != '\0' && line[1] == ' ' ? line + 2 : "";
    bool is_last = op->owed == 1 && op->bot != 0;
    if (is_last && line[0] == '=') {
        add_line(op, "", text);
    } else if (is_last && line[0] == '!') {
        add_line(op, "error: ", text);
    }
    if ((line[0] == '.' || line[0] == '!') && op->owed > 0) {
        op->answered = is_last;
        op->owed--;
    }
}

void Operator_Read(operator_t *op) {
    char *line = NULL;
    if (op->out >= 0) {
        read_output(op);
    }
    while (op->link.fd >= 0) {
        link_read_t got = Link_Read(&op->link, &line);
        if (got == LINK_OVER) {
            Link_Close(&op->link);
            Err_Set(&op->why, "the server has ended");
        } else if (got == LINK_NONE) {
            break;
        } else {
            take_line(op, line);
        }
    }
}

bool Operator_Run(operator_t *op, int32_t bot, const char *command, err_t *err) {
    err->text[0] = '\0';
    Operator_Read(op);
    if (op->bot == bot && op->answered) {
        return true;
    }
    if (op->link.fd < 0) {
        *err = op->why;
        return false;
    }
    if (op->bot != 0) {
        return false;
    }
    op->bot = bot;
    op->answered = false;
    op->owed++;
    (void)Link_Send(&op->link, command, err);
    return false; // the answer comes later
}

void Operator_Release(operator_t *op, int32_t bot) {
    if (op->bot == bot) {
        op->bot = 0;
        op->answered = false;
        op->used = 0;
        op->lost = 0;
    }
}
