/// collide/hull/wide_local.h - sweeps through a wide tree. Inside of collide/ only.
//
// Floor:   collide.
// Repeat:  all of them give the same bits, and those of hull_long.c.

#ifndef EDICTD_COLLIDE_WIDE_LOCAL_H
#define EDICTD_COLLIDE_WIDE_LOCAL_H

#include "collide/hull/hull_local.h"
#include "collide/hull/wide.h"

/// As CM_LongTrace, of a hull with a wide tree. False: rounding decides about where it would stop,
/// or the way down is too long; CM_LongTrace has to be asked.
typedef bool (*wide_trace_t)(const hull_t *hull, const segment_t *whole, trace_t *trace);

bool CM_WideTrace4(const hull_t *hull, const segment_t *whole, trace_t *trace); // for any CPU
#ifdef __x86_64__
bool CM_WideTrace8(const hull_t *hull, const segment_t *whole, trace_t *trace); // AVX2, BMI1 and 2
#endif

/// The fastest that this CPU runs.
static inline wide_trace_t CM_WideTrace(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2")) {
        return CM_WideTrace8;
    }
#endif
    return CM_WideTrace4;
}

#endif
