/// ops/log_sink.h - log lines go to standard error and, if wished, to a file.
//
// Floor:   ops.
// Errors:  a file that cannot be written (a full disk) is said once per burst on standard error and
//          counted; the server goes on.

#ifndef EDICTD_OPS_LOG_SINK_H
#define EDICTD_OPS_LOG_SINK_H

#include "base/err.h"
#include "base/log.h"

typedef struct {
    int fd; ///< of the file, -1 = none
    char path[256];
    uint64_t lost; ///< lines the file did not take
    log_burst_t burst;
} log_sink_t;

/// Opens the file of a sink (appending); "" = none. False with "path: reason".
bool LogSink_Open(log_sink_t *sink, const char *path, err_t *err);

/// Checks that LogSink_Open would succeed. Leaves no new file.
bool LogSink_Check(const char *path, err_t *err);

/// Opens the file again by its path, after somebody moved it away. False with the reason: the old
/// file is written on. Does nothing without a file.
bool LogSink_Reopen(log_sink_t *sink, err_t *err);

/// A log_t that writes to it.
log_t LogSink_Log(log_sink_t *sink, log_level_t level);

void LogSink_Close(log_sink_t *sink);

#endif
