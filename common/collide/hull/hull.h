/// collide/hull/hull.h - a clip hull: a BSP of clip nodes through which a point is swept.
//
// Units:   qu, in hull space. The hull is expanded by a box, so that a point is swept.
// Memory:  views of the map's arrays.
// Repeat:  bit-identical on every supported compiler (tests/golden/trace_room.txt).
// Source:  docs/physics.md, article 001.

#ifndef EDICTD_COLLIDE_HULL_H
#define EDICTD_COLLIDE_HULL_H

#include "state/trace.h"

/// Maximum depth of a hull, nodes. Loaders reject deeper maps.
#define MAX_HULL_DEPTH 1024

/// Maximum number of planes that cut one sweep. A sweep cut by more ends as if in solid. Real maps
/// need some hundreds.
#define MAX_HULL_SPLITS 8192

/// A node of a hull. A child < 0 is a contents_t. children[0] is the front. `dist` and the type are
/// copies of the plane's, to save a load.
///
///   byte  0         4         8           12          16
///         | plane   | dist    | children[0] | children[1] |      plane = index * 4 + plane_type_t
typedef struct {
    int32_t plane;
    float dist;
    int32_t children[2];
} clipnode_t;

_Static_assert(sizeof(clipnode_t) == 16, "four nodes fill a cache line");

/// Makes a node. The type of planes[plane] must be PlaneType's.
static inline clipnode_t CM_ClipNode(const plane_t *planes, int32_t plane, int32_t front,
                                     int32_t back) {
    return (clipnode_t){plane * 4 + planes[plane].type, planes[plane].dist, {front, back}};
}

static inline int32_t CM_ClipNodePlane(const clipnode_t *node) {
    return node->plane >> 2;
}

typedef struct hull_cells hull_cells_t; // cells.h

/// A hull for the box clip_mins..clip_maxs. To sweep another box, sweep the point origin + (mins -
/// clip_mins). `root`: a node or contents_t. `cells`: for short sweeps, or NULL.
typedef struct hull_s {
    const clipnode_t *nodes;
    const plane_t *planes;
    int32_t root;
    vec3_t clip_mins, clip_maxs;
    const hull_cells_t *cells;
} hull_t;

/// Returns the contents at a point. A point on a plane is in front.
contents_t CM_HullPointContents(const hull_t *hull, vec3_t point);

/// Sweeps a point. Stops CM_DIST_EPSILON before the first solid. If the sweep starts in solid and
/// never leaves it, allsolid is set. entnum is TRACE_NOTHING.
trace_t CM_HullTrace(const hull_t *hull, vec3_t start, vec3_t end);

#endif
