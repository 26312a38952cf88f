/// collide/mesh/mesh_reinsert.c - improves a binary tree by moving branches
/// to where they cost least.
//
// Memory:  malloc'ed during the call.
// Repeat:  float + - * and compares only; equal on every CPU.
// Source:  Bittner, Hapala, Havran: Fast insertion-based optimization of bounding volume
//          hierarchies (2013).

#include "collide/mesh/mesh_tree.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum {
    PASSES = 4,
    MAX_VISITS = 64, // per insertion
    // Maximum number of ancestors. With equal boxes, insertions deepen the tree; a deeper one is
    // abandoned.
    MAX_ABOVE = MESH_MAX_DEPTH * 4
};

/// Minimum gain for another pass, as a share of all surfaces.
#define LEAST_GAIN 0.005f

/// A branch to visit. `growth`: added surface of ancestors if the box is inserted beside it.
typedef struct {
    float growth;
    int32_t branch;
} visit_t;

typedef struct {
    branch_t *branches;
    int32_t *parents; // parent of each pair of branches: 1 and 2, 3 and 4, ...
    visit_t *heap;    // the least growth is first
    int32_t num_heap;
} work_t;

static int32_t parent_of(const work_t *work, int32_t branch) {
    return work->parents[(branch - 1) / 2];
}

// ---- the heap ----

static void push(work_t *work, visit_t visit) {
    int32_t at = work->num_heap++;
    while (at > 0 && work->heap[(at - 1) / 2].growth > visit.growth) {
        work->heap[at] = work->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    work->heap[at] = visit;
}

static visit_t pop(work_t *work) {
    visit_t first = work->heap[0];
    visit_t last = work->heap[--work->num_heap];
    int32_t at = 0;
    for (int32_t next = 1; next < work->num_heap; next = at * 2 + 1) {
        if (next + 1 < work->num_heap && work->heap[next + 1].growth < work->heap[next].growth) {
            next++;
        }
        if (last.growth <= work->heap[next].growth) {
            break;
        }
        work->heap[at] = work->heap[next];
        at = next;
    }
    work->heap[at] = last;
    return first;
}

// ---- moving ----

/// Renumbers a branch, also in its children.
static void store_branch(work_t *work, int32_t to, const branch_t *branch) {
    work->branches[to] = *branch;
    if (branch->children != 0) {
        work->parents[(branch->children - 1) / 2] = to;
    }
}

/// Recomputes boxes and counts of a branch and its ancestors. Returns false above MAX_ABOVE.
static bool refit(work_t *work, int32_t number) {
    for (int32_t above = 0; above < MAX_ABOVE; above++) {
        branch_t *branch = &work->branches[number];
        const branch_t *pair = &work->branches[branch->children];
        branch->box = MeshTree_Union(&pair[0].box, &pair[1].box);
        branch->count = pair[0].count + pair[1].count;
        if (number == 0) {
            return true;
        }
        number = parent_of(work, number);
    }
    return false;
}

/// Returns the branch beside which the insertion of a box costs least.
static int32_t best_sibling(work_t *work, const tree_box_t *box) {
    float least = MeshTree_HalfSurface(box);
    float best_cost = FLT_MAX;
    int32_t best = 0;
    work->num_heap = 0;
    push(work, (visit_t){0.0f, 0});
    for (int32_t i = 0; i < MAX_VISITS && work->num_heap > 0; i++) {
        visit_t visit = pop(work);
        if (visit.growth + least >= best_cost) {
            break;
        }
        const branch_t *branch = &work->branches[visit.branch];
        tree_box_t all = MeshTree_Union(&branch->box, box);
        float cost = visit.growth + MeshTree_HalfSurface(&all);
        if (cost < best_cost) {
            best_cost = cost;
            best = visit.branch;
        }
        float growth = cost - MeshTree_HalfSurface(&branch->box);
        if (branch->children != 0 && growth + least < best_cost) {
            push(work, (visit_t){growth, branch->children});
            push(work, (visit_t){growth, branch->children + 1});
        }
    }
    return best;
}

/// Moves a branch to where it adds the least surface to the tree. It must not be a child of the
/// root. Returns false if the tree is too deep.
static bool reinsert(work_t *work, int32_t number) {
    int32_t pair = number - (number - 1) % 2;
    int32_t parent = parent_of(work, number);
    branch_t branch = work->branches[number];
    branch_t other = work->branches[pair + (pair == number)];
    store_branch(work, parent, &other);
    if (!refit(work, parent_of(work, parent))) {
        return false;
    }
    int32_t sibling = best_sibling(work, &branch.box);
    other = work->branches[sibling];
    work->branches[sibling].children = pair;
    work->parents[(pair - 1) / 2] = sibling;
    store_branch(work, pair, &other);
    store_branch(work, pair + 1, &branch);
    return refit(work, sibling);
}

static float sum_surfaces(const work_t *work, int32_t num_branches) {
    float sum = 0.0f;
    for (int32_t i = 0; i < num_branches; i++) {
        sum += MeshTree_HalfSurface(&work->branches[i].box);
    }
    return sum;
}

/// Returns true if a branch is too deep for MESH_MAX_DEPTH levels of nodes.
static bool is_too_deep(const work_t *work, int32_t num_branches) {
    for (int32_t i = 1; i < num_branches; i++) {
        int32_t depth = 1;
        for (int32_t at = parent_of(work, i); at != 0; at = parent_of(work, at)) {
            depth++;
        }
        if (depth >= MESH_MAX_DEPTH - 1) {
            return true;
        }
    }
    return false;
}

/// Makes up to PASSES passes over all branches. Returns false if the tree became too deep.
static bool improve(work_t *work, int32_t num_branches) {
    float before = FLT_MAX;
    for (int32_t pass = 0; pass < PASSES; pass++) {
        float now = sum_surfaces(work, num_branches);
        if (now > before * (1.0f - LEAST_GAIN)) {
            break;
        }
        before = now;
        for (int32_t i = 1; i < num_branches; i++) {
            if (parent_of(work, i) != 0 && !reinsert(work, i)) {
                return false;
            }
        }
    }
    return !is_too_deep(work, num_branches);
}

bool MeshTree_Reinsert(mesh_tree_t *tree) {
    size_t count = (size_t)tree->num_branches;
    work_t work = {.branches = aligned_alloc(_Alignof(branch_t), count * sizeof(branch_t)),
                   .parents = malloc((count / 2 + 1) * sizeof(int32_t)),
                   .heap = malloc((MAX_VISITS * 2 + 2) * sizeof(visit_t))};
    bool good = work.branches && work.parents && work.heap;
    if (good) {
        memcpy(work.branches, tree->branches, count * sizeof(branch_t));
    }
    for (int32_t i = 0; good && i < tree->num_branches; i++) {
        if (work.branches[i].children != 0) {
            work.parents[(work.branches[i].children - 1) / 2] = i;
        }
    }
    if (good && improve(&work, tree->num_branches)) {
        memcpy(tree->branches, work.branches, count * sizeof(branch_t));
    }
    free(work.branches);
    free(work.parents);
    free(work.heap);
    return good;
}
