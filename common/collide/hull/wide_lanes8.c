/// collide/hull/wide_lanes8.c - sweeps through a wide tree, eight lanes, on CPUs with AVX2 and
/// BMI2.
//
// Floor:   collide.
// Repeat:  the bits of the others; no fused operations.

#ifdef __x86_64__

#define WIDE_LANES  8
#define WIDE_TARGET __attribute__((target("avx2,bmi,bmi2")))

#include "collide/hull/wide_kernel.h"

WIDE_TARGET bool CM_WideTrace8(const hull_t *hull, const segment_t *whole, trace_t *trace) {
    return trace_wide(hull, whole, trace);
}

#else
typedef int not_for_this_cpu_t; // C wants something in a file
#endif
