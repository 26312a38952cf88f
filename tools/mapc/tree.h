/// mapc/tree.h - builds a BSP tree. Each leaf has one kind of contents, such as solid or water.
//
// Memory:  allocated from pools->keep.
// Source:  the usual recursive partition by the planes of surfaces.

#ifndef EDICTD_MAPC_TREE_H
#define EDICTD_MAPC_TREE_H

#include "collide/hull/hull.h"
#include "mapc/faces.h"

#define MC_MAX_TREE_NODES (1 << 20)
#define MC_MAX_TREE_DEPTH MAX_HULL_DEPTH

#define MC_SEES_ALL (-1)

/// A node. A child is a node number, or -1 - n for leaf n.
typedef struct {
    int32_t plane;       ///< number in the table of planes (not a planeref_t)
    int32_t children[2]; ///< [0] is in front of the plane
    dbounds_t bounds;    ///< filled by MC_FindCells
} mc_node_t;

typedef struct {
    contents_t contents;
    dbounds_t bounds;              ///< filled by MC_FindCells
    int32_t vis_row;               ///< offset in the visibility; MC_SEES_ALL = none
    int32_t first_mark, num_marks; ///< faces in the leaf; filled by MC_DrawModel
} mc_leaf_t;

typedef struct {
    const mc_planes_t *table;
    mc_node_t *nodes;
    mc_leaf_t *leafs;
    size_t num_nodes, num_leafs, node_room, leaf_room;
    int32_t root;           ///< a node or leaf, numbered as a child
    dbounds_t bounds;       ///< bounds of the brushes plus a margin
    mc_surfaces_t surfaces; ///< of the brushes that the tree was built from
} mc_tree_t;

/// The brushes of a tree. Where they overlap, the higher MC_ContentsRank wins, then the later
/// brush. `background`: contents of the space without a brush.
typedef struct {
    const mc_brush_t *brushes;
    int32_t count;
    contents_t background;
} mc_brushset_t;

void MC_BuildTree(mc_tree_t *tree, mc_pools_t *pools, const mc_planes_t *table, mc_brushset_t set);

/// Add a leaf or a node. Return its number: -1 - n for leaf n, n for node n.
int32_t MC_AddLeaf(mc_tree_t *tree, mc_pool_t *pool, contents_t contents);
int32_t MC_AddNode(mc_tree_t *tree, mc_pool_t *pool, int32_t plane);

/// Returns the number of the leaf that contains a point.
int32_t MC_PointLeaf(const mc_tree_t *tree, dvec_t point);

/// Merges neighbouring leafs of equal contents if they have the same parent. All solid leafs
/// become leaf 0. Renumbers the nodes.
void MC_PruneTree(mc_tree_t *tree, mc_pools_t *pools);

#endif
