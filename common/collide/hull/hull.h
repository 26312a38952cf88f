/// collide/hull/hull.h - a clip hull: a BSP of clipnodes that a point is swept through.
//
// Floor:   collide.
// Units:   qu, in the hull's own space (a box is already folded into the hull).
// Memory:  views of arrays that somebody else owns.
// Repeat:  bit-identical on every supported compiler (tests/golden/trace_room.txt).
// Source:  facts of Quake's hulls; article 001.

#ifndef EDICTD_COLLIDE_HULL_H
#define EDICTD_COLLIDE_HULL_H

#include "state/trace.h"

/// Longest way from a hull's root to a contents, in nodes. A loader refuses deeper maps: it is the
/// number of cut segments that a sweep has to remember at most.
#define MAX_HULL_DEPTH 1024

/// Times one sweep may be cut by planes. Real maps need some hundreds at most; a tree that shares
/// subtrees in a hostile way could need any number. Beyond it the sweep ends, as if in solid.
#define MAX_HULL_SPLITS 8192

/// A node of a hull: the plane's own distance and type stand in it, so that an axial plane costs no
/// second load. A child >= 0 is a node, a child < 0 is a contents_t. children[0] is in front.
//
//   byte  0         4         8           12          16
//         | plane   | dist    | children[0] | children[1] |      plane = index * 4 + plane_type_t
typedef struct {
    int32_t plane;
    float dist;
    int32_t children[2];
} clipnode_t;

_Static_assert(sizeof(clipnode_t) == 16, "four nodes fill a cache line");

/// The type that belongs to a normal: only the exact positive axes count.
static inline int32_t CM_PlaneType(vec3_t normal) {
    return VectorCompare(normal, Vector(1.0f, 0.0f, 0.0f))   ? PLANE_X
           : VectorCompare(normal, Vector(0.0f, 1.0f, 0.0f)) ? PLANE_Y
           : VectorCompare(normal, Vector(0.0f, 0.0f, 1.0f)) ? PLANE_Z
                                                             : PLANE_ANY;
}

/// A node on planes[plane], whose type must be right (CM_PlaneType).
static inline clipnode_t CM_ClipNode(const plane_t *planes, int32_t plane, int32_t front,
                                     int32_t back) {
    return (clipnode_t){plane * 4 + planes[plane].type, planes[plane].dist, {front, back}};
}

/// The index of a node's plane.
static inline int32_t CM_ClipNodePlane(const clipnode_t *node) {
    return node->plane >> 2;
}

typedef struct hull_cells hull_cells_t; // cells.h

/// One hull. `root` is a node, or a contents_t when the whole space is one.
/// clip_mins/maxs: the box that was folded in; a box's own origin plus (mins - clip_mins) is the
/// point to sweep. cells: for short sweeps; NULL = none.
typedef struct {
    const clipnode_t *nodes;
    const plane_t *planes;
    int32_t root;
    vec3_t clip_mins, clip_maxs;
    const hull_cells_t *cells;
} hull_t;

/// The contents at a point; a point exactly on a plane is in front.
contents_t CM_HullPointContents(const hull_t *hull, vec3_t point);

/// Sweeps a point from start to end. It stops CM_DIST_EPSILON before the first plane behind which
/// there is solid. A sweep that starts in solid may leave it, and is stopped by the next solid
/// after that; one that never leaves it is allsolid. trace.entnum stays TRACE_NOTHING. Where a hit
/// is reported, endpos is not solid in the hull, unless even backing up to where the sweep crossed
/// the plane before did not get out of it.
trace_t CM_HullTrace(const hull_t *hull, vec3_t start, vec3_t end);

#endif
