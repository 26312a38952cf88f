/// mapc/faces.h - finds the surfaces where the contents of space change.
//
// Memory:  allocated from pools->keep.
// Why:     sides inside brushes are left out, because they would make the BSP tree much larger.

#ifndef EDICTD_MAPC_FACES_H
#define EDICTD_MAPC_FACES_H

#include "mapc/brush.h"

/// Surfaces within this distance of a plane count as in the plane.
#define MC_SPLIT_EPSILON 0.01 // qu

/// A part of a brush side that no other brush covers.
typedef struct {
    int32_t plane; ///< number in the table of planes
    int32_t brush; ///< number in the list of brushes
    const winding_t *winding;
    dbounds_t bounds;
} mc_surface_t;

typedef struct {
    mc_surface_t *surfaces;
    int32_t count;
} mc_surfaces_t;

/// Returns true if `b` wins in an overlap with `a`. The higher rank wins. With equal ranks, the
/// later brush of the map wins.
bool MC_IsStronger(const mc_brush_t *b, const mc_brush_t *a);

/// Finds the surfaces of a list of brushes. Adds the number of comparisons to *work.
mc_surfaces_t MC_FindSurfaces(mc_pools_t *pools, const mc_planes_t *table,
                              const mc_brush_t *brushes, int32_t num_brushes, int64_t *work);

/// Returns a surface with computed bounds.
mc_surface_t MC_MakeSurface(int32_t plane, const winding_t *winding);

#endif
