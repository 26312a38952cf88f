/// bsp/patch.h - cuts curved patches of Quake III's maps into flat facets. Private to bsp/.
//
// Memory:  malloc'ed, freed by Patch_Free.
// Repeat:  doubles with + and * only; equal on every CPU.
// Source:  a patch is a grid of quadratic Bezier surfaces. Spans are halved (de Casteljau) until
//          their chords are within PATCH_FLATNESS of the curves.

#ifndef EDICTD_BSP_PATCH_H
#define EDICTD_BSP_PATCH_H

#include "collide/brush/brush_build.h"

/// Maximum number of control points along a side of a patch.
#define MAX_PATCH_SIDE 129

/// Maximum number of points along a side of the resulting grid.
#define MAX_PATCH_GRID 257

/// Maximum distance between a chord and the surface.
#define PATCH_FLATNESS 16.0 // qu

typedef struct {
    dvec_t *points; ///< row by row
    int32_t width, height;
} patch_grid_t;

typedef enum {
    PATCH_CUT,
    PATCH_TOO_FINE, ///< more than MAX_PATCH_GRID points along a side
    PATCH_NO_MEMORY
} patch_cut_t;

/// Cuts a patch into a grid of points. Control points must be finite; both sides odd and
/// 3..MAX_PATCH_SIDE. Free *grid even after a failure.
patch_cut_t Patch_Cut(patch_grid_t *grid, const vec3_t *controls, int32_t width, int32_t height);

void Patch_Free(patch_grid_t *grid);

/// Adds each quad of the grid as one facet if it is flat, otherwise as two. Skips facets without
/// area. Returns BRUSH_ADDED or the failure.
brush_added_t Patch_AddFacets(const patch_grid_t *grid, int32_t contents, brushes_t *brushes);

#endif
