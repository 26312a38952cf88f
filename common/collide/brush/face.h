/// collide/brush/face.h - polygons in double precision, cut by planes. Private to brush/.

#ifndef EDICTD_COLLIDE_BRUSH_FACE_H
#define EDICTD_COLLIDE_BRUSH_FACE_H

#include "math/bounds.h"
#include "math/dvec.h"

/// Maximum number of planes that cut one polygon.
#define MAX_FACE_CUTS 134

#define ON_PLANE 1e-4 // qu; a corner at most this far in front of a plane counts as on it

/// A plane whose front is outside.
typedef struct {
    dvec_t normal;
    double dist;
} side_t;

/// The polygon of a side: the part of its plane that is inside all other sides. The struct is
/// large, but only used elements are ever touched.
typedef struct {
    dvec_t at[MAX_FACE_CUTS + 4];
    int32_t count;
} face_t;

static inline double Side_Distance(const side_t *side, dvec_t p) {
    return DV_Dot(p, side->normal) - side->dist;
}

/// Writes a square in a side's plane, larger than `bounds`.
void Face_OfPlane(face_t *face, const bounds_t *bounds, const side_t *side);

/// Cuts off the part of the face in front of a side.
void Face_Cut(face_t *face, const side_t *side);

#endif
