/// mapc/geom.h - vectors, planes and boxes of the map compiler in double precision.
//
// Floor:   tool; includes nothing else of the compiler.
// Repeat:  IEEE double arithmetic, evaluated left to right, without contraction; sqrt is the only
//          function of libm.
// Why:     in float, a brush side far from the origin loses 1/100 qu after a dozen cuts. The
//          compiler rounds to float only when it writes the file.

#ifndef EDICTD_MAPC_GEOM_H
#define EDICTD_MAPC_GEOM_H

#include "base/types.h"

#include <math.h>

/// A point or a vector.
typedef struct {
    double x, y, z;
} dvec_t;

/// A plane: all points p with dot(normal, p) = dist. `normal` has length 1.
typedef struct {
    dvec_t normal;
    double dist;
} dplane_t;

/// A box; empty when mins.x > maxs.x.
typedef struct {
    dvec_t mins, maxs;
} dbounds_t;

/// Limit of a brush corner on each axis, qu. A brush that reaches beyond is open or invalid.
#define MC_MAX_COORD 65536.0

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

/// Returns component 0 (x), 1 (y) or 2 (z).
static inline double DV_Axis(dvec_t v, int32_t axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// Returns the unit vector along axis 0, 1 or 2, multiplied by `sign`.
static inline dvec_t DV_AxisVector(int32_t axis, double sign) {
    return (dvec_t){axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0};
}

/// Returns the distance of p from the plane; positive in front.
static inline double DP_Distance(const dplane_t *plane, dvec_t p) {
    return DV_Dot(plane->normal, p) - plane->dist;
}

static inline dplane_t DP_Flip(dplane_t plane) {
    return (dplane_t){DV_Scale(plane.normal, -1.0), -plane.dist};
}

/// Returns an empty box, to which points are then added.
static inline dbounds_t DB_Empty(void) {
    return (dbounds_t){{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};
}

static inline bool DB_IsEmpty(const dbounds_t *b) {
    return b->mins.x > b->maxs.x;
}

/// Extends a box to contain p.
static inline void DB_AddPoint(dbounds_t *b, dvec_t p) {
    b->mins = DV(fmin(b->mins.x, p.x), fmin(b->mins.y, p.y), fmin(b->mins.z, p.z));
    b->maxs = DV(fmax(b->maxs.x, p.x), fmax(b->maxs.y, p.y), fmax(b->maxs.z, p.z));
}

/// Extends a box to contain another. An empty box is ignored.
static inline void DB_AddBox(dbounds_t *b, const dbounds_t *other) {
    if (!DB_IsEmpty(other)) {
        DB_AddPoint(b, other->mins);
        DB_AddPoint(b, other->maxs);
    }
}

/// Computes the smallest and largest distance of the box's corners from a plane.
static inline void DB_PlaneRange(const dbounds_t *b, const dplane_t *plane, double *lo,
                                 double *hi) {
    dvec_t mid = DV_Scale(DV_Add(b->mins, b->maxs), 0.5);
    dvec_t half = DV_Scale(DV_Sub(b->maxs, b->mins), 0.5);
    double d = DP_Distance(plane, mid);
    double r = half.x * fabs(plane->normal.x) + half.y * fabs(plane->normal.y) +
               half.z * fabs(plane->normal.z);
    *lo = d - r;
    *hi = d + r;
}

#endif
