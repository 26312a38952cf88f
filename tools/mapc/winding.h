/// mapc/winding.h - convex polygons in a plane, cut by other planes.
//
// Floor:   tool. geom, pool.
// Units:   qu.
// Memory:  from the caller's pool; a winding is never changed after it was made, so halves that
//          were not cut share their parent's.
// Repeat:  the crossing of an edge is always computed from its front end to its back end, so two
//          polygons that share an edge get bit-identical points.

#ifndef EDICTD_MAPC_WINDING_H
#define EDICTD_MAPC_WINDING_H

#include "mapc/geom.h"
#include "mapc/pool.h"

/// A polygon, counter-clockwise seen from the front of its plane.
typedef struct {
    int32_t num_points;
    dvec_t points[];
} winding_t;

/// Where a polygon lies relative to a plane.
typedef enum { MC_SIDE_FRONT, MC_SIDE_BACK, MC_SIDE_ON, MC_SIDE_CROSS } mc_side_t;

/// A square in the plane whose sides are 4 * MC_MAX_COORD long, around the point of the plane
/// nearest to the origin.
winding_t *MC_PlaneWinding(mc_pool_t *pool, const dplane_t *plane);

/// The smallest and largest distance of the polygon's points from a plane.
void MC_WindingRange(const winding_t *winding, const dplane_t *plane, double *lo, double *hi);

/// Where it lies; points within `epsilon` of the plane are on it.
mc_side_t MC_WindingSide(const winding_t *winding, const dplane_t *plane, double epsilon);

/// Cuts a polygon. The parts in front and behind (NULL = none); one that lies in the plane has
/// neither. Returns where the whole one lay.
mc_side_t MC_SplitWinding(mc_pool_t *pool, const winding_t *winding, const dplane_t *plane,
                          double epsilon, const winding_t *parts[2]);

/// The part behind a plane, or NULL. A polygon in the plane is kept whole.
const winding_t *MC_ClipWinding(mc_pool_t *pool, const winding_t *winding, const dplane_t *plane,
                                double epsilon);

/// The same polygon seen from the other side.
winding_t *MC_ReverseWinding(mc_pool_t *pool, const winding_t *winding);

/// A copy.
winding_t *MC_CopyWinding(mc_pool_t *pool, const winding_t *winding);

/// Area in square qu.
double MC_WindingArea(const winding_t *winding);

/// Twice the area over the perimeter: the width of a long strip, the radius of a disc.
double MC_WindingWidth(const winding_t *winding);

/// The mean of the points (inside, as the polygon is convex).
dvec_t MC_WindingCenter(const winding_t *winding);

#endif
