/// collide/mesh/mesh_reinsert.c - makes a tree of forks better: each is taken out and put where it
/// costs least.
//
// Floor:   collide.
// Memory:  malloc'ed while it works.
// Repeat:  float + - * and compares only: the same tree on every CPU.
// Source:  Bittner, Hapala, Havran: Fast insertion-based optimization of bounding volume
//          hierarchies (2013): the place is found by branch and bound over what all boxes grow by.

#include "collide/mesh/mesh_tree.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum {
    PASSES = 4,
    MAX_LOOKS = 64, // at places for one fork: of many in one place none is better than the others
    // Forks above one. What lies in one place sinks below each that is put beside it: no tree for
    // nodes comes of that, and all ways up would get as long as there are forks.
    MAX_ABOVE = MESH_MAX_DEPTH * 4
};

/// A pass that gains less of all surfaces is the last.
#define LEAST_GAIN 0.005f

/// A fork to look at, and by how much the boxes around it grow.
typedef struct {
    float grown;
    int32_t fork;
} place_t;

typedef struct {
    fork_t *forks;
    int32_t *parents; // of each pair of forks: 1 and 2, 3 and 4, ..
    place_t *heap;    // lowest first
    int32_t num_heap;
} work_t;

static int32_t parent_of(const work_t *work, int32_t fork) {
    return work->parents[(fork - 1) / 2];
}

static tree_box_t both(const tree_box_t *a, const tree_box_t *b) {
    return (tree_box_t){{Lanes_Min(a->lo.v, b->lo.v)}, {Lanes_Max(a->hi.v, b->hi.v)}};
}

// ---- the heap ----

static void push(work_t *work, place_t place) {
    int32_t at = work->num_heap++;
    while (at > 0 && work->heap[(at - 1) / 2].grown > place.grown) {
        work->heap[at] = work->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    work->heap[at] = place;
}

static place_t pop(work_t *work) {
    place_t first = work->heap[0];
    place_t last = work->heap[--work->num_heap];
    int32_t at = 0;
    for (int32_t next = 1; next < work->num_heap; next = at * 2 + 1) {
        if (next + 1 < work->num_heap && work->heap[next + 1].grown < work->heap[next].grown) {
            next++;
        }
        if (last.grown <= work->heap[next].grown) {
            break;
        }
        work->heap[at] = work->heap[next];
        at = next;
    }
    work->heap[at] = last;
    return first;
}

// ---- moving ----

/// A fork's contents in another place: its halves get another parent.
static void place_fork(work_t *work, int32_t to, const fork_t *fork) {
    work->forks[to] = *fork;
    if (fork->ahead != 0) {
        work->parents[(fork->ahead - 1) / 2] = to;
    }
}

/// Boxes and counts of a fork and those around it, from those of their halves. False: it lies too
/// deep.
static bool refit(work_t *work, int32_t fork) {
    for (int32_t above = 0; above < MAX_ABOVE; above++) {
        fork_t *f = &work->forks[fork];
        const fork_t *halves = &work->forks[f->ahead];
        f->box = both(&halves[0].box, &halves[1].box);
        f->count = halves[0].count + halves[1].count;
        if (fork == 0) {
            return true;
        }
        fork = parent_of(work, fork);
    }
    return false;
}

/// Where a box is cheapest to put beside.
static int32_t best_place(work_t *work, const tree_box_t *box) {
    float least = MeshTree_HalfSurface(box);
    float best_cost = FLT_MAX;
    int32_t best = 0;
    work->num_heap = 0;
    push(work, (place_t){0.0f, 0});
    for (int32_t i = 0; i < MAX_LOOKS && work->num_heap > 0; i++) {
        place_t place = pop(work);
        if (place.grown + least >= best_cost) {
            break;
        }
        const fork_t *fork = &work->forks[place.fork];
        tree_box_t all = both(&fork->box, box);
        float cost = place.grown + MeshTree_HalfSurface(&all);
        if (cost < best_cost) {
            best_cost = cost;
            best = place.fork;
        }
        float grown = cost - MeshTree_HalfSurface(&fork->box);
        if (fork->ahead != 0 && grown + least < best_cost) {
            push(work, (place_t){grown, fork->ahead});
            push(work, (place_t){grown, fork->ahead + 1});
        }
    }
    return best;
}

/// Takes a fork out, whose parent is not the root, and puts it where it costs least. False: it lies
/// too deep.
static bool reinsert(work_t *work, int32_t number) {
    int32_t pair = number - (number - 1) % 2;
    int32_t parent = parent_of(work, number);
    fork_t fork = work->forks[number];
    fork_t other = work->forks[pair + (pair == number)];
    place_fork(work, parent, &other);
    if (!refit(work, parent_of(work, parent))) {
        return false;
    }
    int32_t beside = best_place(work, &fork.box);
    other = work->forks[beside];
    work->forks[beside].ahead = pair;
    work->parents[(pair - 1) / 2] = beside;
    place_fork(work, pair, &other);
    place_fork(work, pair + 1, &fork);
    return refit(work, beside);
}

static float surfaces(const work_t *work, int32_t num_forks) {
    float sum = 0.0f;
    for (int32_t i = 0; i < num_forks; i++) {
        sum += MeshTree_HalfSurface(&work->forks[i].box);
    }
    return sum;
}

/// True when a fork lies too deep for a tree of nodes of which each has but one fork.
static bool is_too_deep(const work_t *work, int32_t num_forks) {
    for (int32_t i = 1; i < num_forks; i++) {
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

/// Some passes over all forks. False when the tree gets too deep: it is of no use.
static bool improve(work_t *work, int32_t num_forks) {
    float before = FLT_MAX;
    for (int32_t pass = 0; pass < PASSES; pass++) {
        float now = surfaces(work, num_forks);
        if (now > before * (1.0f - LEAST_GAIN)) {
            break;
        }
        before = now;
        for (int32_t i = 1; i < num_forks; i++) {
            if (parent_of(work, i) != 0 && !reinsert(work, i)) {
                return false;
            }
        }
    }
    return !is_too_deep(work, num_forks);
}

bool MeshTree_Reinsert(mesh_tree_t *tree) {
    size_t count = (size_t)tree->num_forks;
    work_t work = {.forks = aligned_alloc(_Alignof(fork_t), count * sizeof(fork_t)),
                   .parents = malloc((count / 2 + 1) * sizeof(int32_t)),
                   .heap = malloc((MAX_LOOKS * 2 + 2) * sizeof(place_t))};
    bool good = work.forks && work.parents && work.heap;
    if (good) {
        memcpy(work.forks, tree->forks, count * sizeof(fork_t));
    }
    for (int32_t i = 0; good && i < tree->num_forks; i++) {
        if (work.forks[i].ahead != 0) {
            work.parents[(work.forks[i].ahead - 1) / 2] = i;
        }
    }
    if (good && improve(&work, tree->num_forks)) {
        memcpy(tree->forks, work.forks, count * sizeof(fork_t));
    }
    free(work.forks);
    free(work.parents);
    free(work.heap);
    return good;
}
