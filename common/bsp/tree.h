/// bsp/tree.h - checks trees of nodes from a file, and orders their nodes for fast walks.
//
// Private to bsp/.
// Memory:  temporary arrays, freed before return.

#ifndef EDICTD_BSP_TREE_H
#define EDICTD_BSP_TREE_H

#include "collide/cmap.h"

typedef enum {
    TREE_GOOD,
    TREE_LOOP,     ///< a node is its own descendant
    TREE_TOO_DEEP, ///< deeper than MAX_HULL_DEPTH nodes
    TREE_NO_MEMORY
} tree_check_t;

/// Trees in one array. Children and roots below 0 are leaves.
typedef struct {
    const cnode_t *nodes;
    const int32_t *roots;
    int32_t num_nodes, num_roots;
} tree_t;

/// Checks all nodes reachable from the roots, and numbers them for fast walks. A node may have
/// several parents, but must not be its own descendant.
/// `order[n]`: receives the new number of node n, or -1 if it is not reachable.
/// `*num_ordered`: receives the number of reachable nodes.
/// `*culprit`: receives the number of a bad node.
/// A node follows a parent; a front child follows directly, unless an earlier parent placed it.
tree_check_t Tree_Order(const tree_t *tree, int32_t *order, int32_t *num_ordered, int32_t *culprit);

#endif
