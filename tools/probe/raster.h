/// probe/raster.h - draws the faces of a map into a picture.

#ifndef EDICTD_PROBE_RASTER_H
#define EDICTD_PROBE_RASTER_H

#include "probe/camera.h"

/// Draws camera->faces of the world and of the brush entities. Pixels that are nearer to the eye
/// stay.
void Raster_Draw(const camera_t *camera, const cmap_t *map, const things_t *things, image_t *image);

#endif
