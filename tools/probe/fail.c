#include "probe/probe.h"

#include <stdarg.h>
#include <stdio.h>

int Probe_Fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("edict-probe: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return PROBE_FAIL;
}

int Probe_Usage(const char *command, const char *expected, const char *found) {
    fprintf(stderr, "edict-probe: %s: expected %s", command, expected);
    if (found) {
        fprintf(stderr, ", found \"%s\"", found);
    }
    fputc('\n', stderr);
    return PROBE_USAGE;
}

const char *Probe_BrokenRule(const probe_rule_t *rules, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!rules[i].holds) {
            return rules[i].expected;
        }
    }
    return NULL;
}
