#include "base/log.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

void Log_Print(const log_t *log, log_level_t level, const char *format, ...) {
    if (!log || !log->write || level > log->level) {
        return;
    }
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    Str_TrimCut(line);
    char printable[sizeof line];
    Str_Printable(printable, sizeof printable, line);
    log->write(log->context, level, printable);
}

const char *Log_LevelName(log_level_t level) {
    static const char *const names[] = {"error", "warn", "info", "debug"};
    return names[level];
}

bool Log_BurstAllows(log_burst_t *burst, int64_t now_ms, int64_t window_ms) {
    if (now_ms < burst->quiet_until_ms) {
        burst->suppressed++;
        return false;
    }
    burst->more[0] = '\0';
    if (burst->suppressed > 0) {
        snprintf(burst->more, sizeof burst->more, " (and %u more since the last line)",
                 burst->suppressed);
    }
    burst->suppressed = 0;
    burst->quiet_until_ms = now_ms + window_ms;
    return true;
}
