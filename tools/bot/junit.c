#include "bot/junit.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_SHOWN_BYTES 2048

/// Writes text as XML: escapes markup and writes control characters as \xNN. U+FFFE and U+FFFF are
/// not allowed in XML and become U+FFFD.
static void put_text(FILE *out, const char *text) {
    char shown[MAX_SHOWN_BYTES];
    Str_Printable(shown, sizeof shown, text);
    for (const char *at = shown; *at; at++) {
        const char *entity = *at == '&'   ? "&amp;"
                             : *at == '<' ? "&lt;"
                             : *at == '>' ? "&gt;"
                             : *at == '"' ? "&quot;"
                                          : NULL;
        if (entity) {
            fputs(entity, out);
        } else {
            bool is_bad = at - shown >= 2 && memcmp(at - 2, "\xef\xbf", 2) == 0 && *at > '\xbd';
            fputc(is_bad ? '\xbd' : *at, out);
        }
    }
}

static void put_case(FILE *out, const char *script, const bot_t *bot) {
    double seconds = (double)(bot->ended_ms - bot->start_ms) / 1000.0;
    fputs("  <testcase classname=\"", out);
    put_text(out, script);
    fprintf(out, "\" name=\"bot %d\" time=\"%.3f\"", bot->config.index, seconds);
    if (bot->outcome == BOT_PASSED) {
        fputs("/>\n", out);
        return;
    }
    const char *kind = bot->verdict[0] ? "error" : "failure";
    fprintf(out, ">\n    <%s message=\"", kind);
    if (bot->verdict[0]) {
        put_text(out, bot->verdict);
    } else {
        fprintf(out, "%d of %d expects failed", bot->expects_failed, bot->expects);
    }
    fputs("\">", out);
    for (int32_t i = 0; i < bot->num_failures; i++) {
        put_text(out, bot->failures[i]);
        fputc('\n', out);
    }
    fprintf(out, "</%s>\n  </testcase>\n", kind);
}

static void put_suite(FILE *out, const char *script, const squad_t *squad, const char *problem) {
    int32_t failures = 0;
    int32_t errors = problem[0] != '\0';
    double seconds = 0.0;
    for (int32_t i = 0; !problem[0] && i < squad->count; i++) {
        const bot_t *bot = &squad->bots[i];
        errors += bot->outcome != BOT_PASSED && bot->verdict[0];
        failures += bot->outcome != BOT_PASSED && !bot->verdict[0];
        seconds += (double)(bot->ended_ms - bot->start_ms) / 1000.0;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"", out);
    put_text(out, script);
    fprintf(out, "\" tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.3f\">\n",
            problem[0] ? 1 : squad->count, failures, errors, seconds);
    if (problem[0]) {
        fputs("  <testcase classname=\"", out);
        put_text(out, script);
        fputs("\" name=\"start\" time=\"0\">\n    <error message=\"", out);
        put_text(out, problem);
        fputs("\"/>\n  </testcase>\n", out);
    }
    for (int32_t i = 0; !problem[0] && i < squad->count; i++) {
        put_case(out, script, &squad->bots[i]);
    }
    fputs("</testsuite>\n", out);
}

bool Junit_Write(const char *path, const char *script, const squad_t *squad, const char *problem,
                 err_t *err) {
    FILE *out = fopen(path, "we");
    if (!out) {
        return Err_Set(err, "%s: %s", path, strerror(errno));
    }
    const char *slash = strrchr(script, '/');
    put_suite(out, slash ? slash + 1 : script, squad, problem);
    bool failed = ferror(out) != 0;
    failed = fclose(out) != 0 || failed;
    return !failed || Err_Set(err, "%s: %s", path, strerror(errno));
}
