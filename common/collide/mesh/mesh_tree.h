/// collide/mesh/mesh_tree.h - builds the tree of boxes over triangles. Private to collide/mesh/.
//
// Memory:  malloc'ed; MeshTree_Free frees it.

#ifndef EDICTD_COLLIDE_MESH_TREE_H
#define EDICTD_COLLIDE_MESH_TREE_H

#include "collide/lanes.h"
#include "collide/mesh/mesh_layout.h"

/// A bounding box; the fourth lane is not used.
typedef struct {
    lanes_t lo, hi;
} tree_box_t;

/// A leaf: `count` (at most MESH_WIDTH) entries of `order` from `first` on.
typedef struct {
    int32_t first, count;
} tree_leaf_t;

typedef struct {
    tree_box_t box;
    int32_t first, count; ///< range in `order`; during the build valid only in leafs
    int32_t children;     ///< first child; the second follows; 0 = a leaf
    // The cheapest conversion to nodes of eight children, computed by weigh() in mesh_tree.c.
    bool is_node;
    uint8_t shares[MESH_WIDTH + 1]; ///< [n]: how many of n children the first gets; 0 = as n - 1
    float costs[MESH_WIDTH];        ///< [n]: cost of the branch as at most n nodes or blocks
} branch_t;

typedef struct {
    tree_box_t *boxes;  ///< boxes of the triangles, sorted as `order`
    int32_t *order;     ///< triangle numbers in the order of the leafs
    branch_t *branches; ///< the first is the root
    mesh_node_t *nodes;
    tree_leaf_t *leafs;
    int32_t num_triangles, num_branches, num_nodes, num_leafs;
    int32_t max_branches, max_nodes, max_leafs;
} mesh_tree_t;

/// Allocates a tree; set `boxes` next. Returns false if out of memory.
bool MeshTree_Init(mesh_tree_t *tree, int32_t num_triangles);

/// Moves each branch to its cheapest position. Returns false if out of memory.
bool MeshTree_Reinsert(mesh_tree_t *tree);

static inline tree_box_t MeshTree_Union(const tree_box_t *a, const tree_box_t *b) {
    return (tree_box_t){Lanes_Min(a->lo, b->lo), Lanes_Max(a->hi, b->hi)};
}

/// Returns half the surface of a box, an estimate of its cost.
static inline float MeshTree_HalfSurface(const tree_box_t *box) {
    lanes_t d = box->hi - box->lo;
    return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
}

/// Makes nodes and leafs. Returns false if out of memory.
bool MeshTree_Make(mesh_tree_t *tree);

void MeshTree_Free(mesh_tree_t *tree);

#endif
