#include "core/polygon.h"

#include <math.h>
#include <string.h>

polygon_t Polygon_Rectangle(const rect_t *rect) {
    const point_t low = rect->low;
    const point_t high = rect->high;
    return (polygon_t){4, {low, {high.x, low.y}, high, {low.x, high.y}}};
}

rect_t Polygon_Range(const polygon_t *polygon) {
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

point_t Polygon_Middle(const polygon_t *polygon) {
    const float part = 1.0f / (float)polygon->count;
    point_t sum = {0};
    for (int32_t i = 0; i < polygon->count; i++) {
        sum = (point_t){sum.x + part * polygon->at[i].x, sum.y + part * polygon->at[i].y};
    }
    return sum;
}

float Polygon_Area(const polygon_t *polygon) {
    float sum = 0.0f;
    for (int32_t i = 2; i < polygon->count; i++) {
        const point_t o = polygon->at[0];
        const point_t a = polygon->at[i - 1];
        const point_t b = polygon->at[i];
        sum += (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
    }
    return 0.5f * fabsf(sum);
}

bool Polygon_IsNarrow(const polygon_t *polygon, float width) {
    if (polygon->count < 3) {
        return true;
    }
    const rect_t range = Polygon_Range(polygon);
    const point_t size = {range.high.x - range.low.x, range.high.y - range.low.y};
    return Polygon_Area(polygon) <= width * fmaxf(size.x, size.y);
}

bool Polygon_Clip(polygon_t *polygon, float a, float b, float c) {
    float d[POLYGON_CORNERS];
    bool is_in = true;
    bool is_out = true;
    for (int32_t i = 0; i < polygon->count; i++) {
        d[i] = a * polygon->at[i].x + b * polygon->at[i].y + c;
        is_in = is_in && d[i] >= 0.0f;
        is_out = is_out && d[i] < 0.0f;
    }
    if (is_in || is_out) {
        polygon->count = is_in ? polygon->count : 0;
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
