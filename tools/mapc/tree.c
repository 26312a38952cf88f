#include "mapc/tree.h"

#include "base/assert.h"

int32_t MC_AddLeaf(mc_tree_t *tree, mc_pool_t *pool, contents_t contents) {
    tree->leafs =
        MC_Grow(pool, tree->leafs, tree->num_leafs, &tree->leaf_room, sizeof *tree->leafs);
    tree->leafs[tree->num_leafs] =
        (mc_leaf_t){.contents = contents, .bounds = DB_Empty(), .vis_row = MC_SEES_ALL};
    return -1 - (int32_t)tree->num_leafs++;
}

int32_t MC_AddNode(mc_tree_t *tree, mc_pool_t *pool, int32_t plane) {
    if (tree->num_nodes >= MC_MAX_TREE_NODES) {
        MC_Fail(pool->fail, "a hull's tree needs more than %d nodes; simplify the map",
                MC_MAX_TREE_NODES);
    }
    tree->nodes =
        MC_Grow(pool, tree->nodes, tree->num_nodes, &tree->node_room, sizeof *tree->nodes);
    tree->nodes[tree->num_nodes] = (mc_node_t){.plane = plane, .bounds = DB_Empty()};
    return (int32_t)tree->num_nodes++;
}

int32_t MC_PointLeaf(const mc_tree_t *tree, dvec_t point) {
    int32_t child = tree->root;
    while (child >= 0) {
        const mc_node_t *node = &tree->nodes[child];
        double d = DP_Distance(&tree->table->planes[node->plane], point);
        child = node->children[d >= 0.0 ? 0 : 1];
    }
    return -1 - child;
}

/// Copies a subtree to another tree, and merges leafs of equal contents. Returns the copy's child
/// number.
static int32_t prune(const mc_tree_t *from, mc_tree_t *to, mc_pools_t *pools, int32_t child) {
    if (child < 0) {
        const mc_leaf_t *leaf = &from->leafs[-1 - child];
        if (leaf->contents == CONTENTS_SOLID) {
            return -1;
        }
        int32_t copy = MC_AddLeaf(to, &pools->keep, leaf->contents);
        to->leafs[-1 - copy].bounds = leaf->bounds;
        return copy;
    }
    int32_t node = MC_AddNode(to, &pools->keep, from->nodes[child].plane);
    to->nodes[node].bounds = from->nodes[child].bounds;
    size_t leafs = to->num_leafs;
    int32_t front = prune(from, to, pools, from->nodes[child].children[0]);
    int32_t back = prune(from, to, pools, from->nodes[child].children[1]);
    to->nodes[node].children[0] = front;
    to->nodes[node].children[1] = back;
    if (front >= 0 || back >= 0 ||
        to->leafs[-1 - front].contents != to->leafs[-1 - back].contents) {
        return node;
    }
    // Both sides have equal contents. The node and its leafs were added last: remove them.
    ASSERT((size_t)node + 1 == to->num_nodes);
    to->num_nodes--;
    if (front == -1) {
        return -1;
    }
    ASSERT(to->num_leafs == leafs + 2);
    to->num_leafs--;
    DB_AddBox(&to->leafs[-1 - front].bounds, &to->leafs[-1 - back].bounds);
    return front;
}

void MC_PruneTree(mc_tree_t *tree, mc_pools_t *pools) {
    mc_tree_t pruned = {.table = tree->table, .bounds = tree->bounds};
    MC_AddLeaf(&pruned, &pools->keep, CONTENTS_SOLID); // leaf 0
    pruned.root = prune(tree, &pruned, pools, tree->root);
    *tree = pruned;
}
