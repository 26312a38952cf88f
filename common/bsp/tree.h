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

/// A tree, or several in one array. Children and roots below 0 are no nodes; the others must be
/// below num_nodes.
typedef struct {
    const cnode_t *nodes;
    const int32_t *roots;
    int32_t num_nodes, num_roots;
} tree_t;

/// Walks everything reachable from the roots. A node may have several parents, but none below it.
/// order[n], for each of num_nodes, gets the new number of node n, or -1 if it is not reachable;
/// *num_ordered how many are. A parent comes before its children, its front child next to it.
/// *culprit gets the offending node. Time is linear in num_nodes + num_roots.
tree_check_t Tree_Order(const tree_t *tree, int32_t *order, int32_t *num_ordered, int32_t *culprit);

#endif
