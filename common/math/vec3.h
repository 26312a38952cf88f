/// math/vec3.h - vectors of three floats, passed by value, with Quake's names.
//
// Units:   the caller's.
// Repeat:  evaluated as written, without fused multiply-add.

#ifndef EDICTD_MATH_VEC3_H
#define EDICTD_MATH_VEC3_H

#include "base/types.h"
#include "edict/types.h"

#include <math.h>

typedef cl_vec3_t vec3_t;

static const vec3_t vec3_zero = {0.0f, 0.0f, 0.0f};

static inline vec3_t Vector(float x, float y, float z) {
    vec3_t v = {x, y, z};
    return v;
}

static inline vec3_t VectorAdd(vec3_t a, vec3_t b) {
    return Vector(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline vec3_t VectorSubtract(vec3_t a, vec3_t b) {
    return Vector(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline vec3_t VectorScale(vec3_t v, float scale) {
    return Vector(v.x * scale, v.y * scale, v.z * scale);
}

/// Returns a + b * scale.
static inline vec3_t VectorMA(vec3_t a, float scale, vec3_t b) {
    return Vector(a.x + b.x * scale, a.y + b.y * scale, a.z + b.z * scale);
}

static inline vec3_t VectorNegate(vec3_t v) {
    return Vector(-v.x, -v.y, -v.z);
}

/// Returns a + (b - a) * fraction.
static inline vec3_t VectorLerp(vec3_t a, vec3_t b, float fraction) {
    return VectorMA(a, fraction, VectorSubtract(b, a));
}

static inline float DotProduct(vec3_t a, vec3_t b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3_t CrossProduct(vec3_t a, vec3_t b) {
    return Vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float VectorLength(vec3_t v) {
    return sqrtf(DotProduct(v, v));
}

/// Returns the unit vector of v; zero stays zero. `*length` (may be NULL): length of v.
static inline vec3_t VectorNormalize(vec3_t v, float *length) {
    float len = VectorLength(v);
    if (length) {
        *length = len;
    }
    return len > 0.0f ? VectorScale(v, 1.0f / len) : v;
}

/// Returns true if all components are equal. 0 equals -0; NaN equals nothing.
static inline bool VectorCompare(vec3_t a, vec3_t b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Returns true if all components are within +-limit; false for NaN.
static inline bool VectorWithin(vec3_t v, float limit) {
    return fabsf(v.x) <= limit && fabsf(v.y) <= limit && fabsf(v.z) <= limit;
}

/// Clamps all components to +-limit; NaN becomes 0.
static inline vec3_t VectorClamp(vec3_t v, float limit) {
    if (VectorWithin(v, limit)) {
        return v;
    }
    return Vector(isnan(v.x) ? 0.0f : Q_ClampF(v.x, -limit, limit),
                  isnan(v.y) ? 0.0f : Q_ClampF(v.y, -limit, limit),
                  isnan(v.z) ? 0.0f : Q_ClampF(v.z, -limit, limit));
}

/// Returns component 0, 1 or 2: x, y or z.
static inline float VectorAxis(vec3_t v, int32_t axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// Sets component 0, 1 or 2.
static inline void VectorSetAxis(vec3_t *v, int32_t axis, float value) {
    *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

#endif
