/// mapc/tree.h - a BSP tree that divides space into leafs of one contents each.
//
// Memory:  from the keep pool given.
// Source:  the usual recursive partition: a cell is split by the planes of the surfaces in it until
//          it has none. Cells also contain fragments of the brushes, so that their contents do not
//          depend on how well neighbouring surfaces meet.

#ifndef EDICTD_MAPC_TREE_H
#define EDICTD_MAPC_TREE_H

#include "collide/hull/hull.h"
#include "mapc/brush.h"

#define MC_MAX_TREE_NODES (1 << 20)
#define MC_MAX_TREE_DEPTH MAX_HULL_DEPTH

/// A node. A child is a node number, or -1 - n for leaf n.
typedef struct {
    int32_t plane;       ///< number in the table of planes (not a planeref_t)
    int32_t children[2]; ///< [0] is in front of the plane
    dbounds_t bounds;    ///< filled by MC_FindCells
} mc_node_t;

typedef struct {
    contents_t contents;
    dbounds_t bounds; ///< filled by MC_FindCells
} mc_leaf_t;

typedef struct {
    const mc_planes_t *table;
    mc_node_t *nodes;
    mc_leaf_t *leafs;
    size_t num_nodes, num_leafs, node_room, leaf_room;
    int32_t root;     ///< a node or leaf, numbered as a child
    dbounds_t bounds; ///< bounds of the brushes plus a margin
} mc_tree_t;

/// The brushes of a tree. Where they overlap, the higher MC_ContentsRank wins, then the later
/// brush. `background`: contents of the space without a brush.
typedef struct {
    const mc_brush_t *brushes;
    int32_t count;
    contents_t background;
} mc_brushset_t;

void MC_BuildTree(mc_tree_t *tree, mc_pools_t *pools, const mc_planes_t *table, mc_brushset_t set);

/// Add a leaf or a node, and return it numbered as a child.
int32_t MC_AddLeaf(mc_tree_t *tree, mc_pool_t *pool, contents_t contents);
int32_t MC_AddNode(mc_tree_t *tree, mc_pool_t *pool, int32_t plane);

/// Returns the number of the leaf that contains a point.
int32_t MC_PointLeaf(const mc_tree_t *tree, dvec_t point);

/// Replaces each node whose two sides are leafs of equal contents by one leaf, from the bottom up.
/// Leaf 0 becomes the only leaf of CONTENTS_SOLID. Nodes are renumbered, parents before children.
void MC_PruneTree(mc_tree_t *tree, mc_pools_t *pools);

#endif
