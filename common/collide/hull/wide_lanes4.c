/// collide/hull/wide_lanes4.c - sweeps through a wide tree, two vectors of four lanes, on any CPU.
//
// Floor:   collide.

#define WIDE_LANES 4
#define WIDE_TARGET

#include "collide/hull/wide_kernel.h"

bool CM_WideTrace4(const hull_t *hull, const segment_t *whole, trace_t *trace) {
    return trace_wide(hull, whole, trace);
}
