/// collide/float4.h - vectors of four floats. Private to collide/.
//
// Floor:   collide.
// Repeat:  four independent IEEE operations, the same on every CPU.

#ifndef EDICTD_COLLIDE_FLOAT4_H
#define EDICTD_COLLIDE_FLOAT4_H

#include "base/types.h"

typedef float float4_t __attribute__((vector_size(16)));
typedef int32_t int4_t __attribute__((vector_size(16)));

static inline float4_t Float4_All(float value) {
    return (float4_t){value, value, value, value};
}

/// a where the mask is set, else b.
static inline float4_t Float4_Select(int4_t mask, float4_t a, float4_t b) {
    return (float4_t)(((int4_t)a & mask) | ((int4_t)b & ~mask));
}

static inline float4_t Float4_PlainMax(float4_t a, float4_t b) {
    return Float4_Select(a > b, a, b);
}

static inline float4_t Float4_PlainMin(float4_t a, float4_t b) {
    return Float4_Select(a < b, a, b);
}

static inline uint32_t Float4_PlainBits(int4_t mask) {
    uint64_t halves[2];
    __builtin_memcpy(halves, &mask, sizeof halves);
    uint64_t bits =
        (halves[0] & UINT64_C(0x0000000200000001)) | (halves[1] & UINT64_C(0x0000000800000004));
    return (uint32_t)(bits | bits >> 32) & 15;
}

// One instruction each where there is SSE, with the same bits: of a NaN and anything else, and of
// two zeros, the second operand (tests/unit/common/collide/test_float4.c).

static inline float4_t Float4_Max(float4_t a, float4_t b) {
#ifdef __SSE2__
    return __builtin_ia32_maxps(a, b);
#else
    return Float4_PlainMax(a, b);
#endif
}

static inline float4_t Float4_Min(float4_t a, float4_t b) {
#ifdef __SSE2__
    return __builtin_ia32_minps(a, b);
#else
    return Float4_PlainMin(a, b);
#endif
}

/// A bit for each lane of a compare that is true.
static inline uint32_t Float4_Bits(int4_t mask) {
#ifdef __SSE2__
    return (uint32_t)__builtin_ia32_movmskps((float4_t)mask);
#else
    return Float4_PlainBits(mask);
#endif
}

#endif
