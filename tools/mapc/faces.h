/// mapc/faces.h - the surfaces where the contents of space change: what a tree must split at.
//
// Floor:   tool. brush.
// Units:   qu.
// Memory:  the keep pool given; the temp pool is left as found.
// Why:     splitting at every side of every brush also cuts where one brush is buried in another;
//          a heap of rocks, or any detail grown for a clip hull, would make millions of cells.

#ifndef EDICTD_MAPC_FACES_H
#define EDICTD_MAPC_FACES_H

#include "mapc/brush.h"

/// Surfaces this near to a plane are in it.
#define MC_SPLIT_EPSILON 0.01 // qu

/// A part of a brush side that no other brush hides.
typedef struct {
    int32_t plane; ///< of the table of planes
    const winding_t *winding;
    dbounds_t bounds;
} mc_surface_t;

typedef struct {
    mc_surface_t *surfaces;
    int32_t count;
} mc_surfaces_t;

/// True when `b` has a place that it shares with `a`: the higher rank, of equals the later one.
bool MC_IsStronger(const mc_brush_t *b, const mc_brush_t *a);

/// Finds the surfaces of a list of brushes. *work counts comparisons (MC_CountWork).
mc_surfaces_t MC_FindSurfaces(mc_pools_t *pools, const mc_planes_t *table,
                              const mc_brush_t *brushes, int32_t num_brushes, int64_t *work);

/// A surface with its box.
mc_surface_t MC_MakeSurface(int32_t plane, const winding_t *winding);

#endif
