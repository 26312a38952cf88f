/// probe/image.h - a picture of pixels with depth, written as PNG.
//
// Units:   pixels, +y down; depth in qu from the eye; colours are linear shares in [0, 1].
// Memory:  malloc'ed by Image_Open, freed by Image_Close.

#ifndef EDICTD_PROBE_IMAGE_H
#define EDICTD_PROBE_IMAGE_H

#include "base/err.h"
#include "math/vec3.h"

#define IMAGE_MAX_SIZE 4096 // pixels along each side

typedef struct {
    int32_t width, height;
    vec3_t *colours; ///< x = red, y = green, z = blue
    float *depths;
} image_t;

/// Makes an empty picture. Fails if a side is outside 1..IMAGE_MAX_SIZE or memory is out.
bool Image_Open(image_t *image, int32_t width, int32_t height, err_t *err);

void Image_Close(image_t *image);

/// Draws a round spot, clipped to the picture. Pixels behind something nearer are faint.
void Image_Spot(image_t *image, vec3_t at, float radius, vec3_t colour);

/// Writes a PNG; averages `scale` x `scale` pixels to one. Fails with "path: reason".
bool Image_Write(const image_t *image, int32_t scale, const char *path, err_t *err);

#endif
