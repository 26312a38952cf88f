/// state/trace_make.h - makes traces. For code that sweeps.

#ifndef EDICTD_STATE_TRACE_MAKE_H
#define EDICTD_STATE_TRACE_MAKE_H

#include "state/trace.h"

#include <stddef.h>

static_assert(offsetof(trace_t, entnum) == 40,
              "Trace_SetEntnum needs it as the third of the last four words");

/// Returns a miss.
static inline trace_t Trace_Free(vec3_t end) {
    return (trace_t){
        .fraction = 1.0f, .endpos = end, .contents = CONTENTS_EMPTY, .entnum = TRACE_NOTHING};
}

/// Returns a sweep that never left solid.
static inline trace_t Trace_AllSolid(vec3_t start) {
    return (trace_t){.endpos = start,
                     .contents = CONTENTS_SOLID,
                     .entnum = TRACE_NOTHING,
                     .startsolid = true,
                     .allsolid = true};
}

/// Sets entnum to `number` after a hit or start in solid, otherwise to TRACE_NOTHING. Stores a
/// whole vector, so that a later copy does not stall.
static inline void Trace_SetEntnum(trace_t *trace, int32_t number) {
    typedef int32_t word4_t __attribute__((vector_size(16)));
    const bool is_hit = trace->fraction < 1.0f || trace->startsolid;
    const word4_t others = {-1, -1, 0, -1};
    const word4_t entnum = {0, 0, is_hit ? number : TRACE_NOTHING, 0};
    char *last = (char *)trace + sizeof *trace - sizeof entnum;
    word4_t word4;
    __builtin_memcpy(&word4, last, sizeof word4);
    word4 = (word4 & others) | entnum;
    __builtin_memcpy(last, &word4, sizeof word4);
}

#endif
