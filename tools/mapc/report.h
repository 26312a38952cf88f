/// mapc/report.h - messages of the compiler, as editors and people read them.
//
// Floor:   tool.
// Errors:  "file.map:LINE: error: expected ..., found ..." and the same with "warning".
// Memory:  none; the sink is the caller's.

#ifndef EDICTD_MAPC_REPORT_H
#define EDICTD_MAPC_REPORT_H

#include "base/types.h"

/// Where lines go, one at a time, without newline. A NULL `line` discards.
typedef struct {
    void (*line)(void *context, const char *text);
    void (*progress)(void *context, const char *what, int32_t done, int32_t all); ///< may be NULL
    void *context;
    const char *name; ///< the map's file name, for the front of each line
    bool quiet;       ///< no notes
    int32_t num_warnings;
} mc_report_t;

/// "name:LINE: error: ..." (line 0: without it).
void MC_Error(mc_report_t *report, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// "name:LINE: warning: ...", counted. After MC_MAX_WARNINGS only counted.
void MC_Warn(mc_report_t *report, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// A plain line: what was made.
void MC_Note(mc_report_t *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Tells how far long work is (nothing happens without a progress callback).
void MC_Progress(const mc_report_t *report, const char *what, int32_t done, int32_t all);

#define MC_MAX_WARNINGS 200

#endif
