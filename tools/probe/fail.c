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
