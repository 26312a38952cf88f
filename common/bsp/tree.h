/// bsp/tree.h - checks a tree of nodes that came from a file, and gives its nodes a good order.
//
// Floor:   bsp. Inside of bsp/ only.
// Memory:  temporary arrays of its own, freed before it returns.

#ifndef EDICTD_BSP_TREE_H
#define EDICTD_BSP_TREE_H

#include "collide/cmodel.h"

typedef enum {
    TREE_GOOD,
    TREE_LOOP,     ///< a node is its own descendant
    TREE_TOO_DEEP, ///< a way down has more than MAX_HULL_DEPTH nodes
    TREE_NO_MEMORY
} tree_check_t;

/// Walks everything reachable from the roots (those < 0 are no nodes). All children must be below
/// num_nodes. A node may have several parents, but none of them below it.
/// order[n] gets the new number of node n, -1 if it is not reachable; *num_ordered how many are.
/// A parent comes before its children, its front child next to it. *culprit gets the offending node.
/// Time is linear in num_nodes + num_roots.
tree_check_t Tree_Order(const cnode_t *nodes, int32_t num_nodes, const int32_t *roots,
                        int32_t num_roots, int32_t *order, int32_t *num_ordered, int32_t *culprit);

#endif
