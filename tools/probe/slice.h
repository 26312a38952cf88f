/// probe/slice.h - the cut of a plane through a map: brushes as filled shapes, facets and triangles as
/// lines, hulls as cells.

#ifndef EDICTD_PROBE_SLICE_H
#define EDICTD_PROBE_SLICE_H

#include "probe/picture.h"
#include "probe/thing.h"

/// True if the map has brushes or triangles to cut; otherwise it has only hulls, drawn as cells.
bool Slice_HasShapes(const cmap_t *map, bool brushes);

/// Writes the shapes of the world and of the brush entities at their positions.
/// `brushes`: draw brushes, not hulls, if the map has both. Returns the number of shapes.
int32_t Slice_Write(FILE *out, const picture_t *picture, const cmap_t *map, const things_t *things);

#endif
