#include "ops/crash.h"

#include "world/running.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <unistd.h>

#define MAX_FRAMES      48
#define CHECKS_A_PERIOD 4
#define STDERR_WAIT_MS  50 // maximum wait for room in a full pipe; then the line is dropped

// path from which ops/game_module.c loads a module
static const char module_prefix[] = "/proc/self/fd/";

// ---- lines without printf: it is not async-signal-safe ----

typedef struct {
    char text[512];
    size_t used;
} line_t;

static void add(line_t *line, const char *text) {
    for (; *text != '\0' && line->used < sizeof line->text - 1; text++) {
        line->text[line->used++] = *text;
    }
}

static void add_number(line_t *line, uint64_t value, uint32_t base) {
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0);
    add(line, base == 16 ? "0x" : "");
    add(line, digits + at);
}

static void write_line(const crash_t *crash, line_t *line) {
    line->text[line->used++] = '\n'; // add() keeps the last byte free
    ssize_t put = 0;
    if (crash->log_fd && *crash->log_fd >= 0) {
        put = write(*crash->log_fd, line->text, line->used);
    }
    if (poll(&(struct pollfd){.fd = STDERR_FILENO, .events = POLLOUT}, 1, STDERR_WAIT_MS) != 0) {
        put = write(STDERR_FILENO, line->text, line->used);
    }
    (void)put; // a failed write cannot be reported any more
    line->used = 0;
}

// ---- the report ----

// Appends what runs: " in the game, touch "coin_touch", edict 17 (item_coin), tick 1234".
static void add_running(line_t *line, const crash_t *crash) {
    const sv_running_t *running = crash->running;
    bool is_game = running && running->kind;
    add(line, is_game ? " in the game" : " in the engine");
    if (is_game && crash->module) {
        add(line, " module ");
        add(line, crash->module);
    }
    if (is_game) {
        add(line, ", ");
        add(line, running->kind);
        add(line, running->name[0] ? " \"" : "");
        add(line, running->name);
        add(line, running->name[0] ? "\"" : "");
    }
    if (is_game && running->edict >= 0) {
        add(line, ", edict ");
        add_number(line, (uint64_t)running->edict, 10);
        add(line, running->classname[0] ? " (" : "");
        add(line, running->classname);
        add(line, running->classname[0] ? ")" : "");
    }
    if (running) {
        add(line, running->entries % 2 ? ", tick " : ", after tick ");
        add_number(line, (uint64_t)running->tick, 10);
    }
}

// Writes the newest fault of the game in the tick that runs: its log line is not printed yet, and
// it may be the cause.
static void write_fault(const crash_t *crash) {
    line_t line = {.used = 0};
    if (crash->running && crash->running->fault && crash->running->entries % 2) {
        add(&line, "edictd: warn: ");
        add(&line, crash->running->fault);
        write_line(crash, &line);
    }
}

// Returns the file that a frame is in. For the program, dladdr returns argv[0], which the process
// title has replaced.
static const char *file_of(const crash_t *crash, const Dl_info *info) {
    Dl_info own;
    if (dladdr(&module_prefix, &own) != 0 && own.dli_fbase == info->dli_fbase) {
        return (const char *)getauxval(AT_EXECFN);
    }
    bool is_module = strncmp(info->dli_fname, module_prefix, strlen(module_prefix)) == 0;
    return is_module && crash->module ? crash->module : info->dli_fname;
}

// Writes a line like "  #3 mine.so+0x1139 (coin_touch)".
static void write_frame(const crash_t *crash, int32_t number, const void *address) {
    line_t line = {.used = 0};
    Dl_info info;
    add(&line, "edictd: error:   #");
    add_number(&line, (uint64_t)number, 10);
    add(&line, " ");
    if (dladdr(address, &info) == 0 || !info.dli_fname) {
        add_number(&line, (uintptr_t)address, 16);
    } else {
        add(&line, file_of(crash, &info));
        add(&line, "+");
        add_number(&line, (uintptr_t)address - (uintptr_t)info.dli_fbase, 16);
        if (info.dli_sname) {
            add(&line, " (");
            add(&line, info.dli_sname);
            add(&line, ")");
        }
    }
    write_line(crash, &line);
}

static void write_backtrace(const crash_t *crash) {
    void *frames[MAX_FRAMES];
    line_t line = {.used = 0};
    int32_t count = backtrace(frames, MAX_FRAMES);
    for (int32_t i = 0; i < count; i++) {
        write_frame(crash, i, frames[i]);
    }
    add(&line, "edictd: error: for the source line of a frame FILE+OFFSET run: addr2line -fe FILE "
               "OFFSET");
    write_line(crash, &line);
}

static const char *signal_name(int number) {
    return number == SIGSEGV   ? "SIGSEGV"
           : number == SIGBUS  ? "SIGBUS"
           : number == SIGFPE  ? "SIGFPE"
           : number == SIGILL  ? "SIGILL"
           : number == SIGABRT ? "SIGABRT"
                               : "signal";
}

// Runs `handler` if the report takes longer than CRASH_REPORT_S. `handler` must end the process.
static void limit_report(void (*handler)(int)) {
    const struct itimerval limit = {.it_value = {.tv_sec = CRASH_REPORT_S}};
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &limit, NULL);
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
}

void Crash_Report(const crash_t *crash, int number, const siginfo_t *info) {
    line_t line = {.used = 0};
    limit_report(SIG_DFL);
    add(&line, "edictd: error: crash: ");
    add(&line, signal_name(number));
    bool is_fault = info->si_code > 0; // caused by an instruction, not by raise or kill
    if (is_fault) {
        add(&line, " at address ");
        add_number(&line, (uintptr_t)info->si_addr, 16);
    }
    add_running(&line, crash);
    write_line(crash, &line);
    write_fault(crash);
    write_backtrace(crash);
    if (!is_fault) {
        raise(number); // ends the process after the handler
    }
}

void Crash_Install(crash_t *crash, void (*handler)(int, siginfo_t *, void *)) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const stack_t stack = {.ss_sp = crash->stack, .ss_size = sizeof crash->stack};
    void *frame = NULL;
    struct sigaction before;
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
    action.sa_sigaction = handler;
    (void)backtrace(&frame, 1); // the first call allocates
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < COUNTOF(numbers); i++) {
        bool is_free = sigaction(numbers[i], NULL, &before) == 0 &&
                       !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL;
        if (is_free) {
            sigaction(numbers[i], &action, NULL);
        }
    }
}

// ---- the watchdog ----

void Watchdog_Set(crash_t *crash, int32_t watchdog_ms, void (*handler)(int)) {
    if (watchdog_ms == crash->watchdog_ms) {
        return;
    }
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    int32_t period_ms = (watchdog_ms + CHECKS_A_PERIOD - 1) / CHECKS_A_PERIOD;
    const struct timeval period = {period_ms / 1000, period_ms % 1000 * 1000};
    const struct itimerval timer = {period, period};
    sigaction(SIGALRM, &action, NULL);
    crash->watchdog_ms = watchdog_ms;
    crash->same = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
}

// Returns true under a debugger, which may stop the process for any time.
static bool is_traced(void) {
    char text[2048];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    text[size > 0 ? size : 0] = '\0';
    const char *tracer = strstr(text, "TracerPid:\t");
    return tracer && tracer[strlen("TracerPid:\t")] != '0';
}

static void end_hang(int number) {
    (void)number;
    _exit(EXIT_WATCHDOG);
}

void Watchdog_Check(crash_t *crash) {
    uint32_t entries = crash->running ? crash->running->entries : 0;
    if (entries % 2 == 0 || entries != crash->entries_seen) {
        crash->entries_seen = entries;
        crash->same = 0;
        return;
    }
    if (++crash->same < CHECKS_A_PERIOD) {
        return;
    }
    crash->same = 0;
    if (is_traced()) {
        return;
    }
    limit_report(end_hang);
    line_t line = {.used = 0};
    add(&line, "edictd: error: hang: no progress for ");
    add_number(&line, (uint64_t)crash->watchdog_ms, 10);
    add(&line, " ms (sv_watchdog_ms)");
    add_running(&line, crash);
    write_line(crash, &line);
    write_fault(crash);
    write_backtrace(crash);
    _exit(EXIT_WATCHDOG);
}
