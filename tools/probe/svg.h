/// probe/svg.h - writes pictures as SVG text.
//
// Units:   of the box that is passed to Svg_Begin; +y is down.
// Memory:  none.
// Errors:  call ferror(out) after the last write.

#ifndef EDICTD_PROBE_SVG_H
#define EDICTD_PROBE_SVG_H

#include "base/types.h"

#include <stdio.h>

typedef struct {
    double x, y;
} svg_point_t;

typedef struct {
    double x, y, width, height;
} svg_box_t;

/// Opens a picture that shows `box`, `width_px` wide on the screen. `css`: the style sheet.
void Svg_Begin(FILE *out, svg_box_t box, int32_t width_px, const char *css);

void Svg_End(FILE *out);

/// Draw shapes with a class of the style sheet.
void Svg_Rect(FILE *out, svg_box_t box, const char *css_class);
void Svg_Line(FILE *out, svg_point_t from, svg_point_t to, const char *css_class);
void Svg_Circle(FILE *out, svg_point_t centre, double radius, const char *css_class);

/// Draws a closed shape of at least two points; two points give a line.
void Svg_Polygon(FILE *out, const svg_point_t *points, int32_t count, const char *css_class);

/// Writes text. `at`: start of the base line. Escapes the special characters of SVG. Writes other
/// bytes than printable ASCII as '?'.
void Svg_Text(FILE *out, svg_point_t at, const char *text, const char *css_class);

/// A grid of coloured squares, row by row. `corner`: the top left corner.
typedef struct {
    const uint32_t *cells;
    int32_t columns, rows;
    double cell_size;
    svg_point_t corner;
} svg_raster_t;

#define SVG_NO_CELL 0xffffffffu // colour of a cell that is not drawn

/// Draws a grid of coloured squares. Returns false if out of memory.
bool Svg_Raster(FILE *out, const svg_raster_t *raster);

#endif
