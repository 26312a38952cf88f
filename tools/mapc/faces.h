/// mapc/faces.h - finds the surfaces where the contents of space change.
//
// Memory:  from pools->keep; temporary memory is released on return.
// Why:     brush sides inside other brushes are left out. They would make the BSP tree of a map
//          with many overlapping brushes much larger.

#ifndef EDICTD_MAPC_FACES_H
#define EDICTD_MAPC_FACES_H

#include "mapc/brush.h"

/// Surfaces within this distance of a plane count as in the plane.
#define MC_SPLIT_EPSILON 0.01 // qu

/// A part of a brush side that no other brush covers.
typedef struct {
    int32_t plane; ///< number in the table of planes
    const winding_t *winding;
    dbounds_t bounds;
} mc_surface_t;

typedef struct {
    mc_surface_t *surfaces;
    int32_t count;
} mc_surfaces_t;

/// Returns true if `b` wins where it overlaps `a`, because it has the higher rank, or the same rank
/// and a later position in the map.
bool MC_IsStronger(const mc_brush_t *b, const mc_brush_t *a);

/// Finds the surfaces of a list of brushes. Adds the number of comparisons to *work.
mc_surfaces_t MC_FindSurfaces(mc_pools_t *pools, const mc_planes_t *table,
                              const mc_brush_t *brushes, int32_t num_brushes, int64_t *work);

/// Returns a surface with its computed bounds.
mc_surface_t MC_MakeSurface(int32_t plane, const winding_t *winding);

#endif
