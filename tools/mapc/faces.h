/// mapc/faces.h - the surfaces at which the contents of space change.
//
// Memory:  the keep pool given; the temp pool is restored.
// Why:     splitting at every side of every brush would also cut where one brush is inside another.
//          A heap of rocks, or detail expanded for a clip hull, would make millions of cells.

#ifndef EDICTD_MAPC_FACES_H
#define EDICTD_MAPC_FACES_H

#include "mapc/brush.h"

/// Surfaces within this distance of a plane lie in it.
#define MC_SPLIT_EPSILON 0.01 // qu

/// A part of a brush side that no other brush covers.
typedef struct {
    int32_t plane; ///< of the table of planes
    const winding_t *winding;
    dbounds_t bounds;
} mc_surface_t;

typedef struct {
    mc_surface_t *surfaces;
    int32_t count;
} mc_surfaces_t;

/// True if `b` wins where it overlaps `a`: by higher rank, or by a later position if the ranks are
/// equal.
bool MC_IsStronger(const mc_brush_t *b, const mc_brush_t *a);

/// Finds the surfaces of a list of brushes. *work counts comparisons (MC_CountWork).
mc_surfaces_t MC_FindSurfaces(mc_pools_t *pools, const mc_planes_t *table,
                              const mc_brush_t *brushes, int32_t num_brushes, int64_t *work);

/// A surface with its box.
mc_surface_t MC_MakeSurface(int32_t plane, const winding_t *winding);

#endif
