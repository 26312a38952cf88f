/// mesh/nodes.c - lists the nodes of a scene, and marks joints, animated nodes and hitboxes.

#include "base/assert.h"
#include "mesh/rig_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b) {
    const rig_node_t *const *x = a;
    const rig_node_t *const *y = b;
    int order = strcmp((*x)->node->mName.data, (*y)->node->mName.data);
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

rig_node_t *ME_NodeNamed(const rigger_t *rigger, const char *name, const char *who) {
    int32_t low = 0;
    int32_t high = rigger->num_nodes;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (strcmp(rigger->by_name[middle]->node->mName.data, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const rig_node_t *const *found = rigger->by_name + low;
    if (low == rigger->num_nodes || strcmp(found[0]->node->mName.data, name) != 0) {
        ME_RigFail(rigger, "%s: expected a node of the scene, found \"%.64s\"", who, name);
        return NULL;
    }
    if (low + 1 < rigger->num_nodes && strcmp(found[1]->node->mName.data, name) == 0) {
        ME_RigFail(rigger, "%s: expected one node \"%.64s\", found two with that name", who, name);
        return NULL;
    }
    return &rigger->nodes[found[0] - rigger->nodes];
}

int32_t ME_BoneAbove(const rigger_t *rigger, int32_t node) {
    while (node >= 0 && rigger->nodes[node].bone < 0) {
        node = rigger->nodes[node].parent;
    }
    return node < 0 ? -1 : rigger->nodes[node].bone;
}

// ---- the list of nodes ----

/// Makes room for one more element. Returns NULL and keeps the old array if out of memory.
static void *grow(void *array, int32_t count, int32_t *room, size_t size) {
    if (count < *room) {
        return array;
    }
    int32_t more = *room * 2 + 64;
    void *larger = realloc(array, (size_t)more * size);
    *room = larger ? more : *room;
    return larger;
}

/// A node on the stack, which is not listed yet.
typedef struct {
    const struct aiNode *node;
    int32_t parent;
} waiting_t;

typedef struct {
    waiting_t *stack;
    int32_t count, room, nodes_room;
} listing_t;

static bool push(rigger_t *rigger, listing_t *listing, const struct aiNode *node, int32_t parent) {
    if (rigger->num_nodes + listing->count >= MAX_RIG_NODES) {
        return ME_RigFail(rigger, "expected at most %d nodes, found more", MAX_RIG_NODES);
    }
    waiting_t *stack = grow(listing->stack, listing->count, &listing->room, sizeof *listing->stack);
    if (!stack) {
        return ME_RigFail(rigger, "no memory for %d nodes", listing->count);
    }
    listing->stack = stack;
    stack[listing->count++] = (waiting_t){node, parent};
    return true;
}

static bool list_all(rigger_t *rigger, listing_t *listing) {
    if (!push(rigger, listing, rigger->scene->mRootNode, -1)) {
        return false;
    }
    while (listing->count > 0) {
        waiting_t next = listing->stack[--listing->count];
        rig_node_t *nodes =
            grow(rigger->nodes, rigger->num_nodes, &listing->nodes_room, sizeof *rigger->nodes);
        if (!nodes) {
            return ME_RigFail(rigger, "no memory for %d nodes", rigger->num_nodes);
        }
        rigger->nodes = nodes;
        int32_t number = rigger->num_nodes++;
        int32_t group = ME_GroupOfNode(next.node->mName.data);
        nodes[number] =
            (rig_node_t){.node = next.node, .parent = next.parent, .bone = -1, .group = group};
        for (unsigned i = next.node->mNumChildren; i > 0; i--) {
            if (!push(rigger, listing, next.node->mChildren[i - 1], number)) {
                return false;
            }
        }
    }
    return true;
}

static bool sort_names(rigger_t *rigger) {
    ASSERT(rigger->num_nodes > 0); // every scene has a root node
    rigger->by_name = malloc((size_t)rigger->num_nodes * sizeof(rig_node_t *));
    if (!rigger->by_name) {
        return ME_RigFail(rigger, "no memory for %d nodes", rigger->num_nodes);
    }
    for (int32_t i = 0; i < rigger->num_nodes; i++) {
        rigger->by_name[i] = &rigger->nodes[i];
    }
    qsort(rigger->by_name, (size_t)rigger->num_nodes, sizeof *rigger->by_name, compare_names);
    return true;
}

// ---- kinds of nodes ----

static bool mark_joints(rigger_t *rigger, const struct aiMesh *mesh) {
    char who[96];
    snprintf(who, sizeof who, "mesh \"%.64s\": skin", mesh->mName.data);
    for (unsigned i = 0; i < mesh->mNumBones; i++) {
        rig_node_t *joint = ME_NodeNamed(rigger, mesh->mBones[i]->mName.data, who);
        if (!joint) {
            return false;
        }
        joint->is_joint = true;
        rigger->has_joints = true;
    }
    return true;
}

static bool mark_moved(rigger_t *rigger, const struct aiAnimation *animation) {
    char who[96];
    snprintf(who, sizeof who, "animation \"%.64s\"", animation->mName.data);
    for (unsigned i = 0; i < animation->mNumChannels; i++) {
        rig_node_t *moved = ME_NodeNamed(rigger, animation->mChannels[i]->mNodeName.data, who);
        if (!moved) {
            return false;
        }
        moved->is_moved = true;
    }
    return true;
}

static bool mark_hitbox(rigger_t *rigger, rig_node_t *node) {
    const char *name = node->node->mName.data;
    if (node->group == -2) {
        return ME_RigFail(rigger,
                          "node \"%.64s\": expected hit_ followed by generic, head, chest, "
                          "stomach, left_arm, right_arm, left_leg or right_leg",
                          name);
    }
    if (node->is_joint || node->is_moved) {
        return ME_RigFail(rigger, "hitbox \"%.64s\": expected a node that is %s, found one that is",
                          name, node->is_joint ? "no bone" : "not animated");
    }
    rigger->has_hit_nodes = true;
    return true;
}

static bool mark_all(rigger_t *rigger) {
    const struct aiScene *scene = rigger->scene;
    for (int32_t i = 0; i < rigger->num_nodes; i++) {
        const struct aiNode *node = rigger->nodes[i].node;
        for (unsigned m = 0; m < node->mNumMeshes; m++) {
            if (!mark_joints(rigger, scene->mMeshes[node->mMeshes[m]])) {
                return false;
            }
        }
    }
    for (unsigned i = 0; i < scene->mNumAnimations; i++) {
        if (!mark_moved(rigger, scene->mAnimations[i])) {
            return false;
        }
    }
    for (int32_t i = 0; i < rigger->num_nodes; i++) {
        rig_node_t *node = &rigger->nodes[i];
        if (rigger->options->hitboxes == ME_HITBOXES_NONE) {
            node->group = -1;
        } else if (node->group != -1 && !mark_hitbox(rigger, node)) {
            return false;
        }
    }
    // A child comes after its parent, so a walk from the end visits children first.
    for (int32_t i = rigger->num_nodes - 1; i > 0; i--) {
        const rig_node_t *node = &rigger->nodes[i];
        if (node->parent >= 0 && (node->is_joint || node->group >= 0 || node->has_below)) {
            rigger->nodes[node->parent].has_below = true;
        }
    }
    return true;
}

bool ME_ListNodes(rigger_t *rigger) {
    listing_t listing = {0};
    bool good = list_all(rigger, &listing);
    free(listing.stack);
    return good && sort_names(rigger) && mark_all(rigger);
}
