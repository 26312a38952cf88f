#include "probe/picture.h"

#include "base/limits.h"
#include "collide/hull/hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_CELLS  320   // cells along the longer side
#define MIN_CELL       4.0f  // qu; minimum side of a cell
#define STEP_HEIGHT    18.0f // qu, as sv_stepsize; floors that differ by more get a line
#define HEIGHT_SHADES  40    // distinct colours of floors
#define SOLID_COLOUR   0x2b2b33u
#define SKY_COLOUR     0xa8c4e0u
#define MAX_SIDE_DEPTH 4096.0f // qu; farther surfaces of a section are not drawn
#define CROP_MARGIN    2       // empty cells kept around the visible part
#define FLAT_ROOM      32.0f   // qu added on each side of a flat map

/// Colours of floors, from the lowest to the highest.
static const uint8_t height_ramp[][3] = {
    {62, 60, 92}, {84, 104, 128}, {120, 146, 130}, {196, 186, 128}, {244, 226, 190}};

static uint32_t mix(const uint8_t a[3], const uint8_t b[3], float share, float light) {
    uint32_t colour = 0;
    for (int i = 0; i < 3; i++) {
        float value = ((float)a[i] + ((float)b[i] - (float)a[i]) * share) * light;
        colour = colour << 8 | (uint32_t)Q_ToInt(value, 0, 255);
    }
    return colour;
}

/// Returns the colour at the fraction `share` (0..1) of the ramp, with a brightness of `light`.
static uint32_t ramp_colour(float share, float light) {
    const int32_t spans = (int32_t)COUNTOF(height_ramp) - 1;
    float at = Q_ClampF(share, 0.0f, 1.0f) * (float)spans;
    int32_t i = Q_ToInt(at, 0, spans - 1);
    return mix(height_ramp[i], height_ramp[i + 1], at - (float)i, light);
}

static uint32_t liquid_colour(contents_t liquid, float light) {
    static const uint8_t water[3] = {70, 130, 220};
    static const uint8_t slime[3] = {90, 180, 60};
    static const uint8_t lava[3] = {226, 74, 34};
    const uint8_t *base = liquid == CONTENTS_WATER   ? water
                          : liquid == CONTENTS_SLIME ? slime
                                                     : lava;
    return mix(base, base, 0.0f, light);
}

static float share_of(float value, float lo, float hi) {
    return hi > lo ? (value - lo) / (hi - lo) : 0.5f;
}

static uint32_t column_colour(const picture_t *picture, const column_t *column) {
    float light = column->stands ? 1.0f : 0.84f;
    if (column->liquid != CONTENTS_EMPTY) {
        float deep = Q_ClampF((column->surface - column->floor) / 256.0f, 0.0f, 1.0f);
        return liquid_colour(column->liquid, light * (1.0f - 0.5f * deep));
    }
    float share = share_of(column->floor, picture->floor_min, picture->floor_max);
    float shade = floorf(share * (float)HEIGHT_SHADES + 0.5f) / (float)HEIGHT_SHADES;
    return ramp_colour(shade, light);
}

static uint32_t section_colour(const section_t *section) {
    switch (section->contents) {
    case CONTENTS_SOLID:
        return SOLID_COLOUR;
    case CONTENTS_SKY:
        return SVG_NO_CELL;
    case CONTENTS_WATER:
    case CONTENTS_SLIME:
    case CONTENTS_LAVA:
        return liquid_colour(section->contents, 1.0f);
    default: {
        // Farther surfaces are darker. Only 16 shades are used, to keep the file small.
        float far = Q_ClampF(sqrtf(section->depth / MAX_SIDE_DEPTH), 0.0f, 1.0f);
        return ramp_colour(1.0f - floorf(far * 16.0f) / 16.0f, 1.0f);
    }
    }
}

static uint32_t slice_colour(contents_t contents) {
    switch (contents) {
    case CONTENTS_SOLID:
        return SOLID_COLOUR;
    case CONTENTS_SKY:
        return SKY_COLOUR;
    case CONTENTS_EMPTY:
        return SVG_NO_CELL;
    default:
        return liquid_colour(contents, 1.0f);
    }
}

static vec3_t cell_centre(const picture_t *picture, int32_t column, int32_t row) {
    float across = (float)picture->corner.x + ((float)column + 0.5f) * picture->options.step;
    float down = (float)picture->corner.y + ((float)row + 0.5f) * picture->options.step;
    float at = picture->options.at;
    switch (picture->options.axis) {
    case 0:
        return Vector(at, across, -down);
    case 1:
        return Vector(across, at, -down);
    default:
        return Vector(across, -down, at);
    }
}

static size_t cell_index(const picture_t *picture, int32_t column, int32_t row) {
    return (size_t)row * (size_t)picture->columns + (size_t)column;
}

/// Removes empty columns and rows at the border. `blank[i]`: cell i is empty.
static void crop(picture_t *picture, const bool *blank) {
    int32_t first_column = picture->columns;
    int32_t first_row = picture->rows;
    int32_t last_column = -1;
    int32_t last_row = -1;
    for (int32_t row = 0; row < picture->rows; row++) {
        for (int32_t column = 0; column < picture->columns; column++) {
            if (!blank[cell_index(picture, column, row)]) {
                first_column = Q_MinI(first_column, column);
                last_column = Q_MaxI(last_column, column);
                first_row = Q_MinI(first_row, row);
                last_row = Q_MaxI(last_row, row);
            }
        }
    }
    if (last_row < 0) {
        return;
    }
    first_column = Q_MaxI(first_column - CROP_MARGIN, 0);
    first_row = Q_MaxI(first_row - CROP_MARGIN, 0);
    int32_t columns = Q_MinI(last_column + CROP_MARGIN, picture->columns - 1) - first_column + 1;
    int32_t rows = Q_MinI(last_row + CROP_MARGIN, picture->rows - 1) - first_row + 1;
    for (int32_t row = 0; row < rows; row++) {
        size_t from = cell_index(picture, first_column, first_row + row);
        size_t to = (size_t)row * (size_t)columns;
        memmove(&picture->cells[to], &picture->cells[from], (size_t)columns * sizeof(uint32_t));
        memmove(&picture->heights[to], &picture->heights[from], (size_t)columns * sizeof(float));
    }
    picture->columns = columns;
    picture->rows = rows;
    picture->corner.x += (double)((float)first_column * picture->options.step);
    picture->corner.y += (double)((float)first_row * picture->options.step);
}

static void sample_section(picture_t *picture, const cmap_t *map, bool *blank) {
    for (int32_t row = 0; row < picture->rows; row++) {
        for (int32_t column = 0; column < picture->columns; column++) {
            section_t section =
                Probe_SampleSection(map, cell_centre(picture, column, row), MAX_SIDE_DEPTH);
            size_t at = cell_index(picture, column, row);
            bool is_nothing = section.contents == CONTENTS_EMPTY && section.depth >= MAX_SIDE_DEPTH;
            picture->cells[at] = is_nothing ? SVG_NO_CELL : section_colour(&section);
            blank[at] = section.contents == CONTENTS_SOLID || section.contents == CONTENTS_SKY;
        }
    }
}

/// Fills each cell of a slice with the contents of the hull at the cell's centre. If options.hull
/// is -1, the slice shows only brushes or triangles, and all cells stay empty.
static void sample_slice(picture_t *picture, const cmap_t *map, bool *blank) {
    int32_t number = picture->options.hull;
    for (int32_t row = 0; row < picture->rows; row++) {
        for (int32_t column = 0; column < picture->columns; column++) {
            size_t at = cell_index(picture, column, row);
            picture->cells[at] = SVG_NO_CELL;
            if (number >= 0) {
                const hull_t *hull = CM_Hull(map, 0, number);
                vec3_t centre = cell_centre(picture, column, row);
                contents_t contents = number == 0 ? CM_PointContents(map, 0, centre)
                                                  : CM_HullPointContents(hull, centre);
                picture->cells[at] = slice_colour(contents);
                blank[at] = contents == CONTENTS_SOLID || contents == CONTENTS_SKY;
            }
        }
    }
}

static bool sample_plan(picture_t *picture, const cmap_t *map, bool *blank) {
    size_t count = (size_t)picture->columns * (size_t)picture->rows;
    column_t *samples = calloc(count, sizeof(column_t));
    if (!samples) {
        return false;
    }
    for (int32_t row = 0; row < picture->rows; row++) {
        for (int32_t column = 0; column < picture->columns; column++) {
            vec3_t at = cell_centre(picture, column, row);
            column_t sample =
                Probe_SampleColumn(map, at.x, at.y, picture->bounds.mins.z, picture->bounds.maxs.z);
            samples[cell_index(picture, column, row)] = sample;
            if (sample.found) {
                bool first = picture->num_floors++ == 0;
                picture->num_wet += sample.liquid != CONTENTS_EMPTY;
                picture->floor_min = first ? sample.floor : fminf(picture->floor_min, sample.floor);
                picture->floor_max = first ? sample.floor : fmaxf(picture->floor_max, sample.floor);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        picture->heights[i] = samples[i].found ? samples[i].floor : NAN;
        picture->cells[i] = samples[i].found ? column_colour(picture, &samples[i]) : SVG_NO_CELL;
        blank[i] = !samples[i].found;
    }
    free(samples);
    return true;
}

/// Returns the bounds of the map, widened along each axis on which it is nearly flat.
static bounds_t bounds_of(const cmap_t *map) {
    bounds_t bounds = CM_ModelBounds(map, 0);
    for (int32_t axis = 0; axis < 3; axis++) {
        if (VectorAxis(bounds.maxs, axis) - VectorAxis(bounds.mins, axis) < 2.0f * FLAT_ROOM) {
            vec3_t room = Vector(axis == 0 ? FLAT_ROOM : 0.0f, axis == 1 ? FLAT_ROOM : 0.0f,
                                 axis == 2 ? FLAT_ROOM : 0.0f);
            bounds.mins = VectorSubtract(bounds.mins, room);
            bounds.maxs = VectorAdd(bounds.maxs, room);
        }
    }
    return bounds;
}

picture_options_t Picture_WholeMap(const cmap_t *map) {
    const vec3_t one = {1.0f, 1.0f, 1.0f};
    bounds_t bounds = bounds_of(map);
    return (picture_options_t){
        .axis = 2,
        .at = (bounds.mins.z + bounds.maxs.z) * 0.5f,
        .window = {VectorSubtract(bounds.mins, one), VectorAdd(bounds.maxs, one)}};
}

/// Computes the part of the world that the picture shows. Fails if that part is empty.
static bool choose_bounds(picture_t *picture, const cmap_t *map, err_t *err) {
    const vec3_t limit = {MAX_WORLD_COORD, MAX_WORLD_COORD, MAX_WORLD_COORD};
    const picture_options_t *options = &picture->options;
    bounds_t *bounds = &picture->bounds;
    vec3_t lo = VectorMax(bounds->mins, VectorNegate(limit));
    vec3_t hi = VectorMin(bounds->maxs, limit);
    if (options->kind != PICTURE_PLAN && (options->at < VectorAxis(lo, options->axis) ||
                                          options->at > VectorAxis(hi, options->axis))) {
        return Err_Set(err, "%s: expected a cut within %g..%g, found %g", CM_Info(map).name,
                       (double)VectorAxis(lo, options->axis), (double)VectorAxis(hi, options->axis),
                       (double)options->at);
    }
    bounds->mins = VectorMax(lo, options->window.mins);
    bounds->maxs = VectorMin(hi, options->window.maxs);
    for (int32_t axis = 0; axis < 3; axis++) {
        bool across = options->kind != PICTURE_PLAN && axis == options->axis; // may be flat
        if (!across && !(VectorAxis(bounds->mins, axis) < VectorAxis(bounds->maxs, axis))) {
            return Err_Set(err, "%s: expected a part of the map within %c %g..%g, found nothing",
                           CM_Info(map).name, 'x' + axis,
                           (double)VectorAxis(options->window.mins, axis),
                           (double)VectorAxis(options->window.maxs, axis));
        }
    }
    return true;
}

bool Picture_Open(picture_t *picture, const cmap_t *map, const picture_options_t *options,
                  err_t *err) {
    *picture = (picture_t){.options = *options, .bounds = bounds_of(map)};
    if (!choose_bounds(picture, map, err)) {
        return false;
    }
    const bounds_t *bounds = &picture->bounds;
    vec3_t size = VectorSubtract(bounds->maxs, bounds->mins);
    float across = options->axis == 0 ? size.y : size.x;
    float down = options->axis == 2 ? size.y : size.z;
    float longer = fmaxf(across, down);
    float step = options->step;
    if (step <= 0.0f) {
        step = fmaxf(MIN_CELL, ceilf(longer / DEFAULT_CELLS / MIN_CELL) * MIN_CELL);
    }
    if (longer / step > PICTURE_MAX_CELLS) {
        return Err_Set(err, "%s: expected --step %g or more for %g qu (%d cells), found %g",
                       CM_Info(map).name, (double)(longer / PICTURE_MAX_CELLS), (double)longer,
                       PICTURE_MAX_CELLS, (double)step);
    }
    picture->options.step = step;
    picture->columns = Q_ToInt(ceilf(across / step), 1, PICTURE_MAX_CELLS);
    picture->rows = Q_ToInt(ceilf(down / step), 1, PICTURE_MAX_CELLS);
    float top = options->axis == 2 ? bounds->maxs.y : bounds->maxs.z;
    float left = options->axis == 0 ? bounds->mins.y : bounds->mins.x;
    picture->corner = (svg_point_t){(double)left, -(double)top};
    size_t count = (size_t)picture->columns * (size_t)picture->rows;
    picture->heights = calloc(count, sizeof(float));
    picture->cells = calloc(count, sizeof(uint32_t));
    bool *blank = calloc(count, sizeof(bool));
    bool good = picture->heights && picture->cells && blank;
    if (good && options->kind == PICTURE_SECTION) {
        sample_section(picture, map, blank);
    } else if (good && options->kind == PICTURE_SLICE) {
        sample_slice(picture, map, blank);
    } else if (good) {
        good = sample_plan(picture, map, blank);
    }
    if (good) {
        crop(picture, blank);
    } else {
        Picture_Close(picture);
        Err_Set(err, "%s: out of memory for %zu cells", CM_Info(map).name, count);
    }
    free(blank);
    return good;
}

void Picture_Close(picture_t *picture) {
    free(picture->heights);
    free(picture->cells);
    *picture = (picture_t){0};
}

svg_point_t Picture_Point(const picture_t *picture, vec3_t place) {
    // Subtracting from 0.0 avoids -0, which would be printed with its sign.
    int32_t axis = picture->options.axis;
    return (svg_point_t){(double)(axis == 0 ? place.y : place.x),
                         0.0 - (double)(axis == 2 ? place.y : place.z)};
}

double Picture_Extent(const picture_t *picture) {
    return (double)Q_MaxI(picture->columns, picture->rows) * (double)picture->options.step;
}

static bool is_edge(float a, float b) {
    if (isnan(a) || isnan(b)) {
        return isnan(a) != isnan(b);
    }
    return fabsf(a - b) > STEP_HEIGHT;
}

/// Writes all lines between floors as one SVG path, in units of cells. Joins adjacent lines.
static void write_edges(const picture_t *picture, FILE *out) {
    fprintf(out, "<path class=\"edge\" transform=\"translate(%g %g) scale(%g)\" d=\"",
            picture->corner.x, picture->corner.y, (double)picture->options.step);
    for (int32_t row = 0; row < picture->rows; row++) {
        int32_t run = 0;
        for (int32_t column = 0; column <= picture->columns; column++) {
            bool edge = column < picture->columns && row > 0 &&
                        is_edge(picture->heights[cell_index(picture, column, row)],
                                picture->heights[cell_index(picture, column, row - 1)]);
            if (!edge && run > 0) {
                fprintf(out, "M%d %dh%d", column - run, row, run);
            }
            run = edge ? run + 1 : 0;
        }
    }
    for (int32_t column = 1; column < picture->columns; column++) {
        int32_t run = 0;
        for (int32_t row = 0; row <= picture->rows; row++) {
            bool edge = row < picture->rows &&
                        is_edge(picture->heights[cell_index(picture, column, row)],
                                picture->heights[cell_index(picture, column - 1, row)]);
            if (!edge && run > 0) {
                fprintf(out, "M%d %dv%d", column, row - run, run);
            }
            run = edge ? run + 1 : 0;
        }
    }
    fputs("\"/>\n", out);
}

static void write_scale(const picture_t *picture, FILE *out) {
    enum { SWATCHES = 9 };
    double unit = Picture_Extent(picture) / 60.0;
    double width = 4.0 * unit;
    svg_point_t at = {picture->corner.x, picture->corner.y - 2.6 * unit};
    for (int i = 0; i < SWATCHES; i++) {
        float share = (float)i / (float)(SWATCHES - 1);
        float height = picture->floor_min + (picture->floor_max - picture->floor_min) * share;
        char text[32];
        snprintf(text, sizeof(text), "%.0f", (double)floorf(height + 0.5f));
        fprintf(out, "<g fill=\"#%06x\">", ramp_colour(share, 1.0f));
        Svg_Rect(out, (svg_box_t){at.x, at.y, width, unit}, "swatch");
        fputs("</g>\n", out);
        Svg_Text(out, (svg_point_t){at.x, at.y + 2.2 * unit}, text, "name");
        at.x += width;
    }
    Svg_Text(out, (svg_point_t){at.x + 0.5 * unit, at.y + unit}, "z of floors", "name");
}

bool Picture_Write(const picture_t *picture, FILE *out) {
    svg_raster_t raster = {picture->cells, picture->columns, picture->rows,
                           (double)picture->options.step, picture->corner};
    if (!Svg_Raster(out, &raster)) {
        return false;
    }
    if (picture->options.kind == PICTURE_PLAN) {
        write_edges(picture, out);
        if (picture->num_floors > 0) {
            write_scale(picture, out);
        }
    }
    return true;
}
