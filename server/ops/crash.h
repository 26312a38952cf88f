/// ops/crash.h - reports where a crash or a hang happened.
//
// Memory:  the caller owns the crash_t, which must outlive all signals.
// Errors:  backtrace and dladdr can hang. A timer ends the process after CRASH_REPORT_S.

#ifndef EDICTD_OPS_CRASH_H
#define EDICTD_OPS_CRASH_H

#include "base/types.h"

#include <signal.h>
#include <stddef.h>

struct sv_running_s;

/// Exit status of a process that the watchdog ended.
#define EXIT_WATCHDOG 3

/// Maximum time of a crash or hang report, seconds.
#define CRASH_REPORT_S 5

typedef struct {
    const char *module;                 ///< path of the game module; NULL = the game is linked in
    const int *log_fd;                  ///< second output besides standard error; -1 = none
    const struct sv_running_s *running; ///< what runs now; NULL before there is a server
    int32_t watchdog_ms;                ///< 0 = off
    uint32_t entries_seen;              ///< running->entries at the last check
    int32_t same;                       ///< number of checks since entries_seen changed
    _Alignas(16) uint8_t stack[65536];  ///< stack of the crash handler
} crash_t;

/// Installs `handler` for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, but replaces no handler.
void Crash_Install(crash_t *crash, void (*handler)(int, siginfo_t *, void *));

/// Writes the report. Call from the handler, then return: the same signal ends the process, with a
/// core dump.
void Crash_Report(const crash_t *crash, int number, const siginfo_t *info);

/// Sets a timer that runs `handler` on SIGALRM, four times per `watchdog_ms`; 0 stops the timer.
void Watchdog_Set(crash_t *crash, int32_t watchdog_ms, void (*handler)(int));

/// Ends the process with a report and EXIT_WATCHDOG if a tick has lasted for `watchdog_ms`. Call
/// from the handler of Watchdog_Set. Does nothing under a debugger.
void Watchdog_Check(crash_t *crash);

#endif
