/// base/types.h - the integer types, and the few helpers every file may use.
//
// Floor:   base. Nothing below.
// Memory:  none.
// Repeat:  Q_ToInt is the only way a float becomes an integer; it gives the same answer everywhere.

#ifndef EDICTD_BASE_TYPES_H
#define EDICTD_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Number of elements of a real array (not of a pointer).
#define COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE 754 sizes");

/// The smaller of two.
static inline int32_t Q_MinI(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/// The larger of two.
static inline int32_t Q_MaxI(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/// `v` held within lo..hi (lo <= hi).
static inline int32_t Q_ClampI(int32_t v, int32_t lo, int32_t hi) {
    return v < lo ? lo : v > hi ? hi : v;
}

/// `v` held within lo..hi (lo <= hi); NaN gives lo.
static inline float Q_ClampF(float v, float lo, float hi) {
    return !(v > lo) ? lo : v > hi ? hi : v;
}

/// A float becomes an integer towards zero, held within lo..hi; NaN gives lo. A plain cast of a
/// value out of range is undefined in C and differs between CPUs.
/// `lo` and `hi` must be within +-2^30.
static inline int32_t Q_ToInt(float v, int32_t lo, int32_t hi) {
    if (!(v > (float)lo)) {
        return lo;
    }
    return v >= (float)hi ? hi : (int32_t)v;
}

#endif
