/// mapc/brush.h - makes brushes: convex solids with a polygon on each side.
//
// Memory:  allocated from pools->keep.

#ifndef EDICTD_MAPC_BRUSH_H
#define EDICTD_MAPC_BRUSH_H

#include "mapc/mapfile.h"
#include "mapc/planes.h"
#include "mapc/winding.h"
#include "state/contents.h"

/// Corners within this distance of a plane count as in the plane.
#define MC_BRUSH_EPSILON 1e-4 // qu

/// A side with a polygon. The plane faces outward.
typedef struct {
    planeref_t plane;
    const winding_t *winding;
    const mc_face_t *source; ///< NULL for a side that is not in the source
} mc_side_poly_t;

typedef struct {
    mc_side_poly_t *sides; ///< only sides that have a polygon
    int32_t num_sides;
    int32_t order; ///< position in the map; of two brushes of equal rank the later wins
    int32_t line;
    contents_t contents;
    dbounds_t bounds;
} mc_brush_t;

typedef enum { BRUSH_GOOD, BRUSH_NO_VOLUME, BRUSH_OPEN } mc_brush_fault_t;

/// Computes the plane through three points. They are clockwise as seen from the plane's front.
/// Returns false if they are collinear.
bool MC_PlaneFromPoints(const dvec_t points[3], dplane_t *plane);

/// Computes the sides and bounds of the solid behind all planes. `planes` has no duplicates.
mc_brush_fault_t MC_ShapeBrush(mc_pools_t *pools, const mc_planes_t *table, mc_brush_t *brush,
                               const planeref_t *planes, int32_t num_planes);

/// Makes a brush, relative to `origin`. Warns and returns false if the brush is open, flat or
/// without sides.
bool MC_MakeBrush(mc_pools_t *pools, mc_planes_t *table, mc_report_t *report,
                  const mc_mapbrush_t *source, dvec_t origin, mc_brush_t *brush);

/// Returns the contents of a brush. A hint or origin texture decides, otherwise the first side.
/// Warns about sides with other contents.
contents_t MC_BrushContents(mc_report_t *report, const mc_mapbrush_t *source, bool halflife);

#endif
