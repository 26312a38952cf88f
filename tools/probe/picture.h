/// probe/picture.h - draws a map as a grid of coloured squares (cells): its floors from above, a
/// side view with depth (section), or a plane cut (slice).
//
// Units:   qu. The picture's x is the map's x; in a slice across x, it is the map's y. The
//          picture's y is the map's -y in a view from above, otherwise -z.
// Memory:  Picture_Open allocates heights and cells, Picture_Close frees them.

#ifndef EDICTD_PROBE_PICTURE_H
#define EDICTD_PROBE_PICTURE_H

#include "base/err.h"
#include "probe/column.h"
#include "probe/svg.h"

#define PICTURE_MAX_CELLS 1024 // maximum cells along each side

typedef enum {
    PICTURE_PLAN,    ///< the floors, seen from above
    PICTURE_SECTION, ///< contents at y = `at`, and the free distance along +y
    PICTURE_SLICE    ///< the cut of the map by the plane axis = `at`
} picture_kind_t;

typedef struct {
    picture_kind_t kind;
    int32_t axis;    ///< axis of view: 2 from above, 1 along +y, 0 along -x
    float at;        ///< position of the section or slice on this axis
    int32_t hull;    ///< hull whose contents a slice shows; -1 = only brushes and triangles
    bounds_t window; ///< the part of the map to show
    float step;      ///< side of a cell; 0 = chosen from the size of the map
} picture_options_t;

typedef struct {
    picture_options_t options;
    bounds_t bounds; ///< bounds of the world inside options.window
    int32_t columns, rows;
    svg_point_t corner;          ///< position of the first cell's corner
    float floor_min, floor_max;  ///< lowest and highest floor found
    float *heights;              ///< floor height of every cell; NAN = no floor
    uint32_t *cells;             ///< colour of every cell, 0xRRGGBB
    int32_t num_floors, num_wet; ///< cells with a floor; cells with a liquid on the floor
} picture_t;

/// Returns the options that show a whole map from above.
picture_options_t Picture_WholeMap(const cmap_t *map);

/// Computes the colour of each cell. Fails if options.window contains no part of the map or needs
/// too many cells, or if out of memory.
bool Picture_Open(picture_t *picture, const cmap_t *map, const picture_options_t *options,
                  err_t *err);

void Picture_Close(picture_t *picture);

/// Returns the position in the picture of a point of the map.
svg_point_t Picture_Point(const picture_t *picture, vec3_t place);

/// Returns the length of the picture's longer side, qu.
double Picture_Extent(const picture_t *picture);

/// Writes the picture as SVG. A view from above has a height scale, and lines along floor edges and
/// ledges higher than a step. Returns false if out of memory.
bool Picture_Write(const picture_t *picture, FILE *out);

#endif
