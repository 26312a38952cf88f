/// base/types.h - integer types, min, max, clamp, and macros that make headers valid in C++.
//
// Repeat:  convert floats to integers only with Q_ToInt.

#ifndef EDICTD_BASE_TYPES_H
#define EDICTD_BASE_TYPES_H

#include <assert.h> // static_assert
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Enclose the functions of a header for C++.
#ifdef __cplusplus
#define EXTERN_C_BEGIN extern "C" {
#define EXTERN_C_END   }
#else
#define EXTERN_C_BEGIN
#define EXTERN_C_END
#endif

/// Number of elements of an array (not of a pointer).
#define COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE 754 sizes");

static inline int32_t Q_MinI(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static inline int32_t Q_MaxI(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/// Returns `v` clamped to lo..hi (lo <= hi).
static inline int32_t Q_ClampI(int32_t v, int32_t lo, int32_t hi) {
    return v < lo ? lo : v > hi ? hi : v;
}

/// Returns `v` clamped to lo..hi (lo <= hi); lo for NaN.
static inline float Q_ClampF(float v, float lo, float hi) {
    return !(v > lo) ? lo : v > hi ? hi : v;
}

/// Rounds `v` towards zero and clamps it to lo..hi; returns lo for NaN. `lo` and `hi` must be
/// within +-2^30. Gives the same result on every CPU, unlike a cast.
static inline int32_t Q_ToInt(float v, int32_t lo, int32_t hi) {
    if (!(v > (float)lo)) {
        return lo;
    }
    return v >= (float)hi ? hi : (int32_t)v;
}

#endif
