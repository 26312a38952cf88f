/// collide/lanes.h - SIMD vectors of four or eight floats.
//
// Repeat:  independent IEEE operations, equal for 4 and 8 lanes, except Lanes_MultiplySubtract. As
//          in SSE, Lanes_Max and Lanes_Min return the second operand for NaN or two zeros.
//
// LANES is 4 for any CPU. The Makefile also compiles mesh/mesh_kernel.c with LANES 8, for AVX2,
// BMI2 and FMA.

#ifndef EDICTD_COLLIDE_LANES_H
#define EDICTD_COLLIDE_LANES_H

#include "base/types.h"

#include <string.h>

#ifndef LANES
#define LANES 4
#endif

#if LANES == 8
#include <immintrin.h>
#endif

typedef float lanes_t __attribute__((vector_size(4 * LANES)));
typedef int32_t lanes_mask_t __attribute__((vector_size(4 * LANES))); ///< 0 or -1 in each lane

#define LANES_INLINE static inline __attribute__((always_inline, unused))

/// Unrolls the next loop.
#ifdef __clang__
#define LANES_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LANES_UNROLL _Pragma("GCC unroll 16")
#endif

LANES_INLINE lanes_t Lanes_All(float value) {
#if LANES == 4
    return (lanes_t){value, value, value, value};
#else
    return (lanes_t){value, value, value, value, value, value, value, value};
#endif
}

LANES_INLINE lanes_t Lanes_Load(const float *from) {
    lanes_t lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

LANES_INLINE void Lanes_Store(float *to, lanes_t lanes) {
    memcpy(to, &lanes, sizeof lanes);
}

/// Returns `a` where the mask is set, otherwise `b`.
LANES_INLINE lanes_t Lanes_Select(lanes_mask_t mask, lanes_t a, lanes_t b) {
#if LANES == 8
    return __builtin_ia32_blendvps256(b, a, (lanes_t)mask);
#else
    return (lanes_t)(((lanes_mask_t)a & mask) | ((lanes_mask_t)b & ~mask));
#endif
}

LANES_INLINE lanes_t Lanes_Max(lanes_t a, lanes_t b) {
#if LANES == 8
    return __builtin_ia32_maxps256(a, b);
#elif defined(__SSE2__)
    return __builtin_ia32_maxps(a, b);
#else
    return Lanes_Select(a > b, a, b);
#endif
}

LANES_INLINE lanes_t Lanes_Min(lanes_t a, lanes_t b) {
#if LANES == 8
    return __builtin_ia32_minps256(a, b);
#elif defined(__SSE2__)
    return __builtin_ia32_minps(a, b);
#else
    return Lanes_Select(a < b, a, b);
#endif
}

LANES_INLINE lanes_t Lanes_Abs(lanes_t a) {
    return (lanes_t)((lanes_mask_t)a & ~(lanes_mask_t)Lanes_All(-0.0f));
}

/// Returns one bit per lane; lane 0 is the lowest bit.
LANES_INLINE uint32_t Lanes_Bits(lanes_mask_t mask) {
#if LANES == 8
    return (uint32_t)__builtin_ia32_movmskps256((lanes_t)mask);
#elif defined(__SSE2__)
    return (uint32_t)__builtin_ia32_movmskps((lanes_t)mask);
#else
    return (uint32_t)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

/// Returns a * b - c, rounded once or twice. Only for results that do not depend on the last bits.
LANES_INLINE lanes_t Lanes_MultiplySubtract(lanes_t a, lanes_t b, lanes_t c) {
#if LANES == 8
    return (lanes_t)_mm256_fmsub_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b - c;
#endif
}

#if LANES == 8

/// Returns the lane with the lowest value of those with value <= limit. Ignores the last 3 bits; on
/// a tie, the first lane wins. All values must be >= 0, one within its limit.
LANES_INLINE int32_t Lanes_Lowest(lanes_t values, lanes_t limits) {
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    // The bits of floats >= 0 sort like integers. The lane number replaces the last three bits.
    __m256i keys = _mm256_andnot_si256(_mm256_set1_epi32(7), _mm256_castps_si256((__m256)values));
    keys = _mm256_or_si256(keys, numbers);
    __m256 above = _mm256_cmp_ps((__m256)values, (__m256)limits, _CMP_NLE_UQ);
    keys = _mm256_or_si256(keys, _mm256_castps_si256(above));
    __m128i low = _mm_min_epu32(_mm256_castsi256_si128(keys), _mm256_extracti128_si256(keys, 1));
    low = _mm_min_epu32(low, _mm_shuffle_epi32(low, 0x4e));
    low = _mm_min_epu32(low, _mm_shuffle_epi32(low, 0xb1));
    return _mm_cvtsi128_si32(low) & 7;
}

/// Returns the permutation that moves the lanes of set bits to the front.
LANES_INLINE __m256i Lanes_Packing(uint32_t bits) {
    uint64_t bytes = _pdep_u64(bits, UINT64_C(0x0101010101010101)) * 255;
    uint64_t packed = _pext_u64(UINT64_C(0x0706050403020100), bytes);
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)packed));
}

/// Writes eight words in the order of a permutation.
LANES_INLINE void Lanes_StorePacked(void *to, const void *from, __m256i packing) {
    __m256i words = _mm256_loadu_si256((const __m256i_u *)from);
    _mm256_storeu_si256((__m256i_u *)to, _mm256_permutevar8x32_epi32(words, packing));
}

#endif

#endif
