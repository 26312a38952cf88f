/// mapc/brush.h - makes convex solids (brushes): computes a polygon for each plane.
//
// Memory:  from the keep pool given; brushes are not changed later. Temporary memory is released.

#ifndef EDICTD_MAPC_BRUSH_H
#define EDICTD_MAPC_BRUSH_H

#include "mapc/mapfile.h"
#include "mapc/planes.h"
#include "mapc/winding.h"
#include "state/contents.h"

/// Corners within this distance of a plane count as in the plane.
#define MC_BRUSH_EPSILON 1e-4 // qu

/// A side with its polygon. The plane faces outward.
typedef struct {
    planeref_t plane;
    const winding_t *winding;
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

/// Computes the plane through three points in the order of a .map file. Returns false if they are
/// collinear.
bool MC_PlaneFromPoints(const dvec_t points[3], dplane_t *plane);

/// Computes sides and bounds of the solid behind all planes. Each plane may occur only once.
mc_brush_fault_t MC_ShapeBrush(mc_pools_t *pools, const mc_planes_t *table, mc_brush_t *brush,
                               const planeref_t *planes, int32_t num_planes);

/// Makes a brush from source text: planes shifted by -origin, contents from texture names. Returns
/// false with a warning if the brush is open, flat or without sides.
bool MC_MakeBrush(mc_pools_t *pools, mc_planes_t *table, mc_report_t *report,
                  const mc_mapbrush_t *source, dvec_t origin, mc_brush_t *brush);

/// Returns the contents of a brush. The first side's texture decides, but a hint or origin texture
/// on any side decides for the whole brush. Warns about sides with other contents.
contents_t MC_BrushContents(mc_report_t *report, const mc_mapbrush_t *source, bool halflife);

#endif
