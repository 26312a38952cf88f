/// collide/mesh_lanes.h - one, four or eight floats at a time, as the file that includes it says by
/// MESH_LANES. Inside of collide/ only.
//
// Floor:   collide.
// Repeat:  independent IEEE operations; every number of lanes gives the same bits. Max and Min of
//          equal values (0 and -0) give the second one, as the CPU's instructions do.

#ifndef EDICTD_COLLIDE_MESH_LANES_H
#define EDICTD_COLLIDE_MESH_LANES_H

#include "base/types.h"

#include <math.h>
#include <string.h>

#ifndef MESH_LANES
#define MESH_LANES 4
#endif

/// What every function of such a file is compiled for: nothing, or an attribute that names the CPU.
#ifndef MESH_TARGET
#define MESH_TARGET
#endif

#if MESH_LANES == 1
#ifdef __clang__
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical" // masks are truth values here
#endif
typedef float lanes_t;
typedef int32_t lanes_mask_t; // 0 or 1
#else
typedef float lanes_t __attribute__((vector_size(4 * MESH_LANES)));
typedef int32_t lanes_mask_t __attribute__((vector_size(4 * MESH_LANES)));
#endif

/// Before a loop whose count is known: written out, so that lanes stay in registers.
#ifdef __clang__
#define MESH_UNROLL _Pragma("clang loop unroll(full)")
#else
#define MESH_UNROLL _Pragma("GCC unroll 16")
#endif

#define MESH_INLINE MESH_TARGET static inline __attribute__((always_inline, unused))

MESH_INLINE lanes_t Lanes_All(float value) {
#if MESH_LANES == 1
    return value;
#elif MESH_LANES == 4
    return (lanes_t){value, value, value, value};
#else
    return (lanes_t){value, value, value, value, value, value, value, value};
#endif
}

MESH_INLINE lanes_t Lanes_Load(const float *from) {
    lanes_t lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

MESH_INLINE void Lanes_Store(float *to, lanes_t lanes) {
    memcpy(to, &lanes, sizeof lanes);
}

/// a where the mask is set, else b.
MESH_INLINE lanes_t Lanes_Select(lanes_mask_t mask, lanes_t a, lanes_t b) {
#if MESH_LANES == 1
    return mask ? a : b;
#elif MESH_LANES == 8 && defined(__x86_64__)
    return __builtin_ia32_blendvps256(b, a, (lanes_t)mask);
#else
    return (lanes_t)(((lanes_mask_t)a & mask) | ((lanes_mask_t)b & ~mask));
#endif
}

MESH_INLINE lanes_t Lanes_Max(lanes_t a, lanes_t b) {
#if MESH_LANES == 8 && defined(__x86_64__)
    return __builtin_ia32_maxps256(a, b);
#elif MESH_LANES == 4 && defined(__x86_64__)
    return __builtin_ia32_maxps(a, b);
#else
    return Lanes_Select(a > b, a, b);
#endif
}

MESH_INLINE lanes_t Lanes_Min(lanes_t a, lanes_t b) {
#if MESH_LANES == 8 && defined(__x86_64__)
    return __builtin_ia32_minps256(a, b);
#elif MESH_LANES == 4 && defined(__x86_64__)
    return __builtin_ia32_minps(a, b);
#else
    return Lanes_Select(a < b, a, b);
#endif
}

MESH_INLINE lanes_t Lanes_Abs(lanes_t a) {
#if MESH_LANES == 1
    return fabsf(a);
#else
    return (lanes_t)((lanes_mask_t)a & ~(lanes_mask_t)Lanes_All(-0.0f));
#endif
}

/// A bit for each lane of a compare that is true.
MESH_INLINE uint32_t Lanes_Bits(lanes_mask_t mask) {
#if MESH_LANES == 1
    return (uint32_t)mask;
#elif MESH_LANES == 8 && defined(__x86_64__)
    return (uint32_t)__builtin_ia32_movmskps256((lanes_t)mask);
#elif MESH_LANES == 4 && defined(__x86_64__)
    return (uint32_t)__builtin_ia32_movmskps((lanes_t)mask);
#else
    uint32_t bits = 0;
    for (int32_t i = 0; i < MESH_LANES; i++) {
        bits |= (uint32_t)(mask[i] & 1) << i;
    }
    return bits;
#endif
}

#endif
