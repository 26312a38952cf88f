/// mapc/winding.h - convex polygons (windings), and functions that cut them by planes.
//
// Memory:  from the caller's pool. A winding is not changed after creation.
// Repeat:  a plane cuts a common edge of two polygons at bit-identical points.

#ifndef EDICTD_MAPC_WINDING_H
#define EDICTD_MAPC_WINDING_H

#include "mapc/geom.h"
#include "mapc/pool.h"

/// A polygon, counter-clockwise if seen from the front of the plane.
typedef struct {
    int32_t num_points;
    dvec_t points[];
} winding_t;

/// Position of a polygon: in front of a plane, behind it, in it, or on both sides.
typedef enum { MC_SIDE_FRONT, MC_SIDE_BACK, MC_SIDE_ON, MC_SIDE_CROSS } mc_side_t;

/// Returns a square in the plane that is larger than any map.
winding_t *MC_PlaneWinding(mc_pool_t *pool, const dplane_t *plane);

/// Computes the smallest and largest distance of the polygon's points from a plane.
void MC_WindingRange(const winding_t *winding, const dplane_t *plane, double *lo, double *hi);

/// Returns a polygon's side of the plane. Points within `epsilon` count as in the plane.
mc_side_t MC_WindingSide(const winding_t *winding, const dplane_t *plane, double epsilon);

/// Splits a polygon by a plane. parts[0]: front part or NULL. parts[1]: back part or NULL. Returns
/// the whole polygon's side of the plane.
mc_side_t MC_SplitWinding(mc_pool_t *pool, const winding_t *winding, const dplane_t *plane,
                          double epsilon, const winding_t *parts[2]);

/// Returns the part of a polygon behind or in a plane, or NULL if there is none.
const winding_t *MC_ClipWinding(mc_pool_t *pool, const winding_t *winding, const dplane_t *plane,
                                double epsilon);

winding_t *MC_CopyWinding(mc_pool_t *pool, const winding_t *winding);

/// Returns the area in square qu.
double MC_WindingArea(const winding_t *winding);

/// Returns the approximate width of a long, thin polygon: 2 * area / perimeter.
double MC_WindingWidth(const winding_t *winding);

/// Returns the mean of the polygon's points.
dvec_t MC_WindingCenter(const winding_t *winding);

#endif
