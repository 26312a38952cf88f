#include "mapc/report.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

/// Writes one line: file name, line number (if above 0), kind and text.
__attribute__((format(printf, 4, 0))) static void write_line(const mc_report_t *report,
                                                             int32_t line, const char *kind,
                                                             const char *format, va_list args) {
    if (!report->line) {
        return;
    }
    char number[16] = "";
    char text[512];
    char whole[768];
    char printable[sizeof whole];
    if (line > 0) {
        snprintf(number, sizeof number, ":%d", line);
    }
    vsnprintf(text, sizeof text, format, args);
    snprintf(whole, sizeof whole, "%s%s: %s%s", report->name, number, kind, text);
    Str_TrimCut(whole);
    Str_Printable(printable, sizeof printable, whole);
    report->line(report->context, printable);
}

bool MC_Error(mc_report_t *report, int32_t line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    write_line(report, line, "error: ", format, args);
    va_end(args);
    return false;
}

void MC_Warn(mc_report_t *report, int32_t line, const char *format, ...) {
    report->num_warnings++;
    if (report->num_warnings <= MC_MAX_WARNINGS) {
        va_list args;
        va_start(args, format);
        write_line(report, line, "warning: ", format, args);
        va_end(args);
    }
}

void MC_Note(mc_report_t *report, const char *format, ...) {
    if (!report->quiet) {
        va_list args;
        va_start(args, format);
        write_line(report, 0, "", format, args);
        va_end(args);
    }
}

void MC_Progress(const mc_report_t *report, const char *what, int32_t done, int32_t all) {
    if (report->progress) {
        report->progress(report->context, what, done, all);
    }
}
