/// collide/gather.h - the surroundings of a mover, collected once for the many questions of its moves.
//
// Floor:   collide.
// Units:   qu.
// Memory:  a gather is plain data of its caller's, 1 KiB, good for as long as the map is loaded; no
//          allocation.
// Repeat:  who asks a gather gets the bits that he would get from the map, however it was made.
//
//     +------ reach ------+     The nodes of the hull whose planes cut the box are copied into the
//     |      |   o        |     gather, usually one to five of the twenty on the way down. What
//     |      |____________|     begins and ends in the box is asked of those; all else, and what
//     |######|############|     does not fit, of the map.
//     +-------------------+

#ifndef EDICTD_COLLIDE_GATHER_H
#define EDICTD_COLLIDE_GATHER_H

#include "collide/cmodel.h"
#include "collide/float4.h"

#define MAX_GATHER_NODES 24

/// A hull around a place. Bounds are x, y, z, and any fraction; mins > maxs: it holds nothing.
typedef struct {
    float4_t mins, maxs;
    const plane_t *planes;
    int32_t root, num_nodes;
    clipnode_t nodes[MAX_GATHER_NODES];
} gathered_hull_t;

typedef struct {
    const cmap_t *map;
    vec3_t mins, maxs; ///< the box that moves
    int32_t solids;
    gathered_hull_t hull;   ///< for its origin
    gathered_hull_t points; ///< hull 0
} cm_gather_t;

/// An empty gather: all is asked of the map. It must begin anew before the map is freed.
void CM_GatherBegin(cm_gather_t *gather, const cmap_t *map, int32_t solids);

/// Makes sure that the surroundings of a box that moves through model 0 are collected. Costs nothing
/// while the origin stays well within those that are there; else about as much as four short sweeps,
/// every few steps of a running player. Boxes that go by brushes or triangles, and maps whose points
/// do, get none: they are asked of the map. The gather has begun (CM_GatherBegin).
void CM_Gather(cm_gather_t *gather, const cmap_t *map, int32_t solids, vec3_t origin, vec3_t mins,
               vec3_t maxs);

/// As CM_BoxTrace of model 0, unturned and unmoved, with the map and the solids of the gather.
trace_t CM_GatherTrace(const cm_gather_t *gather, vec3_t start, vec3_t end, vec3_t mins,
                       vec3_t maxs);

/// As CM_PointContents of model 0.
contents_t CM_GatherContents(const cm_gather_t *gather, vec3_t point);

#endif
