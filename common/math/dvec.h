/// math/dvec.h - vectors in double precision, for maps and brushes.
//
// Repeat:  IEEE doubles without contraction; of libm only sqrt.

#ifndef EDICTD_MATH_DVEC_H
#define EDICTD_MATH_DVEC_H

#include "math/vec3.h"

typedef struct {
    double x, y, z;
} dvec_t;

static inline dvec_t DV(double x, double y, double z) {
    return (dvec_t){x, y, z};
}

static inline dvec_t DV_Add(dvec_t a, dvec_t b) {
    return (dvec_t){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline dvec_t DV_Sub(dvec_t a, dvec_t b) {
    return (dvec_t){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline dvec_t DV_Scale(dvec_t v, double s) {
    return (dvec_t){v.x * s, v.y * s, v.z * s};
}

/// Returns a + b * s.
static inline dvec_t DV_MA(dvec_t a, double s, dvec_t b) {
    return (dvec_t){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static inline double DV_Dot(dvec_t a, dvec_t b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline dvec_t DV_Cross(dvec_t a, dvec_t b) {
    return (dvec_t){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double DV_Length(dvec_t v) {
    return sqrt(DV_Dot(v, v));
}

static inline dvec_t DV_FromVector(vec3_t v) {
    return DV((double)v.x, (double)v.y, (double)v.z);
}

static inline vec3_t DV_ToVector(dvec_t v) {
    return Vector((float)v.x, (float)v.y, (float)v.z);
}

/// Returns component 0 (x), 1 (y) or 2 (z).
static inline double DV_Axis(dvec_t v, int32_t axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// Returns the unit vector of axis 0, 1 or 2, times `sign`.
static inline dvec_t DV_AxisVector(int32_t axis, double sign) {
    return (dvec_t){axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0};
}

#endif
