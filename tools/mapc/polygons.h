/// mapc/polygons.h - the parts of brush sides that can be seen, before they become faces.
//
// Memory:  allocated from pools->keep.

#ifndef EDICTD_MAPC_POLYGONS_H
#define EDICTD_MAPC_POLYGONS_H

#include "mapc/entities.h"
#include "mapc/texinfo.h"
#include "mapc/tree.h"

/// A visible part of a brush side, within the cell of the node whose plane contains it.
typedef struct {
    const winding_t *winding;
    planeref_t plane; ///< of the node, facing as the side does
    int32_t node;     ///< number in the tree
    int32_t texinfo;
} mc_polygon_t;

typedef struct {
    mc_polygon_t *polygons;
    size_t count, room;
} mc_polygons_t;

/// A model with its tree of hull 0, and the surfaces of its brushes.
typedef struct {
    const mc_tree_t *tree;
    const mc_brush_t *brushes;
    mc_surfaces_t surfaces;
    dvec_t origin;
} mc_solid_t;

/// Finds the polygons of a model, sorted by node. Sides in solid or sky have none. The surface of a
/// liquid has a second polygon, which faces into the liquid.
void MC_FindPolygons(mc_polygons_t *out, mc_pools_t *pools, mc_texinfos_t *texinfos,
                     const mc_solid_t *solid);

/// Merges polygons of the same node, plane and texture if the result is convex.
void MC_MergePolygons(mc_polygons_t *list, mc_pools_t *pools, const mc_planes_t *table);

/// Splits polygons that are larger than 16 samples of a light map, which is the maximum of engines.
/// Polygons of special textures stay whole.
void MC_SubdividePolygons(mc_polygons_t *list, mc_pools_t *pools, mc_texinfos_t *texinfos);

#endif
