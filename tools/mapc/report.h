/// mapc/report.h - messages of the compiler for editors and people.
//
// Errors:  "file.map:LINE: error: expected ..., found ..."; warnings alike.
// Memory:  none; the sink belongs to the caller.

#ifndef EDICTD_MAPC_REPORT_H
#define EDICTD_MAPC_REPORT_H

#include "base/types.h"

/// Receives lines one at a time, without newline. NULL `line` discards them.
typedef struct {
    void (*line)(void *context, const char *text);
    void (*progress)(void *context, const char *what, int32_t done, int32_t all); ///< may be NULL
    void *context;
    const char *name; ///< the map's file name, the start of each line
    bool quiet;       ///< no notes
    int32_t num_warnings;
} mc_report_t;

/// Reports "name:LINE: error: ..."; line 0 is omitted. Returns false.
bool MC_Error(mc_report_t *report, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Reports "name:LINE: warning: ...". After MC_MAX_WARNINGS, warnings are only counted.
void MC_Warn(mc_report_t *report, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Reports a line of information.
void MC_Note(mc_report_t *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Reports the progress of long work, if there is a progress callback.
void MC_Progress(const mc_report_t *report, const char *what, int32_t done, int32_t all);

#define MC_MAX_WARNINGS 200

#endif
