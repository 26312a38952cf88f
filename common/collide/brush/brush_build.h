/// collide/brush/brush_build.h - builds brush lists while a map is loaded.
//
// Used by bsp/.
// Memory:  malloc'ed arrays, freed by Brushes_Free; the loader copies them.
// Repeat:  doubles with + - * / and sqrt only; equal on every CPU.

#ifndef EDICTD_COLLIDE_BRUSH_BUILD_H
#define EDICTD_COLLIDE_BRUSH_BUILD_H

#include "collide/brush/brush.h"
#include "math/dvec.h"

/// Maximum work for the brushes of a map, so that hostile files fail fast. Work is the number of
/// records read, plus the square of each brush's number of sides.
#define MAX_BRUSH_WORK (32 * 1024 * 1024)

/// An array with memory for `room` elements. Brushes_Grow enlarges it, for elements of one size.
typedef struct {
    void *data;
    int32_t count, room;
} brush_array_t;

/// Brush lists under construction. A zeroed struct is empty.
typedef struct {
    brush_array_t brushes, planes, vertices, edges, nodes;
    struct brush_shape_s *shape; ///< temporary memory for one brush
    int64_t work;                ///< at most MAX_BRUSH_WORK
} brushes_t;

typedef enum {
    BRUSH_ADDED,
    BRUSH_EMPTY, ///< not added: encloses no volume
    BRUSH_TOO_COMPLEX,
    BRUSH_NO_MEMORY
} brush_added_t;

/// Adds the brush inside `bounds` and `planes`. All values must be finite, normals of length 1,
/// planes at most MAX_BRUSH_SIDES.
brush_added_t Brushes_Add(brushes_t *brushes, bounds_t bounds, int32_t contents,
                          const brush_plane_t *planes, int32_t num_planes);

/// Adds a polygon of 3 or 4 corners as BRUSH_FACET, counter-clockwise from the front. Returns
/// BRUSH_EMPTY without area.
brush_added_t Brushes_AddFacet(brushes_t *brushes, int32_t contents, const dvec_t *corners,
                               int32_t count);

/// Returns the reason of the last BRUSH_TOO_COMPLEX.
const char *Brushes_TooComplexText(const brushes_t *brushes);

/// Builds the tree of all brushes from `first` on. Returns false if out of memory.
bool Brushes_MakeTree(brushes_t *brushes, int32_t first, int32_t *root);

void Brushes_Free(brushes_t *brushes);

/// Appends elements and returns the first; NULL if out of memory. For loaders.
void *Brushes_Grow(brush_array_t *array, int32_t more, size_t size);

#endif
