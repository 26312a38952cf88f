#include "mapc/report.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

static void say(const mc_report_t *report, int32_t line, const char *kind, const char *text) {
    if (!report->line) {
        return;
    }
    char whole[768];
    if (line > 0) {
        snprintf(whole, sizeof whole, "%s:%d: %s%s", report->name, line, kind, text);
    } else {
        snprintf(whole, sizeof whole, "%s: %s%s", report->name, kind, text);
    }
    char printable[sizeof whole];
    Str_TrimCut(whole);
    Str_Printable(printable, sizeof printable, whole);
    report->line(report->context, printable);
}

void MC_Error(mc_report_t *report, int32_t line, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(report, line, "error: ", text);
}

void MC_Warn(mc_report_t *report, int32_t line, const char *format, ...) {
    report->num_warnings++;
    if (report->num_warnings > MC_MAX_WARNINGS) {
        return;
    }
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(report, line, "warning: ", text);
}

void MC_Note(mc_report_t *report, const char *format, ...) {
    if (report->quiet) {
        return;
    }
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(report, 0, "", text);
}

void MC_Progress(const mc_report_t *report, const char *what, int32_t done, int32_t all) {
    if (report->progress) {
        report->progress(report->context, what, done, all);
    }
}
