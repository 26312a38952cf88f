/// collide/mesh_tree.h - the tree of boxes over triangles, eight to a node. Inside of collide/ only.
//
// Floor:   collide.
// Memory:  malloc'ed; MeshTree_Free.

#ifndef EDICTD_COLLIDE_MESH_TREE_H
#define EDICTD_COLLIDE_MESH_TREE_H

#include "collide/mesh_lanes.h"
#include "collide/mesh_layout.h"

/// A triangle's box: three floats each, the fourth is not used.
typedef union {
    lanes_t v;
    float f[4];
} tree_corner_t;

typedef struct {
    tree_corner_t lo, hi;
} tree_box_t;

/// Triangles of the order list, at most MESH_WIDTH: a block.
typedef struct {
    int32_t first, count;
} tree_leaf_t;

typedef struct {
    tree_box_t *boxes; ///< of the triangles, by their numbers; sorted along with the order
    int32_t *order;    ///< the triangles' numbers in the order of the leafs
    mesh_node_t *nodes;
    tree_leaf_t *leafs;
    int32_t num_triangles, num_nodes, num_leafs;
    int32_t room_nodes, room_leafs;
} mesh_tree_t;

/// Room for a tree of so many triangles; the caller fills in boxes. False: no memory.
bool MeshTree_Init(mesh_tree_t *tree, int32_t num_triangles);

/// Makes nodes and leafs. False: no memory.
bool MeshTree_Make(mesh_tree_t *tree);

void MeshTree_Free(mesh_tree_t *tree);

#endif
