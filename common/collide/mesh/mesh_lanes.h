/// collide/mesh/mesh_lanes.h - one, four or eight floats at a time, as the file that includes it says by
/// MESH_LANES. Inside of collide/ only.
//
// Floor:   collide.
// Repeat:  independent IEEE operations; every number of lanes gives the same bits, but of
//          Lanes_RoughlyLess. Max and Min of equal values (0 and -0) give the second one, as the
//          CPU's instructions do.

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

/// On CPUs with AVX-512 a compare gives bits, and bits choose lanes and pack them.
#ifndef MESH_MASKS
#define MESH_MASKS 0
#endif

/// Eight lanes on this CPU can also be packed and searched without branches.
#define MESH_PACKS (MESH_LANES == 8)

#if MESH_PACKS
#include <immintrin.h>
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

/// What a compare of lanes gives.
#if MESH_MASKS
typedef __mmask8 lanes_test_t;
#else
typedef lanes_mask_t lanes_test_t;
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

/// a * b - c, rounded once or twice: only for what need not be the same bits.
MESH_INLINE lanes_t Lanes_RoughlyLess(lanes_t a, lanes_t b, lanes_t c) {
#if MESH_PACKS
    return (lanes_t)_mm256_fmsub_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b - c;
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

/// All bits of the lanes where a <= b. Of several that are combined masks would wait for each other.
MESH_INLINE lanes_mask_t Lanes_AtMost(lanes_t a, lanes_t b) {
#if MESH_PACKS
    return (lanes_mask_t)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LE_OQ);
#else
    return a <= b;
#endif
}

/// All bits of the lanes where a < b.
MESH_INLINE lanes_mask_t Lanes_Below(lanes_t a, lanes_t b) {
#if MESH_PACKS
    return (lanes_mask_t)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ);
#else
    return a < b;
#endif
}

// Compares that choose lanes.

MESH_INLINE lanes_test_t Lanes_LessEqual(lanes_t a, lanes_t b) {
#if MESH_MASKS
    return _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_LE_OQ);
#else
    return a <= b;
#endif
}

MESH_INLINE lanes_test_t Lanes_Less(lanes_t a, lanes_t b) {
#if MESH_MASKS
    return _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_LT_OQ);
#else
    return a < b;
#endif
}

/// A bit for each lane for which it is true.
MESH_INLINE uint32_t Lanes_TestBits(lanes_test_t test) {
#if MESH_MASKS
    return test;
#else
    return Lanes_Bits(test);
#endif
}

/// a where the test is true, else b.
MESH_INLINE lanes_t Lanes_Choose(lanes_test_t test, lanes_t a, lanes_t b) {
#if MESH_MASKS
    return (lanes_t)_mm256_mask_mov_ps((__m256)b, test, (__m256)a);
#else
    return Lanes_Select(test, a, b);
#endif
}

#if MESH_PACKS

/// Which lane is the lowest of those that are not above their limits (of nearly equal ones the first;
/// all are >= 0, one at least is not above).
MESH_INLINE int32_t Lanes_Lowest(lanes_t lanes, lanes_t limits) {
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    // Floats that are not negative are in the order of their bits; the last three hold the number.
    __m256i keys = _mm256_andnot_si256(_mm256_set1_epi32(7), _mm256_castps_si256((__m256)lanes));
    keys = _mm256_or_si256(keys, numbers);
    // A vector rather than a mask: that would take longer to come into effect.
    __m256 above = _mm256_cmp_ps((__m256)lanes, (__m256)limits, _CMP_NLE_UQ);
    keys = _mm256_or_si256(keys, _mm256_castps_si256(above));
    __m128i low = _mm_min_epu32(_mm256_castsi256_si128(keys), _mm256_extracti128_si256(keys, 1));
    low = _mm_min_epu32(low, _mm_shuffle_epi32(low, 0x4e));
    low = _mm_min_epu32(low, _mm_shuffle_epi32(low, 0xb1));
    return _mm_cvtsi128_si32(low) & 7;
}

#if MESH_MASKS

typedef __mmask8 packing_t;

/// How to put the words whose bits are set side by side; what follows them is of no use.
MESH_INLINE packing_t Lanes_Packing(uint32_t bits) {
    return (packing_t)bits;
}

/// Writes eight words, packed.
MESH_INLINE void Lanes_StorePacked(void *to, const void *from, packing_t packing) {
    __m256i words = _mm256_loadu_si256((const __m256i_u *)from);
    _mm256_storeu_si256((__m256i_u *)to, _mm256_maskz_compress_epi32(packing, words));
}

#else

typedef __m256i packing_t;

MESH_INLINE packing_t Lanes_Packing(uint32_t bits) {
    uint64_t bytes = _pdep_u64(bits, UINT64_C(0x0101010101010101)) * 255;
    uint64_t packed = _pext_u64(UINT64_C(0x0706050403020100), bytes);
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)packed));
}

MESH_INLINE void Lanes_StorePacked(void *to, const void *from, packing_t packing) {
    __m256i words = _mm256_loadu_si256((const __m256i_u *)from);
    _mm256_storeu_si256((__m256i_u *)to, _mm256_permutevar8x32_epi32(words, packing));
}

#endif

#endif

#endif
