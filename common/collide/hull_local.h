/// collide/hull_local.h - the walk down a hull's tree, or a part of one. Inside of collide/ only.
//
// Floor:   collide.

#ifndef EDICTD_COLLIDE_HULL_LOCAL_H
#define EDICTD_COLLIDE_HULL_LOCAL_H

#include "collide/hull.h"
#include "collide/segment.h"

/// The hull's own nodes, or those of a piece of it.
typedef struct {
    const clipnode_t *nodes;
    const plane_t *planes;
    int32_t root;
} hull_tree_t;

/// As CM_HullTrace and CM_HullPointContents.
trace_t CM_TraceTree(hull_tree_t tree, const segment_t *whole);
contents_t CM_TreeContents(hull_tree_t tree, const sweep_point_t *point);

#endif
