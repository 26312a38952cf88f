/// base/log.h - log lines with a level, written to a sink of the caller.
//
// Units:   burst times in ms.
// Memory:  none; a line longer than 1 KiB is cut.

#ifndef EDICTD_BASE_LOG_H
#define EDICTD_BASE_LOG_H

#include "base/types.h"

EXTERN_C_BEGIN

typedef enum { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG } log_level_t;

/// `write` receives one line of printable UTF-8 without newline. NULL discards all lines.
typedef struct {
    void (*write)(void *context, log_level_t level, const char *line);
    void *context;
    log_level_t level; ///< lines above this level are discarded
} log_t;

void Log_Print(const log_t *log, log_level_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Returns the name of a level: "error", "warn", "info" or "debug".
const char *Log_LevelName(log_level_t level);

/// Limits a repeated log line to one per period.
typedef struct {
    int64_t quiet_until_ms;
    uint32_t suppressed; ///< lines suppressed since the last logged one
    char more[48];       ///< for the end of the line: " (and N more since the last line)", or ""
} log_burst_t;

/// Returns true if the line may be logged now: at most one per `window_ms`. Writes burst->more.
bool Log_BurstAllows(log_burst_t *burst, int64_t now_ms, int64_t window_ms);

EXTERN_C_END

#endif
