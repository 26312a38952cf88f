/// collide/mesh/mesh_tree.c - builds the tree of boxes over a mesh's triangles.
//
// Memory:  malloc'ed.
// Repeat:  float + - * / and compares only; equal on every CPU.
// Source:  the surface area heuristic in bins (Wald: On fast construction of SAH-based bounding
//          volume hierarchies, 2007). In small meshes, reinsertion follows. Then dynamic
//          programming chooses nodes of eight children.

#include "collide/mesh/mesh_tree.h"

#include "base/assert.h"

#include <float.h>
#include <stdlib.h>

enum {
    // Slices of an axis: BINS_OF_LARGE in large meshes, BINS_OF_PART for at most SMALL_PART
    // triangles.
    MAX_BINS = 32,
    BINS_OF_LARGE = 16,
    BINS_OF_PART = 8,
    SMALL_PART = 64,
    LARGE = 32768, // meshes of more triangles are large
    // Branches of at most this many triangles stay whole. Large meshes need full blocks, for the
    // CPU cache.
    LEAF_COUNT = 2,
    LEAF_OF_LARGE = MESH_WIDTH,
    // Deeper branches are halved by number. With 2^22 triangles at most, the tree stays within
    // MESH_MAX_DEPTH.
    MAX_FREE_DEPTH = 24,
    ONE_AXIS = 16384 // larger branches are split along their longest axis only
};

// Costs of a query that enters a node or a block.
#define NODE_COST  1.0f
#define BLOCK_COST 1.2f

/// A branch to split: triangles order[first..first + count), their bounds, and the bounds of
/// doubled centres (lower + upper).
typedef struct {
    int32_t first, count, depth;
    tree_box_t box, centres;
} part_t;

typedef struct {
    int32_t counts[MAX_BINS];
    tree_box_t boxes[MAX_BINS];
} bins_t;

/// The slices along one axis: slice = (doubled centre - base) * scale.
typedef struct {
    float base, scale;
    int32_t axis, count;
} slices_t;

/// A split of an axis before slice `bin`; bin 0 means that there is no split.
typedef struct {
    int32_t axis, bin;
    float cost;
} split_t;

static tree_box_t no_box(void) {
    return (tree_box_t){Lanes_All(MESH_EMPTY_LANE), Lanes_All(-MESH_EMPTY_LANE)};
}

static bool is_large(const mesh_tree_t *tree) {
    return tree->num_triangles > LARGE;
}

/// Returns the cost of a branch: half its surface * half blocks. Whole blocks would save 10 %
/// memory, but cost 4 % time.
static inline float cost_of(const tree_box_t *box, int32_t count) {
    const int32_t half = MESH_WIDTH / 2;
    return MeshTree_HalfSurface(box) * (float)((count + half - 1) / half);
}

// ---- splitting ----

/// Sets the slices of an axis. Returns false if all centres are nearly equal.
static bool make_slices(slices_t *slices, const mesh_tree_t *tree, const part_t *part,
                        int32_t axis) {
    float width = part->centres.hi[axis] - part->centres.lo[axis];
    int32_t count = !is_large(tree)             ? MAX_BINS
                    : part->count <= SMALL_PART ? BINS_OF_PART
                                                : BINS_OF_LARGE;
    *slices = (slices_t){part->centres.lo[axis], (float)count / width, axis, count};
    return width > 0.0f && slices->scale < 1e30f;
}

static inline int32_t bin_of(const slices_t *slices, const tree_box_t *box) {
    float centre = box->lo[slices->axis] + box->hi[slices->axis];
    int32_t bin = (int32_t)((centre - slices->base) * slices->scale);
    return bin < slices->count - 1 ? bin : slices->count - 1;
}

static void fill_bins(bins_t *bins, const mesh_tree_t *tree, const part_t *part,
                      const slices_t *slices) {
    for (int32_t i = 0; i < slices->count; i++) {
        bins->counts[i] = 0;
        bins->boxes[i] = no_box();
    }
    const tree_box_t *boxes = &tree->boxes[part->first];
    for (int32_t i = 0; i < part->count; i++) {
        int32_t bin = bin_of(slices, &boxes[i]);
        bins->counts[bin]++;
        bins->boxes[bin] = MeshTree_Union(&bins->boxes[bin], &boxes[i]);
    }
}

/// Stores the cheapest split in *best, if it is cheaper.
static void cheapest_split(const bins_t *bins, const slices_t *slices, split_t *best) {
    float after[MAX_BINS];
    tree_box_t box = no_box();
    int32_t count = 0;
    for (int32_t i = slices->count - 1; i > 0; i--) {
        box = MeshTree_Union(&box, &bins->boxes[i]);
        count += bins->counts[i];
        after[i] = count > 0 ? cost_of(&box, count) : 0.0f;
    }
    int32_t all = count + bins->counts[0];
    box = no_box();
    count = 0;
    for (int32_t i = 1; i < slices->count; i++) {
        box = MeshTree_Union(&box, &bins->boxes[i - 1]);
        count += bins->counts[i - 1];
        if (count == 0 || count == all) {
            continue;
        }
        float cost = cost_of(&box, count) + after[i];
        if (best->bin == 0 || cost < best->cost) {
            *best = (split_t){slices->axis, i, cost};
        }
    }
}

static inline void swap(mesh_tree_t *tree, int32_t a, int32_t b) {
    tree_box_t box = tree->boxes[a];
    tree->boxes[a] = tree->boxes[b];
    tree->boxes[b] = box;
    int32_t number = tree->order[a];
    tree->order[a] = tree->order[b];
    tree->order[b] = number;
}

/// Moves the triangles before the split to the front. Returns their number.
static int32_t order_by_split(mesh_tree_t *tree, const part_t *part, const slices_t *slices,
                              int32_t bin) {
    int32_t low = part->first;
    int32_t high = part->first + part->count - 1;
    while (true) {
        while (low <= high && bin_of(slices, &tree->boxes[low]) < bin) {
            low++;
        }
        while (low <= high && bin_of(slices, &tree->boxes[high]) >= bin) {
            high--;
        }
        if (low > high) {
            return low - part->first;
        }
        swap(tree, low++, high--);
    }
}

static part_t measured(const mesh_tree_t *tree, int32_t first, int32_t count, int32_t depth) {
    part_t part = {first, count, depth, no_box(), no_box()};
    for (int32_t i = first; i < first + count; i++) {
        lanes_t centre = tree->boxes[i].lo + tree->boxes[i].hi;
        part.box = MeshTree_Union(&part.box, &tree->boxes[i]);
        part.centres = MeshTree_Union(&part.centres, &(tree_box_t){centre, centre});
    }
    return part;
}

static int32_t longest_axis(const tree_box_t *box) {
    lanes_t d = box->hi - box->lo;
    return d[0] >= d[1] && d[0] >= d[2] ? 0 : d[1] >= d[2] ? 1 : 2;
}

static void split_part(mesh_tree_t *tree, const part_t *part, part_t halves[2]) {
    bins_t bins;
    slices_t slices;
    split_t best = {0};
    int32_t longest = longest_axis(&part->centres);
    for (int32_t axis = 0; axis < 3 && part->depth < MAX_FREE_DEPTH; axis++) {
        if ((part->count <= ONE_AXIS || axis == longest) &&
            make_slices(&slices, tree, part, axis)) {
            fill_bins(&bins, tree, part, &slices);
            cheapest_split(&bins, &slices, &best);
        }
    }
    int32_t count = part->count / 2;
    if (best.bin > 0) {
        make_slices(&slices, tree, part, best.axis);
        count = order_by_split(tree, part, &slices, best.bin);
    }
    halves[0] = measured(tree, part->first, count, part->depth + 1);
    halves[1] = measured(tree, part->first + count, part->count - count, part->depth + 1);
}

/// Grows *array to `count` elements, at most 16 more.
static bool grow(void **array, int32_t *max, int32_t count, size_t size) {
    if (count <= *max) {
        return true;
    }
    void *larger = realloc(*array, (size_t)*max * 2 * size);
    if (!larger) {
        return false;
    }
    *array = larger;
    *max *= 2;
    return true;
}

/// Makes a subtree, at most MESH_MAX_DEPTH deep. Returns false if out of memory.
static bool make_branch(mesh_tree_t *tree, int32_t number, const part_t *part) {
    part_t halves[2];
    tree->branches[number] =
        (branch_t){.box = part->box, .first = part->first, .count = part->count};
    if (part->count <= (is_large(tree) ? LEAF_OF_LARGE : LEAF_COUNT)) {
        return true;
    }
    ASSERT(part->depth + 1 < MESH_MAX_DEPTH);
    if (!grow((void **)&tree->branches, &tree->max_branches, tree->num_branches + 2,
              sizeof *tree->branches)) {
        return false;
    }
    int32_t children = tree->num_branches;
    tree->num_branches += 2;
    tree->branches[number].children = children;
    split_part(tree, part, halves);
    return make_branch(tree, children + 1, &halves[1]) && make_branch(tree, children, &halves[0]);
}

// ---- nodes of eight ----

/// Computes the cost of a branch as 1, 2, ... 7 children of a node.
static void weigh(mesh_tree_t *tree, int32_t number) {
    branch_t *branch = &tree->branches[number];
    float surface = MeshTree_HalfSurface(&branch->box);
    float block = branch->count <= MESH_WIDTH ? surface * BLOCK_COST : FLT_MAX;
    for (int32_t i = 1; i < MESH_WIDTH; i++) {
        branch->costs[i] = block;
    }
    if (branch->children == 0) {
        return;
    }
    weigh(tree, branch->children);
    weigh(tree, branch->children + 1);
    const branch_t *a = &tree->branches[branch->children];
    const branch_t *b = a + 1;
    float spread[MESH_WIDTH + 1];
    for (int32_t all = 2; all <= MESH_WIDTH; all++) {
        spread[all] = FLT_MAX;
        for (int32_t first = 1; first < all; first++) {
            float cost = a->costs[first] + b->costs[all - first];
            if (cost < spread[all]) {
                spread[all] = cost;
                branch->shares[all] = (uint8_t)first;
            }
        }
    }
    float node = surface * NODE_COST + spread[MESH_WIDTH];
    branch->is_node = node < block;
    branch->costs[1] = branch->is_node ? node : block;
    for (int32_t i = 2; i < MESH_WIDTH; i++) {
        branch->costs[i] = spread[i];
        if (branch->costs[i - 1] <= spread[i]) {
            branch->costs[i] = branch->costs[i - 1];
            branch->shares[i] = 0;
        }
    }
}

/// Appends at most `max` branches that replace `number` in a node. Returns the new count.
static int32_t list_children(const mesh_tree_t *tree, int32_t number, int32_t max,
                             int32_t children[MESH_WIDTH], int32_t count) {
    const branch_t *branch = &tree->branches[number];
    while (max > 1 && branch->shares[max] == 0) {
        max--;
    }
    if (max == 1) {
        children[count] = number;
        return count + 1;
    }
    int32_t first = branch->shares[max];
    count = list_children(tree, branch->children, first, children, count);
    return list_children(tree, branch->children + 1, max - first, children, count);
}

/// Appends the triangles of a branch to `order`. Returns the new count.
static int32_t list_triangles(mesh_tree_t *tree, int32_t number, int32_t *order, int32_t count) {
    branch_t *branch = &tree->branches[number];
    const int32_t *old = &tree->order[branch->first];
    branch->first = count;
    if (branch->children != 0) {
        count = list_triangles(tree, branch->children, order, count);
        return list_triangles(tree, branch->children + 1, order, count);
    }
    for (int32_t i = 0; i < branch->count; i++) {
        order[count++] = old[i];
    }
    return count;
}

static void set_lane(mesh_node_t *node, int32_t lane, const tree_box_t *box, int32_t child) {
    for (int32_t axis = 0; axis < 3; axis++) {
        node->bounds[axis][lane] = box->lo[axis];
        node->bounds[3 + axis][lane] = box->hi[axis];
    }
    node->children[lane] = child;
}

/// Makes the nodes and leaves of a branch. Returns false if out of memory.
static bool make_node(mesh_tree_t *tree, int32_t number) {
    const tree_box_t nothing = no_box();
    int32_t children[MESH_WIDTH];
    int32_t count = list_children(tree, number, MESH_WIDTH, children, 0);
    int32_t at = tree->num_nodes;
    if (!grow((void **)&tree->nodes, &tree->max_nodes, at + 1, sizeof *tree->nodes) ||
        !grow((void **)&tree->leafs, &tree->max_leafs, tree->num_leafs + MESH_WIDTH,
              sizeof *tree->leafs)) {
        return false;
    }
    tree->num_nodes++;
    for (int32_t lane = 0; lane < MESH_WIDTH; lane++) {
        const branch_t *branch = lane < count ? &tree->branches[children[lane]] : NULL;
        int32_t child = branch ? -1 - tree->num_leafs : MESH_NO_CHILD;
        set_lane(&tree->nodes[at], lane, branch ? &branch->box : &nothing, child);
        if (branch && !branch->is_node) {
            tree->leafs[tree->num_leafs++] = (tree_leaf_t){branch->first, branch->count};
        }
    }
    for (int32_t lane = count - 1; lane >= 0; lane--) {
        if (tree->branches[children[lane]].is_node) {
            tree->nodes[at].children[lane] = tree->num_nodes;
            if (!make_node(tree, children[lane])) {
                return false;
            }
        }
    }
    return true;
}

// ---- the tree ----

bool MeshTree_Init(mesh_tree_t *tree, int32_t num_triangles) {
    int32_t max = num_triangles / 2 + 16;
    size_t count = (size_t)num_triangles + 1;
    *tree = (mesh_tree_t){
        .boxes = aligned_alloc(_Alignof(tree_box_t), count * sizeof(tree_box_t)),
        .order = malloc(count * sizeof(int32_t)),
        .nodes = malloc((size_t)max * sizeof(mesh_node_t)),
        .leafs = malloc((size_t)max * sizeof(tree_leaf_t)),
        .branches = malloc((size_t)max * sizeof(branch_t)),
        .num_triangles = num_triangles,
        .max_branches = max,
        .max_nodes = max,
        .max_leafs = max,
    };
    if (!tree->boxes || !tree->order || !tree->nodes || !tree->leafs || !tree->branches) {
        MeshTree_Free(tree);
        return false;
    }
    for (int32_t i = 0; i < num_triangles; i++) {
        tree->order[i] = i;
    }
    return true;
}

bool MeshTree_Make(mesh_tree_t *tree) {
    part_t all = measured(tree, 0, tree->num_triangles, 0);
    int32_t *order = malloc((size_t)tree->num_triangles * sizeof *order);
    tree->num_branches = 1;
    if (!order || !make_branch(tree, 0, &all) || !(is_large(tree) || MeshTree_Reinsert(tree))) {
        free(order);
        return false;
    }
    weigh(tree, 0);
    int32_t count = list_triangles(tree, 0, order, 0);
    ASSERT(count == tree->num_triangles);
    free(tree->order);
    tree->order = order;
    return make_node(tree, 0);
}

void MeshTree_Free(mesh_tree_t *tree) {
    free(tree->boxes);
    free(tree->order);
    free(tree->nodes);
    free(tree->leafs);
    free(tree->branches);
    *tree = (mesh_tree_t){0};
}
