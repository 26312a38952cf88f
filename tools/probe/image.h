/// probe/image.h - a picture with a depth per pixel. Writes PNG files.
//
// Units:   pixels, +y is down. Depth: qu from the eye. Colours: linear light, 0..1.
// Memory:  allocated by Image_Open, freed by Image_Close.

#ifndef EDICTD_PROBE_IMAGE_H
#define EDICTD_PROBE_IMAGE_H

#include "base/err.h"
#include "math/vec3.h"

#define IMAGE_MAX_SIZE 4096 // pixels along each side

typedef struct {
    int32_t width, height;
    vec3_t *colours; ///< x: red, y: green, z: blue
    float *depths;
} image_t;

/// Creates an empty picture. Fails if a side is outside 1..IMAGE_MAX_SIZE, or if out of memory.
bool Image_Open(image_t *image, int32_t width, int32_t height, err_t *err);

void Image_Close(image_t *image);

/// Draws a filled circle. Pixels behind a nearer surface are faint.
void Image_Spot(image_t *image, vec3_t at, float radius, vec3_t colour);

/// Writes a PNG file. Each pixel of the file is the mean of `scale` x `scale` pixels.
bool Image_Write(const image_t *image, int32_t scale, const char *path, err_t *err);

#endif
