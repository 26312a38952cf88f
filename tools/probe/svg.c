#include "probe/svg.h"

#include <stdlib.h>

void Svg_Begin(FILE *out, svg_box_t box, int32_t width_px, const char *css) {
    double height_px = box.width > 0.0 ? (double)width_px * box.height / box.width : 1.0;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%g %g %g %g\" width=\"%d\" "
            "height=\"%.0f\">\n<style>%s</style>\n",
            box.x, box.y, box.width, box.height, width_px, height_px, css);
}

void Svg_End(FILE *out) {
    fputs("</svg>\n", out);
}

void Svg_Rect(FILE *out, svg_box_t box, const char *css_class) {
    fprintf(out, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", css_class,
            box.x, box.y, box.width, box.height);
}

void Svg_Line(FILE *out, svg_point_t from, svg_point_t to, const char *css_class) {
    fprintf(out, "<path class=\"%s\" d=\"M%g %gL%g %g\"/>\n", css_class, from.x, from.y, to.x,
            to.y);
}

void Svg_Circle(FILE *out, svg_point_t centre, double radius, const char *css_class) {
    fprintf(out, "<circle class=\"%s\" cx=\"%g\" cy=\"%g\" r=\"%g\"/>\n", css_class, centre.x,
            centre.y, radius);
}

void Svg_Polygon(FILE *out, const svg_point_t *points, int32_t count, const char *css_class) {
    fprintf(out, "<path class=\"%s\" d=\"", css_class);
    for (int32_t i = 0; i < count; i++) {
        fprintf(out, "%c%g %g", i == 0 ? 'M' : 'L', points[i].x, points[i].y);
    }
    fprintf(out, "%s\"/>\n", count > 2 ? "z" : "");
}

static void put_escaped(FILE *out, const char *text) {
    for (const char *at = text; *at; at++) {
        switch (*at) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc(*at >= ' ' && *at <= '~' ? *at : '?', out);
        }
    }
}

void Svg_Text(FILE *out, svg_point_t at, const char *text, const char *css_class) {
    fprintf(out, "<text class=\"%s\" x=\"%g\" y=\"%g\">", css_class, at.x, at.y);
    put_escaped(out, text);
    fputs("</text>\n", out);
}

typedef struct {
    uint32_t colour;
    int32_t column, row, width, height;
} block_t;

static int by_colour(const void *left, const void *right) {
    const block_t *a = left;
    const block_t *b = right;
    if (a->colour != b->colour) {
        return a->colour < b->colour ? -1 : 1;
    }
    if (a->row != b->row) {
        return a->row < b->row ? -1 : 1;
    }
    return (a->column > b->column) - (a->column < b->column);
}

static bool same_run(const svg_raster_t *raster, const bool *taken, const block_t *block,
                     int32_t row) {
    for (int32_t c = block->column; c < block->column + block->width; c++) {
        size_t at = (size_t)row * (size_t)raster->columns + (size_t)c;
        if (taken[at] || raster->cells[at] != block->colour) {
            return false;
        }
    }
    return true;
}

/// Returns a block of equal free cells that starts at a given cell. Marks the cells as taken.
static block_t grow_block(const svg_raster_t *raster, bool *taken, int32_t column, int32_t row) {
    size_t first = (size_t)row * (size_t)raster->columns + (size_t)column;
    block_t block = {raster->cells[first], column, row, 1, 1};
    while (column + block.width < raster->columns && !taken[first + (size_t)block.width] &&
           raster->cells[first + (size_t)block.width] == block.colour) {
        block.width++;
    }
    while (row + block.height < raster->rows &&
           same_run(raster, taken, &block, row + block.height)) {
        block.height++;
    }
    for (int32_t r = row; r < row + block.height; r++) {
        for (int32_t c = column; c < column + block.width; c++) {
            taken[(size_t)r * (size_t)raster->columns + (size_t)c] = true;
        }
    }
    return block;
}

static void put_blocks(FILE *out, const svg_raster_t *raster, const block_t *blocks, size_t count) {
    fprintf(out, "<g shape-rendering=\"crispEdges\" transform=\"translate(%g %g) scale(%g)\">\n",
            raster->corner.x, raster->corner.y, raster->cell_size);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || blocks[i].colour != blocks[i - 1].colour) {
            fprintf(out, "%s<path fill=\"#%06x\" d=\"", i == 0 ? "" : "\"/>\n", blocks[i].colour);
        }
        fprintf(out, "M%d %dh%dv%dh%dz", blocks[i].column, blocks[i].row, blocks[i].width,
                blocks[i].height, -blocks[i].width);
    }
    fprintf(out, "%s</g>\n", count == 0 ? "" : "\"/>\n");
}

bool Svg_Raster(FILE *out, const svg_raster_t *raster) {
    size_t cells = (size_t)raster->columns * (size_t)raster->rows;
    bool *taken = calloc(cells ? cells : 1, sizeof(bool));
    block_t *blocks = calloc(cells ? cells : 1, sizeof(block_t));
    size_t count = 0;
    if (taken && blocks) {
        for (int32_t row = 0; row < raster->rows; row++) {
            for (int32_t column = 0; column < raster->columns; column++) {
                size_t at = (size_t)row * (size_t)raster->columns + (size_t)column;
                if (!taken[at] && raster->cells[at] != SVG_NO_CELL) {
                    blocks[count++] = grow_block(raster, taken, column, row);
                }
            }
        }
        qsort(blocks, count, sizeof(block_t), by_colour);
        put_blocks(out, raster, blocks, count);
    }
    bool good = taken && blocks;
    free(blocks);
    free(taken);
    return good;
}
