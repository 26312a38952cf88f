/// mapc/drawing.h - the faces of a map, with vertices, edges and lists of visible faces.
//
// Memory:  from the pool passed to MC_InitDrawing.
// Source:  the format of Quake's maps; a face is clockwise as seen from its front.

#ifndef EDICTD_MAPC_DRAWING_H
#define EDICTD_MAPC_DRAWING_H

#include "mapc/polygons.h"
#include "mapc/wads.h"

/// Vertices within this distance are one vertex. A vertex this close to an edge is on the edge.
#define MC_WELD_EPSILON 0.02 // qu

typedef struct {
    int32_t vertices[2];
} mc_edge_t;

typedef struct {
    planeref_t plane;
    int32_t texinfo;
    int32_t first_edge, num_edges; ///< in the list of edge references
} mc_outface_t;

/// `surfedges`: edge n, or -n for edge n from its second vertex to its first. Edge 0 is not used.
typedef struct {
    mc_pool_t *pool;
    dvec_t *vertices;
    mc_edge_t *edges;
    int32_t *surfedges;
    mc_outface_t *faces;
    int32_t *marks; ///< face numbers, leaf by leaf
    size_t num_vertices, num_edges, num_surfedges, num_faces, num_marks;
    size_t vertex_room, edge_room, surfedge_room, face_room, mark_room;
    mc_texinfos_t texinfos;
    const mc_wads_t *wads; ///< for the textures
} mc_drawing_t;

/// Starts a drawing with edge 0.
void MC_InitDrawing(mc_drawing_t *drawing, mc_pool_t *pool);

/// Adds the faces of a model's polygons, and mends T-junctions: each vertex on an edge of another
/// face becomes a vertex of that face. first[i] receives the number of the first face of polygon i,
/// first[count] the number of faces.
void MC_AddFaces(mc_drawing_t *drawing, mc_pools_t *pools, const mc_polygons_t *polygons,
                 int32_t *first);

#endif
