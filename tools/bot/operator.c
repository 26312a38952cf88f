#include "bot/operator.h"

#include "base/limits.h"

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

#define OWN_ARGS  4  // edictd -i -p 0
#define MAX_READS 16 // of one Operator_Read
#define END_MARK  "edict-bot-"

// ---- the process ----

static void close_end(int *fd) {
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

// Becomes the server. Runs in the child process.
static _Noreturn void become(const char *program, char **argv, const int to[2], const int from[2]) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setenv("EDICTD_USER", "root", 0); // if this is root, so is its server
    prctl(PR_SET_PDEATHSIG, SIGTERM); // the server must not outlive a killed edict-bot
    if (dup2(to[0], STDIN_FILENO) >= 0 && dup2(from[1], STDOUT_FILENO) >= 0) {
        execv(program, argv);
    }
    fprintf(stderr, "edict-bot: %s: %s\n", program, strerror(errno));
    _exit(127);
}

static bool spawn(operator_t *op, const char *program, char **argv, err_t *err) {
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    if (pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0) {
        op->pid = fork();
    } else {
        op->pid = -1;
    }
    if (op->pid == 0) {
        become(program, argv, to, from);
    }
    if (op->pid < 0) {
        Err_Set(err, "%s: cannot start a process: %s", program, strerror(errno));
        op->pid = 0;
        close_end(&to[1]);
        close_end(&from[0]);
    }
    close_end(&to[0]);
    close_end(&from[1]);
    op->in = to[1];
    op->out = from[0];
    if (op->pid > 0) {
        fcntl(op->in, F_SETFL, O_NONBLOCK);
        fcntl(op->out, F_SETFL, O_NONBLOCK);
        signal(SIGPIPE, SIG_IGN); // a write to a server that has ended fails instead
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
    if (op->pid <= 0) {
        return true;
    }
    kill(op->pid, SIGTERM);
    close_end(&op->in);
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
static bool find_address(const operator_t *op, netaddr_t *address) {
    const char *at = strstr(op->text, "listening on ");
    unsigned a, b, c, d, port;
    if (!at || sscanf(at, "listening on %3u.%3u.%3u.%3u:%5u", &a, &b, &c, &d, &port) != 5) {
        return false;
    }
    uint32_t host = (a & 255u) << 24 | (b & 255u) << 16 | (c & 255u) << 8 | (d & 255u);
    *address = (netaddr_t){.host = host ? host : 0x7f000001u, .port = (uint16_t)port};
    return true;
}

bool Operator_Start(operator_t *op, char *program, char *const *args, int32_t count,
                    netaddr_t *address, err_t *err) {
    char *own[OWN_ARGS] = {program, "-i", "-p", "0"};
    char **argv = calloc((size_t)(OWN_ARGS + count + 1), sizeof *argv);
    err_t why = {""};
    *op = (operator_t){.in = -1, .out = -1};
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
    return good;
}

// ---- commands ----

// Appends the line to the answer, unless it is the end of the answer.
static void end_line(operator_t *op) {
    char end[32];
    snprintf(end, sizeof end, END_MARK "%u", op->number);
    op->line[op->line_used] = '\0';
    bool is_mark = strncmp(op->line, END_MARK, strlen(END_MARK)) == 0;
    if (is_mark && (op->bot == 0 || strcmp(op->line, end) != 0)) {
        op->used = 0; // the answer to a command whose bot no longer waits
        op->lost = 0;
    } else if (is_mark) {
        op->answered = true;
    } else if (op->used + op->line_used + 2 > sizeof op->text) {
        op->lost++;
    } else {
        memcpy(op->text + op->used, op->line, op->line_used);
        op->used += op->line_used;
        memcpy(op->text + op->used++, "\n", 2);
    }
    op->line_used = 0;
}

void Operator_Read(operator_t *op) {
    char bytes[4096];
    for (int32_t n = 0; n < MAX_READS && op->out >= 0; n++) {
        ssize_t got = read(op->out, bytes, sizeof bytes);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            close_end(&op->out);
        }
        if (got <= 0) {
            return;
        }
        for (ssize_t i = 0; i < got; i++) {
            if (bytes[i] == '\n') {
                end_line(op);
            } else if (op->line_used < sizeof op->line - 1) {
                op->line[op->line_used++] = bytes[i];
            }
        }
    }
}

bool Operator_Run(operator_t *op, int32_t bot, const char *command, err_t *err) {
    char text[MAX_CMD_LINE + 64];
    err->text[0] = '\0';
    Operator_Read(op);
    if (op->bot == bot && op->answered) {
        return true;
    }
    if (op->out < 0) {
        return Err_Set(err, "the server has ended");
    }
    if (op->bot != 0) {
        return false;
    }
    op->bot = bot;
    op->answered = false;
    op->number++;
    int length = snprintf(text, sizeof text, "%s\necho " END_MARK "%u\n", command, op->number);
    return write(op->in, text, (size_t)length) != length &&
           Err_Set(err, "the server does not read its console");
}

void Operator_Release(operator_t *op, int32_t bot) {
    if (op->bot == bot) {
        op->bot = 0;
        op->answered = false;
        op->used = 0;
        op->lost = 0;
    }
}
