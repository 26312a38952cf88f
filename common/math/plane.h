/// math/plane.h - planes: points p with dot(normal, p) = dist.
//
// Units:   dist in qu; normal has length 1.

#ifndef EDICTD_MATH_PLANE_H
#define EDICTD_MATH_PLANE_H

#include "math/vec3.h"

typedef enum { PLANE_X, PLANE_Y, PLANE_Z, PLANE_ANY } plane_type_t;

/// A plane. `type`: PLANE_X, _Y or _Z for exactly that normal, otherwise PLANE_ANY.
typedef struct {
    vec3_t normal;
    float dist;
    int32_t type;
} plane_t;

/// Returns the distance of p from the plane, qu; negative behind it.
static inline float PlaneDiff(vec3_t p, const plane_t *plane) {
    if (plane->type < PLANE_ANY) {
        return VectorAxis(p, plane->type) - plane->dist;
    }
    return DotProduct(p, plane->normal) - plane->dist;
}

/// Returns PLANE_X, _Y or _Z for exactly that unit normal, otherwise PLANE_ANY.
static inline int32_t PlaneType(vec3_t normal) {
    return VectorCompare(normal, Vector(1.0f, 0.0f, 0.0f))   ? PLANE_X
           : VectorCompare(normal, Vector(0.0f, 1.0f, 0.0f)) ? PLANE_Y
           : VectorCompare(normal, Vector(0.0f, 0.0f, 1.0f)) ? PLANE_Z
                                                             : PLANE_ANY;
}

#endif
