/// mapc/report.h - reports errors, warnings and progress of the map compiler.
//
// Errors:  "file.map:LINE: error: expected ..., found ...". Warnings have the same form.

#ifndef EDICTD_MAPC_REPORT_H
#define EDICTD_MAPC_REPORT_H

#include "base/types.h"

/// Receives each line without a newline. If `line` is NULL, lines are discarded.
typedef struct {
    void (*line)(void *context, const char *text);
    void (*progress)(void *context, const char *what, int32_t done, int32_t all); ///< may be NULL
    void *context;
    const char *name; ///< file name of the map; each line starts with it
    bool quiet;       ///< omits notes
    int32_t num_warnings;
} mc_report_t;

/// Reports "name:LINE: error: ..." without LINE if `line` is 0. Returns false.
bool MC_Error(mc_report_t *report, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Reports "name:LINE: warning: ...". After MC_MAX_WARNINGS, warnings are only counted.
void MC_Warn(mc_report_t *report, int32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Reports a line of information, unless `quiet` is set.
void MC_Note(mc_report_t *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Reports the progress of long work, if a progress callback is set.
void MC_Progress(const mc_report_t *report, const char *what, int32_t done, int32_t all);

#define MC_MAX_WARNINGS 200 // maximum warnings reported; more would hide an error

#endif
