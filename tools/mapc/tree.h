/// mapc/tree.h - a BSP tree of space; each leaf has one contents.
//
// Memory:  the keep pool given.
// Source:  the usual recursive partition: space is split by the planes of the surfaces in it until
//          a cell has none. The cells also hold fragments of the brushes, so that their contents do
//          not depend on how well neighbouring surfaces meet.

#ifndef EDICTD_MAPC_TREE_H
#define EDICTD_MAPC_TREE_H

#include "collide/hull/hull.h"
#include "mapc/brush.h"

#define MC_MAX_TREE_NODES (1 << 20)
#define MC_MAX_TREE_DEPTH MAX_HULL_DEPTH

/// A node. A child is a node number, or -1 - the number of a leaf.
typedef struct {
    int32_t plane;       ///< of the table of planes (not a planeref_t)
    int32_t children[2]; ///< [0] is in front
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
    int32_t root;     ///< as a child
    dbounds_t bounds; ///< the brushes' box plus a margin
} mc_tree_t;

/// The brushes of a tree. Where brushes overlap, the higher MC_ContentsRank wins, then the later
/// brush. `background` fills the rest.
typedef struct {
    const mc_brush_t *brushes;
    int32_t count;
    contents_t background;
} mc_brushset_t;

/// Builds a tree.
void MC_BuildTree(mc_tree_t *tree, mc_pools_t *pools, const mc_planes_t *table, mc_brushset_t set);

/// Appends a leaf or a node. Returns it as a child.
int32_t MC_AddLeaf(mc_tree_t *tree, mc_pool_t *pool, contents_t contents);
int32_t MC_AddNode(mc_tree_t *tree, mc_pool_t *pool, int32_t plane);

/// Returns the leaf that contains a point.
int32_t MC_PointLeaf(const mc_tree_t *tree, dvec_t point);

/// Replaces nodes whose two sides are leafs of equal contents by one leaf, from the bottom up. Leaf
/// 0 becomes the only leaf of CONTENTS_SOLID. Numbers change; parents come before children.
void MC_PruneTree(mc_tree_t *tree, mc_pools_t *pools);

#endif
