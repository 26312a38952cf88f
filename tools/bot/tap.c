#include "bot/tap.h"

#include "base/assert.h"

#include <stdarg.h>

#define MAX_LINE_BYTES 2048

void Tap_Plan(tap_t *tap, FILE *out, bool quiet, int32_t planned) {
    *tap = (tap_t){.out = out, .quiet = quiet, .planned = planned};
    if (!quiet) {
        fprintf(out, "TAP version 13\n1..%d\n", planned);
        fflush(out);
    }
}

/// Writes text that may quote anything, so that it stays one line and one description.
static void put_safe(FILE *out, const char *text, bool escape) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (escape && (c == '#' || c == '\\')) {
            fputc('\\', out);
        }
        fputc(c >= 0x20 && c <= 0x7e ? c : '?', out);
    }
}

void Tap_Point(tap_t *tap, bool ok, const char *format, ...) {
    char line[MAX_LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ASSERT(tap->passed + tap->failed < tap->planned);
    *(ok ? &tap->passed : &tap->failed) += 1;
    if (ok && tap->quiet) {
        return;
    }
    fprintf(tap->out, "%s %d - ", ok ? "ok" : "not ok", tap->passed + tap->failed);
    put_safe(tap->out, line, true);
    fputc('\n', tap->out);
    fflush(tap->out);
}

void Tap_Note(tap_t *tap, const char *format, ...) {
    char text[MAX_LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *line = text;
    while (line) {
        char *end = line;
        while (*end != '\0' && *end != '\n') {
            end++;
        }
        char *next = *end == '\n' ? end + 1 : NULL;
        *end = '\0';
        fputs("# ", tap->out);
        put_safe(tap->out, line, false);
        fputc('\n', tap->out);
        line = next;
    }
    fflush(tap->out);
}

void Tap_Summary(tap_t *tap) {
    fprintf(tap->out, "# %d passed, %d failed\n", tap->passed, tap->planned - tap->passed);
    fflush(tap->out);
}

bool Tap_AllHeld(const tap_t *tap) {
    return tap->passed == tap->planned;
}
