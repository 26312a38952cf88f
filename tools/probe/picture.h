/// probe/picture.h - the ground of a picture: floors by height, a section, a slice.
//
// Floor:   tools.
// Units:   qu; the picture's x is the map's x (y, where x is cut), its y is -y (from above) or -z.
// Memory:  heights and cells are malloc'ed by Picture_Open and freed by Picture_Close.

#ifndef EDICTD_PROBE_PICTURE_H
#define EDICTD_PROBE_PICTURE_H

#include "base/err.h"
#include "probe/column.h"
#include "probe/svg.h"

#define PICTURE_MAX_CELLS 1024 // along each side

typedef enum {
    PICTURE_PLAN,    ///< floors, seen from above
    PICTURE_SECTION, ///< what lies at y = at, and how far one sees from there along +y
    PICTURE_SLICE    ///< what the plane axis = at cuts, and nothing behind it
} picture_kind_t;

typedef struct {
    picture_kind_t kind;
    int32_t axis;    ///< across the picture: 2 from above, 1 seen along +y, 0 along -x
    float at;        ///< where a section or a slice cuts
    int32_t hull;    ///< that the cells of a slice show; -1: it has no cells, only shapes
    bounds_t window; ///< what is looked at
    float step;      ///< size of a cell; 0 = chosen by the size of the map
} picture_options_t;

typedef struct {
    picture_options_t options;
    bounds_t bounds; ///< of the world, cut to options.window
    int32_t columns, rows;
    svg_point_t corner;          ///< of the first cell
    float floor_min, floor_max;  ///< lowest and highest floor seen
    float *heights;              ///< floor of every cell; NAN = none
    uint32_t *cells;             ///< colours
    int32_t num_floors, num_wet; ///< cells with a floor; with a liquid over it
} picture_t;

/// The options that show a whole map from above.
picture_options_t Picture_WholeMap(const cmap_t *map);

/// Samples the map. False (err) when the options make no picture or there is no memory.
bool Picture_Open(picture_t *picture, const cmap_t *map, const picture_options_t *options,
                  err_t *err);

void Picture_Close(picture_t *picture);

/// Where a place of the map lies in the picture.
svg_point_t Picture_Point(const picture_t *picture, vec3_t place);

/// The longer side of the picture: line widths and letters are a share of it.
double Picture_Extent(const picture_t *picture);

/// Writes the cells, the edges between floors too far apart to step, and the scale of heights.
bool Picture_Write(const picture_t *picture, FILE *out);

#endif
