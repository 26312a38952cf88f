/// collide/hull/wide_lanes.h - eight floats, one for each plane of a node: two vectors of four or one of
/// eight, as the file that includes it says by WIDE_LANES. Inside of collide/ only.
//
// Floor:   collide.
// Repeat:  independent IEEE operations; both kinds give the same bits.

#ifndef EDICTD_COLLIDE_WIDE_LANES_H
#define EDICTD_COLLIDE_WIDE_LANES_H

#include "collide/hull/wide.h"
#include "collide/segment.h"

#ifndef WIDE_LANES
#define WIDE_LANES  4
#define WIDE_TARGET // nothing, or an attribute that names the CPU
#endif

#if WIDE_LANES == 8
#include <immintrin.h>
#endif

// Always inlined: what is not would be compiled for any CPU, and calls between the two kinds of
// code cost as much as a node.
#define WIDE_INLINE WIDE_TARGET static inline __attribute__((always_inline, unused))

/// No plane is crossed this late.
#define WIDE_NEVER 4.0f

#if WIDE_LANES == 8

typedef __m256 eight_t;

/// A point, in every lane.
typedef struct {
    __m256 x, y, z;
} eight_point_t;

WIDE_INLINE eight_point_t Eight_Point(const sweep_point_t *p) {
    return (eight_point_t){_mm256_set1_ps(p->f[0]), _mm256_set1_ps(p->f[1]),
                           _mm256_set1_ps(p->f[2])};
}

/// Distances to the planes. Those to axial ones have the bits of a single subtraction: the other
/// products are zeros, which change nothing but the sign of a zero, and that decides nothing.
WIDE_INLINE eight_t Eight_Diffs(const wide_node_t *node, const eight_point_t *p) {
    __m256 x = _mm256_mul_ps(p->x, _mm256_loadu_ps(node->normal[0]));
    __m256 y = _mm256_mul_ps(p->y, _mm256_loadu_ps(node->normal[1]));
    __m256 z = _mm256_mul_ps(p->z, _mm256_loadu_ps(node->normal[2]));
    __m256 sum = _mm256_add_ps(_mm256_add_ps(x, y), z);
    return _mm256_sub_ps(sum, _mm256_loadu_ps(node->dist));
}

WIDE_INLINE uint32_t Eight_Below0(eight_t t) {
    __m256 below = _mm256_cmp_ps(t, _mm256_setzero_ps(), _CMP_LT_OQ);
    return (uint32_t)_mm256_movemask_ps(below);
}

WIDE_INLINE eight_t Eight_Crossings(eight_t from, eight_t to) {
    const __m256 zero = _mm256_setzero_ps();
    const __m256 crossed =
        _mm256_xor_ps(_mm256_cmp_ps(from, zero, _CMP_LT_OQ), _mm256_cmp_ps(to, zero, _CMP_LT_OQ));
    return _mm256_blendv_ps(_mm256_set1_ps(WIDE_NEVER),
                            _mm256_div_ps(from, _mm256_sub_ps(from, to)), crossed);
}

WIDE_INLINE uint32_t Eight_Reached(eight_t lanes, float value) {
    __m256 reached = _mm256_cmp_ps(lanes, _mm256_set1_ps(value), _CMP_LE_OQ);
    return (uint32_t)_mm256_movemask_ps(reached);
}

WIDE_INLINE uint32_t Eight_Equal(eight_t lanes, float value) {
    __m256 equal = _mm256_cmp_ps(lanes, _mm256_set1_ps(value), _CMP_EQ_OQ);
    return (uint32_t)_mm256_movemask_ps(equal);
}

WIDE_INLINE eight_t eight_only(eight_t lanes, uint32_t bits) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i has = _mm256_and_si256(_mm256_set1_epi32((int32_t)bits), bit);
    return _mm256_blendv_ps(_mm256_set1_ps(WIDE_NEVER), lanes,
                            _mm256_castsi256_ps(_mm256_cmpeq_epi32(has, bit)));
}

/// The lowest of the lanes whose bits are set.
WIDE_INLINE float Eight_Lowest(eight_t lanes, uint32_t bits) {
    const __m256 only = eight_only(lanes, bits);
    __m128 low = _mm_min_ps(_mm256_castps256_ps128(only), _mm256_extractf128_ps(only, 1));
    low = _mm_min_ps(low, _mm_movehl_ps(low, low));
    low = _mm_min_ss(low, _mm_movehdup_ps(low));
    return _mm_cvtss_f32(low);
}

#else

typedef struct {
    float4_t v[2];
} eight_t;

typedef struct {
    float4_t x, y, z;
} eight_point_t;

WIDE_INLINE eight_point_t Eight_Point(const sweep_point_t *p) {
    return (eight_point_t){Float4_All(p->f[0]), Float4_All(p->f[1]), Float4_All(p->f[2])};
}

WIDE_INLINE float4_t eight_load(const float *from) {
    float4_t v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

WIDE_INLINE float4_t eight_half_diffs(const wide_node_t *node, const eight_point_t *p,
                                      int32_t first) {
    return p->x * eight_load(node->normal[0] + first) + p->y * eight_load(node->normal[1] + first) +
           p->z * eight_load(node->normal[2] + first) - eight_load(node->dist + first);
}

WIDE_INLINE eight_t Eight_Diffs(const wide_node_t *node, const eight_point_t *p) {
    return (eight_t){{eight_half_diffs(node, p, 0), eight_half_diffs(node, p, 4)}};
}

WIDE_INLINE uint32_t Eight_Below0(eight_t t) {
    const float4_t zero = Float4_All(0.0f);
    return Float4_Bits(t.v[0] < zero) | Float4_Bits(t.v[1] < zero) << 4;
}

WIDE_INLINE float4_t eight_half_crossings(float4_t from, float4_t to) {
    const float4_t zero = Float4_All(0.0f);
    return Float4_Select((from < zero) ^ (to < zero), from / (from - to), Float4_All(WIDE_NEVER));
}

WIDE_INLINE eight_t Eight_Crossings(eight_t from, eight_t to) {
    return (eight_t){
        {eight_half_crossings(from.v[0], to.v[0]), eight_half_crossings(from.v[1], to.v[1])}};
}

WIDE_INLINE uint32_t Eight_Reached(eight_t lanes, float value) {
    const float4_t all = Float4_All(value);
    return Float4_Bits(lanes.v[0] <= all) | Float4_Bits(lanes.v[1] <= all) << 4;
}

WIDE_INLINE uint32_t Eight_Equal(eight_t lanes, float value) {
    const float4_t all = Float4_All(value);
    return Float4_Bits(lanes.v[0] == all) | Float4_Bits(lanes.v[1] == all) << 4;
}

WIDE_INLINE float4_t eight_half_only(float4_t lanes, uint32_t bits, int4_t bit) {
    const int32_t b = (int32_t)bits;
    const int4_t all = {b, b, b, b};
    return Float4_Select((all & bit) == bit, lanes, Float4_All(WIDE_NEVER));
}

WIDE_INLINE float Eight_Lowest(eight_t lanes, uint32_t bits) {
    const float4_t low = Float4_Min(eight_half_only(lanes.v[0], bits, (int4_t){1, 2, 4, 8}),
                                    eight_half_only(lanes.v[1], bits, (int4_t){16, 32, 64, 128}));
    const float low02 = low[0] < low[2] ? low[0] : low[2];
    const float low13 = low[1] < low[3] ? low[1] : low[3];
    return low02 < low13 ? low02 : low13;
}

#endif

typedef uint8_t byte16_t __attribute__((vector_size(16)));

/// Which child has what lies behind the planes whose bits are set, in front of the others.
WIDE_INLINE uint32_t Eight_Child(const wide_node_t *node, uint32_t bits) {
    const uint8_t b = (uint8_t)bits;
    const byte16_t all = {b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b};
    byte16_t way;
    byte16_t behind;
    __builtin_memcpy(&way, node->way, sizeof way);
    __builtin_memcpy(&behind, node->behind, sizeof behind);
    const byte16_t is = (byte16_t)((all & way) == behind);
#ifdef __SSE2__
    typedef char char16_t __attribute__((vector_size(16)));
    return (uint32_t)__builtin_ctz((uint32_t)__builtin_ia32_pmovmskb128((char16_t)is));
#else
    uint64_t halves[2];
    __builtin_memcpy(halves, &is, sizeof halves);
    return (uint32_t)(halves[0] ? __builtin_ctzll(halves[0]) : 64 + __builtin_ctzll(halves[1])) / 8;
#endif
}

#endif
