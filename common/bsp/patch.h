/// bsp/patch.h - curved patches of Quake III's maps, cut into flat facets. Inside of bsp/ only.
//
// Floor:   bsp.
// Units:   qu.
// Memory:  malloc'ed, freed by Patch_Free.
// Repeat:  doubles with + and * only: the same bits on every CPU.
// Source:  a patch is a grid of quadratic Bezier surfaces that share their borders. A span of three
//          control points is halved (de Casteljau) until the curves of all its rows lie within
//          PATCH_FLATNESS of their chords; first along the rows, then along the columns. The visible
//          answers of another engine (58 patches) are met with 12 to 24, not with 8 or 32.

#ifndef EDICTD_BSP_PATCH_H
#define EDICTD_BSP_PATCH_H

#include "collide/brush/brush_build.h"

/// Most control points along a side: an odd number.
#define MAX_PATCH_SIDE 129

/// Most points along a side of what a patch is cut into.
#define MAX_PATCH_GRID 257

/// A chord lies at most so far from the surface in the middle of its span.
#define PATCH_FLATNESS 16.0 // qu

typedef struct {
    double x, y, z;
} patch_point_t;

/// Points, row after row.
typedef struct {
    patch_point_t *points;
    int32_t width, height;
} patch_grid_t;

typedef enum {
    PATCH_CUT,
    PATCH_TOO_FINE, ///< more than MAX_PATCH_GRID points along a side
    PATCH_NO_MEMORY
} patch_cut_t;

/// Cuts a patch of finite control points; the sides are odd, 3..MAX_PATCH_SIDE. *grid is to be freed
/// in any case.
patch_cut_t Patch_Cut(patch_grid_t *grid, const vec3_t *controls, int32_t width, int32_t height);

void Patch_Free(patch_grid_t *grid);

/// Adds each mesh of the grid as one facet, where it is flat, or as two. Those without area are left
/// out. BRUSH_ADDED, also when nothing was, or why it failed.
brush_added_t Patch_AddFacets(const patch_grid_t *grid, int32_t contents, brushes_t *brushes);

#endif
