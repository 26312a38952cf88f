/// core/polygon.h - convex polygons in a plane; the sets of lines of sight_rays.c.
//
// Floor:   core.
// Units:   those of the caller.
// Memory:  none; polygons are values.
// Repeat:  the server only; not part of the simulation.
// Inline:  a search for lines calls these functions some hundred times.

#ifndef EDICTD_CORE_POLYGON_H
#define EDICTD_CORE_POLYGON_H

#include "base/types.h"

#include <math.h>
#include <string.h>

#define POLYGON_CORNERS 12 // at most

typedef struct {
    float x, y;
} point_t;

typedef struct {
    point_t low, high;
} rect_t;

/// Corners in order, around the polygon. Without three of them it is empty.
typedef struct {
    int32_t count;
    point_t at[POLYGON_CORNERS];
} polygon_t;

static inline polygon_t Polygon_Rectangle(const rect_t *rect) {
    const point_t low = rect->low;
    const point_t high = rect->high;
    return (polygon_t){4, {low, {high.x, low.y}, high, {low.x, high.y}}};
}

/// Returns the smallest rectangle around a polygon that has corners.
static inline rect_t Polygon_Range(const polygon_t *polygon) {
    rect_t range = {polygon->at[0], polygon->at[0]};
    for (int32_t i = 1; i < polygon->count; i++) {
        const point_t at = polygon->at[i];
        range.low.x = at.x < range.low.x ? at.x : range.low.x;
        range.low.y = at.y < range.low.y ? at.y : range.low.y;
        range.high.x = at.x > range.high.x ? at.x : range.high.x;
        range.high.y = at.y > range.high.y ? at.y : range.high.y;
    }
    return range;
}

/// Returns the mean of the corners, of which there must be some.
static inline point_t Polygon_Middle(const polygon_t *polygon) {
    const float part = 1.0f / (float)polygon->count;
    point_t sum = {0};
    for (int32_t i = 0; i < polygon->count; i++) {
        sum = (point_t){sum.x + part * polygon->at[i].x, sum.y + part * polygon->at[i].y};
    }
    return sum;
}

static inline float Polygon_Area(const polygon_t *polygon) {
    float sum = 0.0f;
    for (int32_t i = 2; i < polygon->count; i++) {
        const point_t o = polygon->at[0];
        const point_t a = polygon->at[i - 1];
        const point_t b = polygon->at[i];
        sum += (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
    }
    return 0.5f * fabsf(sum);
}

/// Returns true if the polygon is empty or, on average, at most so wide.
static inline bool Polygon_IsNarrow(const polygon_t *polygon, float width) {
    if (polygon->count < 3) {
        return true;
    }
    const rect_t range = Polygon_Range(polygon);
    const point_t size = {range.high.x - range.low.x, range.high.y - range.low.y};
    return Polygon_Area(polygon) <= width * fmaxf(size.x, size.y);
}

/// Keeps the part where a * x + b * y + c >= 0. Returns false, and changes nothing, if that has too
/// many corners.
static inline bool Polygon_Clip(polygon_t *polygon, float a, float b, float c) {
    float d[POLYGON_CORNERS];
    uint32_t kept = 0; // a bit per corner
    for (int32_t i = 0; i < polygon->count; i++) {
        d[i] = a * polygon->at[i].x + b * polygon->at[i].y + c;
        kept |= (uint32_t)(d[i] >= 0.0f) << i;
    }
    if (kept == 0 || kept == (1u << polygon->count) - 1) {
        polygon->count = kept == 0 ? 0 : polygon->count;
        return true;
    }
    point_t at[2 * POLYGON_CORNERS];
    int32_t last = polygon->count - 1;
    int32_t count = 0;
    for (int32_t i = 0; i < polygon->count; last = i++) {
        const point_t from = polygon->at[last];
        const point_t to = polygon->at[i];
        if ((d[last] >= 0.0f) != (d[i] >= 0.0f)) {
            const float t = d[last] / (d[last] - d[i]);
            at[count++] = (point_t){from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
        }
        if (d[i] >= 0.0f) {
            at[count++] = to;
        }
    }
    if (count > POLYGON_CORNERS) {
        return false;
    }
    memcpy(polygon->at, at, (size_t)count * sizeof at[0]);
    polygon->count = count;
    return true;
}

#endif
