#include "bsp/tree.h"

#include <stdlib.h>

/// Progress of the walk below a node.
enum { TREE_NEW, TREE_AT_FRONT, TREE_AT_BACK, TREE_DONE };

typedef struct {
    const cnode_t *nodes;
    int32_t *order;
    int32_t num_ordered;
    int32_t *path; // the nodes from the root to the current node
    int32_t path_length;
    uint8_t *stage;
    int32_t *height; // levels below a finished node, with it; 0 = unfinished
} tree_walk_t;

static void enter_node(tree_walk_t *walk, int32_t num) {
    walk->stage[num] = TREE_AT_FRONT;
    walk->order[num] = walk->num_ordered++;
    walk->path[walk->path_length++] = num;
}

static int32_t child_height(const tree_walk_t *walk, int32_t child) {
    return child < 0 ? 0 : walk->height[child];
}

static tree_check_t walk_root(tree_walk_t *walk, int32_t root, int32_t *culprit) {
    enter_node(walk, root);
    while (walk->path_length > 0) {
        int32_t num = walk->path[walk->path_length - 1];
        const cnode_t *node = &walk->nodes[num];
        *culprit = num;
        if (walk->stage[num] == TREE_DONE) {
            walk->height[num] = 1 + Q_MaxI(child_height(walk, node->children[0]),
                                           child_height(walk, node->children[1]));
            if (walk->height[num] > MAX_HULL_DEPTH) {
                return TREE_TOO_DEEP;
            }
            walk->path_length--;
            continue;
        }
        int32_t child = node->children[walk->stage[num] == TREE_AT_FRONT ? 0 : 1];
        walk->stage[num]++;
        if (child < 0) {
            continue;
        }
        if (walk->stage[child] == TREE_NEW) {
            enter_node(walk, child);
        } else if (walk->height[child] == 0) {
            return TREE_LOOP; // unfinished, so it is on the path
        }
    }
    return TREE_GOOD;
}

tree_check_t Tree_Order(const tree_t *tree, int32_t *order, int32_t *num_ordered,
                        int32_t *culprit) {
    size_t count = (size_t)Q_MaxI(tree->num_nodes, 1);
    tree_walk_t walk = {.nodes = tree->nodes,
                        .order = order,
                        .path = calloc(count, sizeof *walk.path),
                        .stage = calloc(count, sizeof *walk.stage),
                        .height = calloc(count, sizeof *walk.height)};
    tree_check_t result = TREE_NO_MEMORY;
    if (walk.path && walk.stage && walk.height) {
        result = TREE_GOOD;
        for (int32_t i = 0; i < tree->num_nodes; i++) {
            order[i] = -1;
        }
        for (int32_t i = 0; i < tree->num_roots && result == TREE_GOOD; i++) {
            int32_t root = tree->roots[i];
            if (root >= 0 && walk.stage[root] == TREE_NEW) {
                result = walk_root(&walk, root, culprit);
            }
        }
    }
    *num_ordered = walk.num_ordered;
    free(walk.path);
    free(walk.stage);
    free(walk.height);
    return result;
}
