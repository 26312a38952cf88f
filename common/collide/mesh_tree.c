/// collide/mesh_tree.c - the tree of boxes over a mesh's triangles.
//
// Floor:   collide.
// Memory:  malloc'ed.
// Repeat:  float + - * / and compares only: the same tree on every CPU.
// Source:  the surface area heuristic in bins (Wald: On fast construction of SAH-based bounding
//          volume hierarchies, 2007): the middles of the boxes are counted in BINS slices along an
//          axis, and the cut between two slices that costs least is taken.

#include "collide/mesh_tree.h"

#include "base/assert.h"

#include <stdlib.h>

enum {
    BINS = 16,
    // Parts deeper than this are halved by number, so that a million triangles in one place end at
    // MESH_MAX_DEPTH: MAX_MESH_TRIANGLES are 2^22, and leafs hold eight.
    MAX_FREE_DEPTH = 24,
    // Parts of more triangles than this are cut along their longest axis only.
    MANY = 16384
};

/// Triangles first..first + count in the order array; the box around them, and around the middles
/// of their boxes (twice as far out: lower + upper).
typedef struct {
    int32_t first, count, depth;
    tree_box_t box, middles;
} part_t;

/// A node that waits for its children.
typedef struct {
    part_t part;
    int32_t parent, lane, level;
} task_t;

typedef struct {
    int32_t counts[BINS];
    tree_box_t boxes[BINS], middles[BINS];
} bins_t;

/// Where a part is cut: before slice `bin` along an axis; bin 0: nowhere.
typedef struct {
    int32_t axis, bin;
    float cost;
} cut_t;

static tree_box_t no_box(void) {
    return (tree_box_t){{Lanes_All(MESH_EMPTY_LANE)}, {Lanes_All(-MESH_EMPTY_LANE)}};
}

static inline void add_box(tree_box_t *to, const tree_box_t *box) {
    to->lo.v = Lanes_Min(to->lo.v, box->lo.v);
    to->hi.v = Lanes_Max(to->hi.v, box->hi.v);
}

static inline void add_middle(tree_box_t *to, lanes_t middle) {
    to->lo.v = Lanes_Min(to->lo.v, middle);
    to->hi.v = Lanes_Max(to->hi.v, middle);
}

static inline float half_surface(const tree_box_t *box) {
    tree_corner_t d = {box->hi.v - box->lo.v};
    return d.f[0] * d.f[1] + d.f[1] * d.f[2] + d.f[2] * d.f[0];
}

/// What a part costs: its surface times half blocks. (Whole blocks fill them better, which takes a
/// tenth less memory, and 4 % more time of queries.)
static inline float cost_of(const tree_box_t *box, int32_t count) {
    return half_surface(box) * (float)((count + MESH_WIDTH / 2 - 1) / (MESH_WIDTH / 2));
}

// ---- cutting ----

/// Slices along one axis: bin = (middle - base) * scale.
typedef struct {
    float base, scale;
    int32_t axis;
} slices_t;

/// False when all middles lie in one place along the axis.
static bool make_slices(slices_t *slices, const part_t *part, int32_t axis) {
    float width = part->middles.hi.f[axis] - part->middles.lo.f[axis];
    *slices = (slices_t){part->middles.lo.f[axis], (float)BINS / width, axis};
    return width > 0.0f && slices->scale < 1e30f;
}

static inline int32_t bin_of(const slices_t *slices, const tree_box_t *box) {
    float middle = box->lo.f[slices->axis] + box->hi.f[slices->axis];
    int32_t bin = (int32_t)((middle - slices->base) * slices->scale);
    return bin < BINS - 1 ? bin : BINS - 1;
}

static void fill_bins(bins_t *bins, const mesh_tree_t *tree, const part_t *part,
                      const slices_t *slices) {
    for (int32_t i = 0; i < BINS; i++) {
        bins->counts[i] = 0;
        bins->boxes[i] = no_box();
        bins->middles[i] = no_box();
    }
    const tree_box_t *boxes = &tree->boxes[part->first];
    for (int32_t i = 0; i < part->count; i++) {
        int32_t bin = bin_of(slices, &boxes[i]);
        bins->counts[bin]++;
        add_box(&bins->boxes[bin], &boxes[i]);
        add_middle(&bins->middles[bin], boxes[i].lo.v + boxes[i].hi.v);
    }
}

/// The cheapest cut between two slices, if it is cheaper than *best.
static void cheapest_cut(const bins_t *bins, int32_t axis, cut_t *best) {
    float behind[BINS];
    tree_box_t box = no_box();
    int32_t count = 0;
    for (int32_t i = BINS - 1; i > 0; i--) {
        add_box(&box, &bins->boxes[i]);
        count += bins->counts[i];
        behind[i] = count > 0 ? cost_of(&box, count) : 0.0f;
    }
    int32_t all = count + bins->counts[0];
    box = no_box();
    count = 0;
    for (int32_t i = 1; i < BINS; i++) {
        add_box(&box, &bins->boxes[i - 1]);
        count += bins->counts[i - 1];
        if (count == 0 || count == all) {
            continue;
        }
        float cost = cost_of(&box, count) + behind[i];
        if (best->bin == 0 || cost < best->cost) {
            *best = (cut_t){axis, i, cost};
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

/// Puts what lies before the cut first. Returns how many.
static int32_t order_by_cut(mesh_tree_t *tree, const part_t *part, const slices_t *slices,
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
        add_box(&part.box, &tree->boxes[i]);
        add_middle(&part.middles, tree->boxes[i].lo.v + tree->boxes[i].hi.v);
    }
    return part;
}

static int32_t longest_axis(const tree_box_t *box) {
    tree_corner_t d = {box->hi.v - box->lo.v};
    return d.f[0] >= d.f[1] && d.f[0] >= d.f[2] ? 0 : d.f[1] >= d.f[2] ? 1 : 2;
}

/// Cuts a part of at least two triangles.
static void cut_part(mesh_tree_t *tree, const part_t *part, part_t halves[2]) {
    bins_t bins;
    slices_t slices;
    cut_t best = {0};
    int32_t longest = longest_axis(&part->middles);
    for (int32_t axis = 0; axis < 3 && part->depth < MAX_FREE_DEPTH; axis++) {
        if ((part->count <= MANY || axis == longest) && make_slices(&slices, part, axis)) {
            fill_bins(&bins, tree, part, &slices);
            cheapest_cut(&bins, axis, &best);
        }
    }
    int32_t count = part->count / 2;
    if (best.bin > 0) {
        make_slices(&slices, part, best.axis);
        count = order_by_cut(tree, part, &slices, best.bin);
    }
    halves[0] = measured(tree, part->first, count, part->depth + 1);
    halves[1] = measured(tree, part->first + count, part->count - count, part->depth + 1);
}

/// Cuts a part into up to eight, the one with the largest surface again and again, until all are
/// leafs.
static int32_t cut_in_eight(mesh_tree_t *tree, const part_t *whole, part_t parts[MESH_WIDTH]) {
    int32_t count = 1;
    parts[0] = *whole;
    while (count < MESH_WIDTH) {
        int32_t largest = -1;
        float surface = -1.0f;
        for (int32_t i = 0; i < count; i++) {
            float size = half_surface(&parts[i].box);
            if (parts[i].count > MESH_WIDTH && size > surface) {
                largest = i;
                surface = size;
            }
        }
        if (largest < 0) {
            break;
        }
        part_t halves[2];
        cut_part(tree, &parts[largest], halves);
        parts[largest] = halves[0];
        parts[count++] = halves[1];
    }
    return count;
}

// ---- nodes ----

static void set_lane(mesh_node_t *node, int32_t lane, const tree_box_t *box, int32_t child) {
    for (int32_t axis = 0; axis < 3; axis++) {
        node->bounds[axis][lane] = box->lo.f[axis];
        node->bounds[3 + axis][lane] = box->hi.f[axis];
    }
    node->children[lane] = child;
}

/// Room for one more element, in *array or where it moved to.
static bool grow(void **array, int32_t *room, int32_t count, size_t size) {
    if (count < *room) {
        return true;
    }
    void *more = realloc(*array, (size_t)*room * 2 * size);
    if (!more) {
        return false;
    }
    *array = more;
    *room *= 2;
    return true;
}

/// Makes the node of a part. Its children that are no leafs go onto the list of tasks.
static bool make_node(mesh_tree_t *tree, const task_t *task, task_t *tasks, int32_t *num_tasks) {
    const tree_box_t nothing = no_box();
    part_t parts[MESH_WIDTH];
    int32_t count = cut_in_eight(tree, &task->part, parts);
    if (!grow((void **)&tree->nodes, &tree->room_nodes, tree->num_nodes, sizeof *tree->nodes)) {
        return false;
    }
    int32_t number = tree->num_nodes++;
    mesh_node_t *node = &tree->nodes[number];
    if (task->parent >= 0) {
        tree->nodes[task->parent].children[task->lane] = number;
    }
    ASSERT(task->level < MESH_MAX_DEPTH);
    for (int32_t lane = 0; lane < MESH_WIDTH; lane++) {
        if (lane >= count) {
            set_lane(node, lane, &nothing, MESH_NO_CHILD);
        } else if (parts[lane].count > MESH_WIDTH) {
            set_lane(node, lane, &parts[lane].box, 0);
            tasks[(*num_tasks)++] = (task_t){parts[lane], number, lane, task->level + 1};
        } else {
            if (!grow((void **)&tree->leafs, &tree->room_leafs, tree->num_leafs,
                      sizeof *tree->leafs)) {
                return false;
            }
            set_lane(node, lane, &parts[lane].box, -1 - tree->num_leafs);
            tree->leafs[tree->num_leafs++] = (tree_leaf_t){parts[lane].first, parts[lane].count};
        }
    }
    return true;
}

bool MeshTree_Init(mesh_tree_t *tree, int32_t num_triangles) {
    int32_t room = num_triangles / 16 + 16;
    size_t count = (size_t)num_triangles + 1;
    *tree = (mesh_tree_t){
        .boxes = aligned_alloc(_Alignof(tree_box_t), count * sizeof(tree_box_t)),
        .order = malloc(count * sizeof(int32_t)),
        .nodes = malloc((size_t)room * sizeof(mesh_node_t)),
        .leafs = malloc((size_t)room * sizeof(tree_leaf_t)),
        .num_triangles = num_triangles,
        .room_nodes = room,
        .room_leafs = room,
    };
    if (!tree->boxes || !tree->order || !tree->nodes || !tree->leafs) {
        MeshTree_Free(tree);
        return false;
    }
    for (int32_t i = 0; i < num_triangles; i++) {
        tree->order[i] = i;
    }
    return true;
}

bool MeshTree_Make(mesh_tree_t *tree) {
    // Seven wait for each level above the one that is worked on.
    task_t *tasks = malloc((MESH_WIDTH * MESH_MAX_DEPTH + 1) * sizeof *tasks);
    bool good = tasks != NULL;
    int32_t num_tasks = 0;
    if (good) {
        tasks[num_tasks++] = (task_t){measured(tree, 0, tree->num_triangles, 0), -1, 0, 0};
    }
    while (good && num_tasks > 0) {
        task_t task = tasks[--num_tasks];
        good = make_node(tree, &task, tasks, &num_tasks);
    }
    free(tasks);
    return good;
}

void MeshTree_Free(mesh_tree_t *tree) {
    free(tree->boxes);
    free(tree->order);
    free(tree->nodes);
    free(tree->leafs);
    *tree = (mesh_tree_t){0};
}
