/// math/bounds.h - axis-aligned boxes.

#ifndef EDICTD_MATH_BOUNDS_H
#define EDICTD_MATH_BOUNDS_H

#include "math/vec3.h"

/// A box with mins <= maxs, including its faces.
typedef struct {
    vec3_t mins, maxs;
} bounds_t;

static inline vec3_t VectorMin(vec3_t a, vec3_t b) {
    return Vector(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline vec3_t VectorMax(vec3_t a, vec3_t b) {
    return Vector(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

/// Returns the smallest box that contains both boxes.
static inline bounds_t BoundsUnion(bounds_t a, bounds_t b) {
    bounds_t both = {VectorMin(a.mins, b.mins), VectorMax(a.maxs, b.maxs)};
    return both;
}

/// Returns true if the boxes overlap or touch.
static inline bool BoundsTouch(bounds_t a, bounds_t b) {
    return a.mins.x <= b.maxs.x && a.maxs.x >= b.mins.x && a.mins.y <= b.maxs.y &&
           a.maxs.y >= b.mins.y && a.mins.z <= b.maxs.z && a.maxs.z >= b.mins.z;
}

/// Returns true if `inner` is inside `outer`. Their faces may touch.
static inline bool BoundsContain(bounds_t outer, bounds_t inner) {
    return outer.mins.x <= inner.mins.x && outer.maxs.x >= inner.maxs.x &&
           outer.mins.y <= inner.mins.y && outer.maxs.y >= inner.maxs.y &&
           outer.mins.z <= inner.mins.z && outer.maxs.z >= inner.maxs.z;
}

/// Returns the bounds of a box swept from start to end, widened by `margin` on each side.
static inline bounds_t BoundsOfSweep(vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs,
                                     float margin) {
    vec3_t m = {margin, margin, margin};
    bounds_t swept = {VectorSubtract(VectorAdd(VectorMin(start, end), mins), m),
                      VectorAdd(VectorAdd(VectorMax(start, end), maxs), m)};
    return swept;
}

#endif
