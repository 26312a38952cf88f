/// mapc/winding.h - convex polygons and cutting them by planes.
//
// Memory:  from the caller's pool. A winding is not changed after creation: a half that was not cut
//          is the parent's winding.
// Repeat:  a crossing is always computed from the edge's front end to its back end, so polygons
//          with a common edge get bit-identical points.

#ifndef EDICTD_MAPC_WINDING_H
#define EDICTD_MAPC_WINDING_H

#include "mapc/geom.h"
#include "mapc/pool.h"

/// A polygon, counter-clockwise if seen from the front of its plane.
typedef struct {
    int32_t num_points;
    dvec_t points[];
} winding_t;

/// The position of a polygon relative to a plane.
typedef enum { MC_SIDE_FRONT, MC_SIDE_BACK, MC_SIDE_ON, MC_SIDE_CROSS } mc_side_t;

/// Returns a square in the plane with sides of 4 * MC_MAX_COORD. Its centre is the plane's point
/// nearest to the origin.
winding_t *MC_PlaneWinding(mc_pool_t *pool, const dplane_t *plane);

/// Computes the smallest and largest distance of the polygon's points from a plane.
void MC_WindingRange(const winding_t *winding, const dplane_t *plane, double *lo, double *hi);

/// Returns the position of a polygon. Points within `epsilon` of the plane count as in the plane.
mc_side_t MC_WindingSide(const winding_t *winding, const dplane_t *plane, double epsilon);

/// Splits a polygon into the parts in front and behind; NULL: no part. A polygon in the plane has
/// no parts. Returns the position of the whole polygon.
mc_side_t MC_SplitWinding(mc_pool_t *pool, const winding_t *winding, const dplane_t *plane,
                          double epsilon, const winding_t *parts[2]);

/// Returns the part behind a plane, or NULL. A polygon in the plane is returned whole.
const winding_t *MC_ClipWinding(mc_pool_t *pool, const winding_t *winding, const dplane_t *plane,
                                double epsilon);

winding_t *MC_CopyWinding(mc_pool_t *pool, const winding_t *winding);

/// Returns the area in square qu.
double MC_WindingArea(const winding_t *winding);

/// Returns twice the area divided by the perimeter. This is nearly the width of a long strip.
double MC_WindingWidth(const winding_t *winding);

/// Returns the mean of the points, which is inside the polygon.
dvec_t MC_WindingCenter(const winding_t *winding);

#endif
