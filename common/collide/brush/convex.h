/// collide/brush/convex.h - convex cells of a tree of planes: cut, joined, and made into brushes.
//
// Used by bsp/.
// Memory:  each cell is one malloc'ed block.
// Repeat:  doubles with + - * / and sqrt only, so every CPU computes exactly the same result.

#ifndef EDICTD_COLLIDE_BRUSH_CONVEX_H
#define EDICTD_COLLIDE_BRUSH_CONVEX_H

#include "collide/brush/brush_build.h"
#include "collide/brush/face.h"

/// Parts thinner than this stay with the other part of a cut, qu: far below CM_DIST_EPSILON, so
/// that a slide never meets them.
#define CONVEX_THIN 0.015625

typedef struct {
    side_t side;
    int32_t first, count; ///< its corners in convex_t.points
} convex_face_t;

typedef struct {
    int32_t num_faces, num_points;
    convex_face_t *faces;
    dvec_t *points;
    bounds_t bounds;
    size_t bytes; ///< of its block
} convex_t;

typedef enum {
    CONVEX_FRONT, ///< all in front of the plane, but for a thin part
    CONVEX_BACK,
    CONVEX_CUT,
    CONVEX_TOO_COMPLEX,
    CONVEX_NO_MEMORY
} convex_cut_t;

/// Returns a box, or NULL if out of memory.
convex_t *Convex_Box(bounds_t bounds);

/// Cuts a cell. Only with CONVEX_CUT are there new cells: parts[0] in front, parts[1] behind.
convex_cut_t Convex_Cut(const convex_t *cell, const side_t *plane, convex_t *parts[2]);

/// Writes the least and the largest distance of the cell from a plane.
void Convex_Span(const convex_t *cell, const side_t *plane, double *least, double *most);

/// Writes the union of `front` and `back`, which lie on both sides of a plane and have a face on
/// it, or NULL if the union is not convex. Returns false if out of memory.
bool Convex_Join(const convex_t *front, const convex_t *back, const side_t *plane,
                 convex_t **joined);

/// Returns the face on a plane that has the cell behind it, or NULL.
const convex_face_t *Convex_FaceOn(const convex_t *cell, const side_t *plane);

/// Adds the cell's faces to the brushes, each moved out along its normal by moves[face]; NULL does
/// not move them.
brush_added_t Convex_AddBrush(brushes_t *brushes, const convex_t *cell, int32_t contents,
                              const double *moves);

static inline side_t Side_Flip(const side_t *side) {
    return (side_t){DV_Scale(side->normal, -1.0), -side->dist};
}

#endif
