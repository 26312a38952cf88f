/// collide/brush/brush_build.h - builds brush lists while a map is loaded.
//
// Floor:   collide. Used by bsp/.
// Memory:  malloc'ed arrays, freed by Brushes_Free; the loader copies them.
// Repeat:  doubles with + - * / and sqrt only, so every CPU computes exactly the same result.

#ifndef EDICTD_COLLIDE_BRUSH_BUILD_H
#define EDICTD_COLLIDE_BRUSH_BUILD_H

#include "collide/brush/brush.h"
#include "math/dvec.h"

/// Maximum work for a map's brushes, so that a hostile file is rejected within seconds. The work is
/// the number of records read, plus the square of each brush's number of sides.
#define MAX_BRUSH_WORK (32 * 1024 * 1024)

/// An array that grows. `room`: its capacity.
typedef struct {
    void *data;
    int32_t count, room;
} brush_array_t;

/// Brush lists under construction. A zeroed struct is empty.
typedef struct {
    brush_array_t brushes, planes, vertices, edges, nodes;
    struct brush_shape_s *shape; ///< scratch memory for one brush
    int64_t work;                ///< work done so far, at most MAX_BRUSH_WORK
} brushes_t;

typedef enum {
    BRUSH_ADDED,
    BRUSH_EMPTY, ///< not added: its planes enclose no volume
    BRUSH_TOO_COMPLEX,
    BRUSH_NO_MEMORY
} brush_added_t;

/// Adds the brush that `bounds` and `planes` (at most MAX_BRUSH_SIDES, with unit normals) enclose.
/// All values must be finite. Computes its corners, edges and bevels.
brush_added_t Brushes_Add(brushes_t *brushes, bounds_t bounds, int32_t contents,
                          const brush_plane_t *planes, int32_t num_planes);

/// Adds a flat polygon of 3 or 4 corners as a BRUSH_FACET. The corners are counter-clockwise, seen
/// from the front. Returns BRUSH_EMPTY if the polygon has no area.
brush_added_t Brushes_AddFacet(brushes_t *brushes, int32_t contents, const dvec_t *corners,
                               int32_t count);

/// Builds the tree over the brushes from `first` on. Writes *root. Returns false if out of memory.
bool Brushes_MakeTree(brushes_t *brushes, int32_t first, int32_t *root);

void Brushes_Free(brushes_t *brushes);

/// Appends elements and returns the first of them; NULL if out of memory. Private to collide/.
void *Brushes_Grow(brush_array_t *array, int32_t more, size_t size);

#endif
