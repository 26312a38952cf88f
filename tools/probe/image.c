#include "probe/image.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN_SHARE 0.25f // weight of the colour of a hidden spot

bool Image_Open(image_t *image, int32_t width, int32_t height, err_t *err) {
    *image = (image_t){.width = width, .height = height};
    if (width < 1 || width > IMAGE_MAX_SIZE || height < 1 || height > IMAGE_MAX_SIZE) {
        return Err_Set(err, "size: expected 1..%d pixels per side, found %d x %d", IMAGE_MAX_SIZE,
                       width, height);
    }
    size_t count = (size_t)width * (size_t)height;
    image->colours = calloc(count, sizeof *image->colours);
    image->depths = calloc(count, sizeof *image->depths);
    if (!image->colours || !image->depths) {
        Image_Close(image);
        return Err_Set(err, "out of memory for %d x %d pixels", width, height);
    }
    return true;
}

void Image_Close(image_t *image) {
    free(image->colours);
    free(image->depths);
    *image = (image_t){0};
}

void Image_Spot(image_t *image, vec3_t at, float radius, vec3_t colour) {
    int32_t reach = (int32_t)ceilf(radius);
    int32_t x0 = Q_ToInt(floorf(at.x), -IMAGE_MAX_SIZE, 2 * IMAGE_MAX_SIZE);
    int32_t y0 = Q_ToInt(floorf(at.y), -IMAGE_MAX_SIZE, 2 * IMAGE_MAX_SIZE);
    for (int32_t y = y0 - reach; y <= y0 + reach; y++) {
        for (int32_t x = x0 - reach; x <= x0 + reach; x++) {
            float dx = (float)x + 0.5f - at.x;
            float dy = (float)y + 0.5f - at.y;
            if (x < 0 || y < 0 || x >= image->width || y >= image->height ||
                dx * dx + dy * dy > radius * radius) {
                continue;
            }
            size_t i = (size_t)y * (size_t)image->width + (size_t)x;
            bool is_hidden = image->depths[i] < at.z - 2.0f;
            float share = is_hidden ? HIDDEN_SHARE : 1.0f;
            image->colours[i] = VectorLerp(image->colours[i], colour, share);
            image->depths[i] = is_hidden ? image->depths[i] : at.z;
        }
    }
}

static uint8_t to_byte(float share) {
    float curved = sqrtf(share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share); // close to sRGB
    return (uint8_t)Q_ToInt(curved * 255.0f + 0.5f, 0, 255);
}

static void average_row(const image_t *image, int32_t scale, int32_t row, uint8_t *bytes) {
    float share = 1.0f / (float)(scale * scale);
    for (int32_t x = 0; x < image->width / scale; x++) {
        vec3_t sum = {0.0f, 0.0f, 0.0f};
        for (int32_t i = 0; i < scale * scale; i++) {
            int32_t px = x * scale + i % scale;
            int32_t py = row * scale + i / scale;
            sum = VectorAdd(sum, image->colours[(size_t)py * (size_t)image->width + (size_t)px]);
        }
        bytes[3 * x] = to_byte(sum.x * share);
        bytes[3 * x + 1] = to_byte(sum.y * share);
        bytes[3 * x + 2] = to_byte(sum.z * share);
    }
}

bool Image_Write(const image_t *image, int32_t scale, const char *path, err_t *err) {
    int32_t width = image->width / scale;
    int32_t height = image->height / scale;
    size_t stride = (size_t)width * 3;
    uint8_t *bytes = malloc(stride * (size_t)height);
    if (!bytes) {
        return Err_Set(err, "%s: out of memory", path);
    }
    for (int32_t y = 0; y < height; y++) {
        average_row(image, scale, y, bytes + (size_t)y * stride);
    }
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)width,
                     .height = (png_uint_32)height,
                     .format = PNG_FORMAT_RGB};
    bool good = png_image_write_to_file(&png, path, 0, bytes, 0, NULL) != 0;
    free(bytes);
    return good || Err_Set(err, "%s: %s", path, png.message);
}
