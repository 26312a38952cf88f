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

/// A box that moves along a line, for quick tests.
typedef struct {
    vec3_t middles; ///< sum of the box's middles at start and end
    vec3_t path;    ///< from start to end
    vec3_t size;
} sweep_bounds_t;

/// Returns a box from mins to maxs, widened by `margin` on each side, that moves from start to end.
static inline sweep_bounds_t Bounds_Sweep(vec3_t start, vec3_t end, bounds_t box, float margin) {
    const vec3_t m = {2.0f * margin, 2.0f * margin, 2.0f * margin};
    sweep_bounds_t sweep = {VectorAdd(VectorAdd(start, end), VectorAdd(box.mins, box.maxs)),
                            VectorSubtract(end, start),
                            VectorAdd(VectorSubtract(box.maxs, box.mins), m)};
    return sweep;
}

/// Returns false if a sweep does not touch a box. Tests separating axes; rounding may move a box by
/// 1/1,000,000 of its distance from the origin.
static inline bool Bounds_SweepTouches(const sweep_bounds_t *sweep, bounds_t box) {
    const vec3_t m = VectorSubtract(sweep->middles, VectorAdd(box.mins, box.maxs));
    const vec3_t e = VectorAdd(sweep->size, VectorSubtract(box.maxs, box.mins));
    const vec3_t w = {fabsf(sweep->path.x), fabsf(sweep->path.y), fabsf(sweep->path.z)};
    return fabsf(m.x) <= e.x + w.x && fabsf(m.y) <= e.y + w.y && fabsf(m.z) <= e.z + w.z &&
           fabsf(m.y * sweep->path.z - m.z * sweep->path.y) <= e.y * w.z + e.z * w.y &&
           fabsf(m.z * sweep->path.x - m.x * sweep->path.z) <= e.z * w.x + e.x * w.z &&
           fabsf(m.x * sweep->path.y - m.y * sweep->path.x) <= e.x * w.y + e.y * w.x;
}

#endif
