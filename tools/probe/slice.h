/// probe/slice.h - what a plane cuts of a map: brushes as filled shapes, facets and triangles as
/// lines, hulls as cells.
//
// Floor:   tools.
// Units:   qu.
// Memory:  none.

#ifndef EDICTD_PROBE_SLICE_H
#define EDICTD_PROBE_SLICE_H

#include "probe/picture.h"
#include "probe/thing.h"

/// True when slices of the map show brushes or triangles; else it has only hulls, which cells show.
bool Slice_HasShapes(const cmap_t *map, bool brushes);

/// Writes the shapes of the world and of the brush entities where they stand in the map.
/// `brushes`: of maps that have both, the brushes rather than the hulls. Returns how many.
int32_t Slice_Write(FILE *out, const picture_t *picture, const cmap_t *map, const things_t *things);

#endif
