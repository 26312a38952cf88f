/// collide/mesh/mesh_tree.h - the tree of boxes over triangles, eight to a node. Inside of collide/ only.
//
// Floor:   collide.
// Memory:  malloc'ed; MeshTree_Free.

#ifndef EDICTD_COLLIDE_MESH_TREE_H
#define EDICTD_COLLIDE_MESH_TREE_H

#include "collide/mesh/mesh_lanes.h"
#include "collide/mesh/mesh_layout.h"

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

/// A part of the triangles, and the two parts it is cut into.
typedef struct {
    tree_box_t box;
    int32_t first,
        count;     ///< triangles of the order list; `first` of those that are cut: order_forks
    int32_t ahead; ///< its first half, the other is the next; 0: not cut
    // How it becomes nodes: see weigh_fork.
    bool is_node;
    uint8_t shares[MESH_WIDTH + 1]; ///< of so many children its first half's; 0: one less is better
    float costs[MESH_WIDTH];        ///< of at most so many children
} fork_t;

typedef struct {
    tree_box_t *boxes; ///< of the triangles, by their numbers; sorted along with the order
    int32_t *order;    ///< the triangles' numbers in the order of the leafs
    fork_t *forks;     ///< the first is the root; the others in pairs, each two a fork's halves
    int32_t *sequence; ///< the forks, each before its halves
    mesh_node_t *nodes;
    tree_leaf_t *leafs;
    int32_t num_triangles, num_forks, num_nodes, num_leafs;
    int32_t room_forks, room_nodes, room_leafs;
} mesh_tree_t;

/// Room for a tree of so many triangles; the caller fills in boxes. False: no memory.
bool MeshTree_Init(mesh_tree_t *tree, int32_t num_triangles);

/// Takes each fork out and puts it where it costs least, several times (mesh_reinsert.c). False: no
/// memory.
bool MeshTree_Reinsert(mesh_tree_t *tree);

/// Half the surface of a box: how likely it is met.
static inline float MeshTree_HalfSurface(const tree_box_t *box) {
    tree_corner_t d = {box->hi.v - box->lo.v};
    return d.f[0] * d.f[1] + d.f[1] * d.f[2] + d.f[2] * d.f[0];
}

/// Makes nodes and leafs. False: no memory.
bool MeshTree_Make(mesh_tree_t *tree);

void MeshTree_Free(mesh_tree_t *tree);

#endif
