/// probe/picture.h - the map in a picture: floors by height, a section, or a slice.
//
// Units:   qu. The picture's x is the map's x (y in a slice across x). Its y is the map's -y from
//          above, otherwise -z.
// Memory:  heights and cells are malloc'ed by Picture_Open and freed by Picture_Close.

#ifndef EDICTD_PROBE_PICTURE_H
#define EDICTD_PROBE_PICTURE_H

#include "base/err.h"
#include "probe/column.h"
#include "probe/svg.h"

#define PICTURE_MAX_CELLS 1024 // along each side

typedef enum {
    PICTURE_PLAN,    ///< floors, seen from above
    PICTURE_SECTION, ///< the contents at y = at, and the free distance along +y
    PICTURE_SLICE    ///< only the cut by the plane axis = at
} picture_kind_t;

typedef struct {
    picture_kind_t kind;
    int32_t axis;    ///< viewing axis: 2 from above, 1 along +y, 0 along -x
    float at;        ///< position of the section or slice on that axis
    int32_t hull;    ///< hull that the cells of a slice show; -1 = shapes only
    bounds_t window; ///< the part of the map to show
    float step;      ///< size of a cell; 0: derived from the size of the map
} picture_options_t;

typedef struct {
    picture_options_t options;
    bounds_t bounds; ///< of the world, cut to options.window
    int32_t columns, rows;
    svg_point_t corner;          ///< of the first cell
    float floor_min, floor_max;  ///< lowest and highest floor seen
    float *heights;              ///< floor height of every cell; NAN: none
    uint32_t *cells;             ///< colours
    int32_t num_floors, num_wet; ///< cells with a floor; cells with a liquid over the floor
} picture_t;

/// Returns the options for a whole map from above.
picture_options_t Picture_WholeMap(const cmap_t *map);

/// Samples the map. Fails if the options select nothing or memory is out.
bool Picture_Open(picture_t *picture, const cmap_t *map, const picture_options_t *options,
                  err_t *err);

void Picture_Close(picture_t *picture);

/// Projects a point of the map into the picture.
svg_point_t Picture_Point(const picture_t *picture, vec3_t place);

/// Returns the longer side of the picture; line widths and letters scale with it.
double Picture_Extent(const picture_t *picture);

/// Writes the cells, edges between floors that are too far apart for a step, and a height scale.
bool Picture_Write(const picture_t *picture, FILE *out);

#endif
