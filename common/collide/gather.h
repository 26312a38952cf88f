/// collide/gather.h - the surroundings of a pusher, found once for the many questions of its moves.
//
// Floor:   collide.
// Units:   qu.
// Memory:  a gather is plain data of its caller's, 5 KiB, good for as long as the map is loaded; no
//          allocation.
// Repeat:  who asks a gather gets the bits that he would get from the map, however it was made.
//
//     +------- box -------+     The cell of the hull that the pusher is in is remembered, and the
//     |      |   o        |     box that its tree is good for (cells.h). What begins and ends in
//     |      |____________|     the box is asked of that; all else, and what has no cell, of the map.
//     |######|############|     Of a world of triangles, those in the box (mesh_gather.h).
//     +-------------------+

#ifndef EDICTD_COLLIDE_GATHER_H
#define EDICTD_COLLIDE_GATHER_H

#include "collide/cmodel.h"
#include "collide/hull/cells.h"
#include "collide/mesh/mesh_gather.h"

/// A cell of a hull. Bounds are x, y, z, and any fraction; mins > maxs: it holds nothing.
typedef struct {
    float4_t mins, maxs;
    const few_nodes_t *few;
    const hull_cells_t *cells;
    const plane_t *planes;
} gathered_hull_t;

typedef struct {
    const cmap_t *map;
    vec3_t mins, maxs; ///< the box that moves
    int32_t solids;
    float4_t box_mins, box_maxs; ///< the same box: x, y, z, 0
    gathered_hull_t hull;        ///< for its origin
    gathered_hull_t points;      ///< hull 0
    segment_t asked;             ///< the last sweep of the box in its hull ...
    trace_t answer;              ///< ... and its answer: a move often begins as one before ended
    /// Of a world of triangles, its mesh that stops boxes, the box that its origin was in when they
    /// were collected, and they: of those that were too many, none.
    bounds_t places;
    bool is_sole, is_dry; ///< no other mesh stops boxes; no point is in anything
    mesh_gather_t triangles;
} cm_gather_t;

/// An empty gather: all is asked of the map. It must begin anew before the map is freed.
void CM_GatherBegin(cm_gather_t *gather, const cmap_t *map, int32_t solids);

/// Makes sure that the surroundings of a box that moves through model 0 are found. Costs nothing
/// while the origin stays well within those that are there, else less than a short sweep; of
/// triangles about as much as two, every few steps of a running player. Boxes that go by brushes,
/// and maps whose points do, get none: they are asked of the map. The gather has begun.
void CM_Gather(cm_gather_t *gather, const cmap_t *map, int32_t solids, vec3_t origin, vec3_t mins,
               vec3_t maxs);

/// Makes a gather of what lies in a box, which is told by who knows how far he will ask, of a world of
/// triangles. False: it is none, or they are more than fit; then the gather is of no use.
bool CM_GatherTriangles(cm_gather_t *gather, const cmap_t *map, int32_t solids, bounds_t box);

/// As CM_BoxTrace of model 0, unturned and unmoved, with the map and the solids of the gather.
trace_t CM_GatherTrace(cm_gather_t *gather, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs);

/// As CM_PointContents of model 0.
contents_t CM_GatherContents(const cm_gather_t *gather, vec3_t point);

/// As CM_Overlap of model 0, unturned and unmoved, with the map and the solids of the gather.
int32_t CM_GatherOverlap(const cm_gather_t *gather, bounds_t box, cm_contact_t *contacts,
                         int32_t max);

#endif
