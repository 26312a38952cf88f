/// probe/slice.h - draws the cut of a plane through a map: brushes as shapes, the rest as lines.

#ifndef EDICTD_PROBE_SLICE_H
#define EDICTD_PROBE_SLICE_H

#include "probe/picture.h"
#include "probe/thing.h"

/// Returns true if a cut can show brushes or triangles; otherwise the hulls are drawn as cells.
/// `brushes`: prefer brushes to hulls if the map has both.
bool Slice_HasShapes(const cmap_t *map, bool brushes);

/// Draws the cuts of the world and of brush entities. Returns the number of shapes drawn.
int32_t Slice_Write(FILE *out, const picture_t *picture, const cmap_t *map, const things_t *things);

#endif
