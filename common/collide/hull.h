/// collide/hull.h - a clip hull: a BSP of clipnodes that a point is swept through.
//
// Floor:   collide.
// Units:   qu, in the hull's own space (a box is already folded into the hull).
// Memory:  views of arrays that somebody else owns.
// Source:  facts of Quake's hulls; article 001.

#ifndef EDICTD_COLLIDE_HULL_H
#define EDICTD_COLLIDE_HULL_H

#include "state/trace.h"

/// A node of a hull. A child >= 0 is a node, a child < 0 is a contents_t. children[0] is in front.
typedef struct {
    int32_t plane;
    int32_t children[2];
} clipnode_t;

/// One hull. `root` is a node, or a contents_t when the whole space is one.
/// clip_mins/maxs: the box that was folded in; a box's own origin plus (mins - clip_mins) is the
/// point to sweep.
typedef struct {
    const clipnode_t *nodes;
    const plane_t *planes;
    int32_t root;
    vec3_t clip_mins, clip_maxs;
} hull_t;

/// The contents at a point; a point exactly on a plane is in front.
contents_t CM_HullPointContents(const hull_t *hull, vec3_t point);

/// Sweeps a point from start to end. trace.entnum stays TRACE_NOTHING.
trace_t CM_HullTrace(const hull_t *hull, vec3_t start, vec3_t end);

#endif
