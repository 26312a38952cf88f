/// base/log.h - log lines with a level, written to a sink of the caller.
//
// Units:   burst times in ms.
// Memory:  none; a line longer than 1 KiB is cut.

#ifndef EDICTD_BASE_LOG_H
#define EDICTD_BASE_LOG_H

#include "base/types.h"

EXTERN_C_BEGIN

typedef enum { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG } log_level_t;

/// Where lines go. `write` receives one line without newline: UTF-8 without control characters. A
/// NULL log_t pointer or a NULL `write` discards all lines.
typedef struct {
    void (*write)(void *context, log_level_t level, const char *line);
    void *context;
    log_level_t level; ///< lines above this level are discarded
} log_t;

/// Writes one line.
void Log_Print(const log_t *log, log_level_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Returns the name of a level: "error", "warn", "info" or "debug".
const char *Log_LevelName(log_level_t level);

/// Limits a repeated complaint to one line per time window.
typedef struct {
    int64_t quiet_until_ms;
    uint32_t suppressed; ///< lines held back since the last one
} log_burst_t;

/// Returns true when the complaint may be logged now: at most once in `window_ms`. `*suppressed`
/// receives the number of lines held back since the last one.
bool Log_BurstAllows(log_burst_t *burst, int64_t now_ms, int64_t window_ms, uint32_t *suppressed);

EXTERN_C_END

#endif
