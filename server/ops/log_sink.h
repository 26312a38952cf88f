/// ops/log_sink.h - writes log lines to standard error and, optionally, to a file.
//
//     text  edictd: info: join slot=1 name="bob"                  (to a file: with the time)
//     json  {"time":"2026-11-23T09:55:23.123Z","level":"info","event":"join",
//            "fields":{"slot":1,"name":"bob"}}                    (in one line)
//
// In JSON, a line that is no event is the event "log" with the field "text".
// Errors:  drops and counts a line that cannot be written. Reports a full disk on standard error,
//          at most every 10 s.

#ifndef EDICTD_OPS_LOG_SINK_H
#define EDICTD_OPS_LOG_SINK_H

#include "base/err.h"
#include "base/log.h"

#include <sys/types.h>

typedef struct {
    int fd; ///< the file; -1 = none
    char path[256];
    uint64_t lost; ///< lines that could not be written to the file
    log_burst_t burst;
    bool is_new;  ///< LogSink_Open made the file
    bool is_json; ///< lines are JSON objects
    /// Receives every line with its newline, as text or as JSON; NULL = none. Must not log.
    void (*follow)(void *context, bool is_json, const char *line, size_t size);
    void *follow_context;
    uint64_t unread; ///< lines lost by standard error since the last report
} log_sink_t;

/// Opens the file of a sink for appending; "" = no file. On failure, returns false.
bool LogSink_Open(log_sink_t *sink, const char *path, err_t *err);

/// Checks that LogSink_Open would succeed. Leaves no new file.
bool LogSink_Check(const char *path, err_t *err);

/// Gives a file that LogSink_Open made to a user, so that the user can open it again.
void LogSink_GiveTo(const log_sink_t *sink, uid_t uid, gid_t gid);

/// Opens the file again after a log rotation moved it. On failure, returns false and keeps the old
/// file. Does nothing without a file.
bool LogSink_Reopen(log_sink_t *sink, err_t *err);

log_t LogSink_Log(log_sink_t *sink, log_level_t level);

void LogSink_Close(log_sink_t *sink);

#endif
