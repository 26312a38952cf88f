/// core/polygon.h - convex polygons in a plane; the sets of lines of sight_rays.c.
//
// Floor:   core.
// Units:   those of the caller.
// Memory:  none; polygons are values.
// Repeat:  the server only; not part of the simulation.

#ifndef EDICTD_CORE_POLYGON_H
#define EDICTD_CORE_POLYGON_H

#include "base/types.h"

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

polygon_t Polygon_Rectangle(const rect_t *rect);

/// Returns the smallest rectangle around a polygon that has corners.
rect_t Polygon_Range(const polygon_t *polygon);

/// Returns the mean of the corners, of which there must be some.
point_t Polygon_Middle(const polygon_t *polygon);

float Polygon_Area(const polygon_t *polygon);

/// Returns true if the polygon is empty or, on average, at most so wide.
bool Polygon_IsNarrow(const polygon_t *polygon, float width);

/// Keeps the part where a * x + b * y + c >= 0. Returns false, and changes nothing, if that has too
/// many corners.
bool Polygon_Clip(polygon_t *polygon, float a, float b, float c);

#endif
