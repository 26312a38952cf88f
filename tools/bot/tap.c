#include "bot/tap.h"

#include "base/assert.h"
#include "base/str.h"

#include <stdarg.h>
#include <string.h>

#define MAX_LINE_BYTES 2048

void Tap_Plan(tap_t *tap, FILE *out, bool quiet, int32_t planned) {
    *tap = (tap_t){.out = out, .quiet = quiet, .planned = planned};
    if (!quiet) {
        fprintf(out, "TAP version 13\n1..%d\n", planned);
        fflush(out);
    }
}

void Tap_Point(tap_t *tap, bool ok, const char *format, ...) {
    char line[MAX_LINE_BYTES];
    char shown[MAX_LINE_BYTES];
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
    Str_Printable(shown, sizeof shown, line);
    for (const char *at = shown; *at; at++) { // an unescaped # starts a TAP directive
        if (*at == '#' || *at == '\\') {
            fputc('\\', tap->out);
        }
        fputc(*at, tap->out);
    }
    fputc('\n', tap->out);
    fflush(tap->out);
}

void Tap_Note(tap_t *tap, const char *format, ...) {
    char text[MAX_LINE_BYTES];
    char shown[MAX_LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        Str_Printable(shown, sizeof shown, line);
        fprintf(tap->out, "# %s\n", shown);
    }
    fflush(tap->out);
}

void Tap_Summary(tap_t *tap) {
    fprintf(tap->out, "# %d passed, %d failed\n", tap->passed, tap->planned - tap->passed);
    fflush(tap->out);
}

bool Tap_AllPassed(const tap_t *tap) {
    return tap->passed == tap->planned;
}
