#include "base/log.h"

#include "base/assert.h"
#include "base/str.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES  1024
#define MAX_NAME    31 // bytes of an event's name or key
#define VALUE_BYTES 24 // least room for a value: blank, '=', 20 digits, sign, NUL

static bool is_logged(const log_t *log, log_level_t level) {
    return log && log->write && (level == LOG_EVENT ? LOG_INFO : level) <= log->level;
}

void Log_Print(const log_t *log, log_level_t level, const char *format, ...) {
    if (!is_logged(log, level)) {
        return;
    }
    char line[LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    Str_TrimCut(line);
    char printable[sizeof line];
    Str_Printable(printable, sizeof printable, line);
    log->write(log->context, level, printable);
}

// Copies a name. Returns its length.
static size_t put_name(char *to, const char *name) {
    size_t length = strnlen(name, MAX_NAME);
    for (size_t i = 0; i < length; i++) {
        to[i] = isalnum((unsigned char)name[i]) ? name[i] : '_';
    }
    to[length] = '\0';
    return length;
}

void Log_FormatEvent(char *line, size_t size, const char *name, const log_field_t *fields,
                     int32_t count) {
    ASSERT(size > MAX_NAME);
    size_t used = put_name(line, name);
    for (int32_t i = 0; i < count && used + MAX_NAME + VALUE_BYTES <= size; i++) {
        line[used++] = ' ';
        used += put_name(line + used, fields[i].key);
        line[used++] = '=';
        if (fields[i].text) {
            Str_Quote(line + used, size - used, fields[i].text);
        } else {
            snprintf(line + used, size - used, "%lld", (long long)fields[i].number);
        }
        used += strlen(line + used);
    }
}

void Log_Event(const log_t *log, const char *name, const log_field_t *fields, int32_t count) {
    char line[LINE_BYTES];
    if (is_logged(log, LOG_EVENT)) {
        Log_FormatEvent(line, sizeof line, name, fields, count);
        log->write(log->context, LOG_EVENT, line);
    }
}

const char *Log_LevelName(log_level_t level) {
    static const char *const names[] = {"error", "warn", "info", "debug", "info"};
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
