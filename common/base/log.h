/// base/log.h - log lines with a level, written to a sink of the caller.
//
// Units:   burst times in ms.
// Memory:  none; a line longer than 1 KiB is cut.

#ifndef EDICTD_BASE_LOG_H
#define EDICTD_BASE_LOG_H

#include "base/types.h"

EXTERN_C_BEGIN

/// LOG_EVENT is information that Log_FormatEvent wrote. Logs with the level LOG_INFO have it.
typedef enum { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_EVENT } log_level_t;

/// `write` receives one line of printable UTF-8 without newline. NULL discards all lines.
typedef struct {
    void (*write)(void *context, log_level_t level, const char *line);
    void *context;
    log_level_t level; ///< lines above this level are discarded
} log_t;

void Log_Print(const log_t *log, log_level_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// A value of an event: a text, or a number if `text` is NULL.
typedef struct {
    const char *key;
    const char *text;
    int64_t number;
} log_field_t;

/// Writes an event as one line: kill slot=1 name="bob" victim_slot=2. Texts are JSON strings, so
/// that nobody can forge a field or a line. Names and keys have at most 31 letters, digits and _;
/// other characters become _. A text that does not fit is cut; the fields after it are left out.
void Log_FormatEvent(char *line, size_t size, const char *name, const log_field_t *fields,
                     int32_t count);

/// Logs an event.
void Log_Event(const log_t *log, const char *name, const log_field_t *fields, int32_t count);

/// Returns the name of a level: "error", "warn", "info" or "debug"; "info" for LOG_EVENT.
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
