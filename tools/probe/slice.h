/// probe/slice.h - draws a plane cut through a map: brushes as areas, triangles as lines.

#ifndef EDICTD_PROBE_SLICE_H
#define EDICTD_PROBE_SLICE_H

#include "probe/picture.h"
#include "probe/thing.h"

/// Returns true if a slice shows brushes or triangles, false if it shows hulls. `brushes`: prefer
/// brushes if the map has both.
bool Slice_HasShapes(const cmap_t *map, bool brushes);

/// Draws the slice of the world and the brush entities. Returns the number of shapes.
int32_t Slice_Write(FILE *out, const picture_t *picture, const cmap_t *map, const things_t *things);

#endif
