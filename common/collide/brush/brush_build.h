/// collide/brush/brush_build.h - makes brush lists while a map is loaded.
//
// Floor:   collide. Used by bsp/.
// Units:   qu.
// Memory:  malloc'ed arrays, freed by Brushes_Free; the loader copies them.
// Repeat:  doubles with + - * / and sqrt only: the same bits on every CPU.

#ifndef EDICTD_COLLIDE_BRUSH_BUILD_H
#define EDICTD_COLLIDE_BRUSH_BUILD_H

#include "collide/brush/brush.h"

/// What the brushes of a map may cost while they are made: the sum of the squares of their numbers of
/// sides, and of what is read to find them. Real maps are far below; a file full of brushes with MAX_BRUSH_SIDES is refused in seconds.
#define MAX_BRUSH_WORK (32 * 1024 * 1024)

/// One growing array.
typedef struct {
    void *data;
    int32_t count, room;
} brush_array_t;

/// Brush lists being made. A zeroed one is empty.
typedef struct {
    brush_array_t brushes, planes, vertices, edges, nodes;
    struct brush_shape_s *shape; ///< where one brush is worked on
    int64_t work;                ///< done so far: see MAX_BRUSH_WORK
} brushes_t;

/// What became of a brush.
typedef enum {
    BRUSH_ADDED,
    BRUSH_EMPTY, ///< its planes leave nothing: nothing was added
    BRUSH_TOO_COMPLEX,
    BRUSH_NO_MEMORY
} brush_added_t;

/// Adds a brush: what `bounds` and the planes (at most MAX_BRUSH_SIDES, of unit normals) leave.
/// Everything must be finite. Corners, edges and bevels are computed here.
brush_added_t Brushes_Add(brushes_t *brushes, bounds_t bounds, int32_t contents,
                          const brush_plane_t *planes, int32_t num_planes);

/// Adds a flat polygon of 3 or 4 corners, counter-clockwise seen from its front, as a BRUSH_FACET.
/// BRUSH_EMPTY: it has no area.
brush_added_t Brushes_AddFacet(brushes_t *brushes, int32_t contents, const double (*corners)[3],
                               int32_t count);

/// Makes the tree over the brushes from `first` on. *root gets its root. False: no memory.
bool Brushes_MakeTree(brushes_t *brushes, int32_t first, int32_t *root);

void Brushes_Free(brushes_t *brushes);

/// Room for `more` further elements at the end; NULL when there is no memory. Inside of collide/.
void *Brushes_Grow(brush_array_t *array, int32_t more, size_t size);

#endif
