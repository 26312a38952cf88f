/// mapc/brush.h - convex solids: from the planes of their sides to polygons and back.
//
// Floor:   tool. geom, winding, planes, mapfile, texture.
// Units:   qu.
// Memory:  the keep pool given; never changed after it was made. The temp pool is left as found.

#ifndef EDICTD_MAPC_BRUSH_H
#define EDICTD_MAPC_BRUSH_H

#include "mapc/mapfile.h"
#include "mapc/planes.h"
#include "mapc/winding.h"
#include "state/contents.h"

/// Corners nearer to a plane than this are on it, when a brush is shaped.
#define MC_BRUSH_EPSILON 1e-4 // qu

/// A side that shows: its plane faces outward.
typedef struct {
    planeref_t plane;
    const winding_t *winding;
} mc_side_poly_t;

typedef struct {
    mc_side_poly_t *sides; ///< without those that other sides hide
    int32_t num_sides;
    int32_t order; ///< place in the map: of equal rank the later brush has a place
    int32_t line;
    contents_t contents;
    dbounds_t bounds;
} mc_brush_t;

/// Why planes made no brush.
typedef enum { BRUSH_GOOD, BRUSH_NO_VOLUME, BRUSH_OPEN } mc_brush_fault_t;

/// The plane through three points as a .map file orders them. False when they lie on a line.
bool MC_PlaneFromPoints(const dvec_t points[3], dplane_t *plane);

/// Shapes the solid behind all of the planes (each once). `brush` gets sides and bounds.
mc_brush_fault_t MC_ShapeBrush(mc_pools_t *pools, const mc_planes_t *table, mc_brush_t *brush,
                               const planeref_t *planes, int32_t num_planes);

/// Makes a brush of the source's: planes shifted by -origin, contents by its textures' names.
/// False with a warning when it is none (open, flat, without sides).
bool MC_MakeBrush(mc_pools_t *pools, mc_planes_t *table, mc_report_t *report,
                  const mc_mapbrush_t *source, dvec_t origin, mc_brush_t *brush);

/// What the textures of a brush make it: its first face's name decides, except that any hint face
/// makes it a hint brush. Another contents on a later face is warned about.
contents_t MC_BrushContents(mc_report_t *report, const mc_mapbrush_t *source, bool halflife);

#endif
