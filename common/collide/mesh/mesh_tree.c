/// collide/mesh/mesh_tree.c - the tree of boxes over a mesh's triangles.
//
// Floor:   collide.
// Memory:  malloc'ed.
// Repeat:  float + - * / and compares only: the same tree on every CPU.
// Source:  the surface area heuristic in bins (Wald: On fast construction of SAH-based bounding
//          volume hierarchies, 2007): the middles of the boxes are counted in BINS slices along an
//          axis, and the cut between two slices that costs least is taken.

#include "collide/mesh/mesh_tree.h"

#include "base/assert.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum {
    // Slices: in small meshes, in large ones, where a finer look costs more than it gains, and of
    // their small parts.
    MAX_BINS = 32,
    BINS_OF_LARGE = 16,
    BINS_OF_PART = 8,
    SMALL_PART = 64,
    // Parts deeper than this are halved by number, so that a million triangles in one place end at
    // MESH_MAX_DEPTH: MAX_MESH_TRIANGLES are 2^22.
    MAX_FREE_DEPTH = 24,
    // Parts of more triangles than this are cut along their longest axis only.
    MANY = 16384,
    // Parts of so few triangles are not cut: in small meshes, and in large ones, which do not fit a
    // cache: there it counts that blocks are full.
    FEW = 2,
    FEW_OF_LARGE = MESH_WIDTH,
    // Meshes of more triangles are large; the forks of smaller ones are put where they cost least.
    MAX_SMALL = 32768
};

/// What a node and a block cost a query that meets them.
#define NODE_COST  1.0f
#define BLOCK_COST 1.2f

/// No triangle is so far out.
#define FAR 1e30f

/// Triangles first..first + count in the order array; the box around them, and around the middles
/// of their boxes (twice as far out: lower + upper).
typedef struct {
    int32_t first, count, depth;
    tree_box_t box, middles;
} part_t;

/// A node that waits for its children.
typedef struct {
    int32_t fork, parent, lane, level;
} task_t;

typedef struct {
    int32_t counts[MAX_BINS];
    tree_box_t boxes[MAX_BINS];
} bins_t;

/// Where a part is cut: before slice `bin` along an axis; bin 0: nowhere.
typedef struct {
    int32_t axis, bin;
    float cost;
} cut_t;

static tree_box_t no_box(void) {
    return (tree_box_t){{Lanes_All(FAR)}, {Lanes_All(-FAR)}};
}

static inline void add_box(tree_box_t *to, const tree_box_t *box) {
    to->lo.v = Lanes_Min(to->lo.v, box->lo.v);
    to->hi.v = Lanes_Max(to->hi.v, box->hi.v);
}

static inline void add_middle(tree_box_t *to, lanes_t middle) {
    to->lo.v = Lanes_Min(to->lo.v, middle);
    to->hi.v = Lanes_Max(to->hi.v, middle);
}

static bool is_large(const mesh_tree_t *tree) {
    return tree->num_triangles > MAX_SMALL;
}

/// What a part costs: its surface times half blocks. (Whole blocks fill them better, which takes a
/// tenth less memory, and 4 % more time of queries.)
static inline float cost_of(const tree_box_t *box, int32_t count) {
    const int32_t half_blocks = (count + MESH_WIDTH / 2 - 1) / (MESH_WIDTH / 2);
    return MeshTree_HalfSurface(box) * (float)half_blocks;
}

// ---- cutting ----

/// Slices along one axis: bin = (middle - base) * scale.
typedef struct {
    float base, scale;
    int32_t axis, count;
} slices_t;

/// False when all middles lie in one place along the axis.
static bool make_slices(slices_t *slices, const mesh_tree_t *tree, const part_t *part,
                        int32_t axis) {
    float width = part->middles.hi.f[axis] - part->middles.lo.f[axis];
    int32_t count = !is_large(tree)             ? MAX_BINS
                    : part->count <= SMALL_PART ? BINS_OF_PART
                                                : BINS_OF_LARGE;
    *slices = (slices_t){part->middles.lo.f[axis], (float)count / width, axis, count};
    return width > 0.0f && slices->scale < 1e30f;
}

static inline int32_t bin_of(const slices_t *slices, const tree_box_t *box) {
    float middle = box->lo.f[slices->axis] + box->hi.f[slices->axis];
    int32_t bin = (int32_t)((middle - slices->base) * slices->scale);
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
        add_box(&bins->boxes[bin], &boxes[i]);
    }
}

/// The cheapest cut between two slices, if it is cheaper than *best.
static void cheapest_cut(const bins_t *bins, const slices_t *slices, cut_t *best) {
    float behind[MAX_BINS];
    tree_box_t box = no_box();
    int32_t count = 0;
    for (int32_t i = slices->count - 1; i > 0; i--) {
        add_box(&box, &bins->boxes[i]);
        count += bins->counts[i];
        behind[i] = count > 0 ? cost_of(&box, count) : 0.0f;
    }
    int32_t all = count + bins->counts[0];
    box = no_box();
    count = 0;
    for (int32_t i = 1; i < slices->count; i++) {
        add_box(&box, &bins->boxes[i - 1]);
        count += bins->counts[i - 1];
        if (count == 0 || count == all) {
            continue;
        }
        float cost = cost_of(&box, count) + behind[i];
        if (best->bin == 0 || cost < best->cost) {
            *best = (cut_t){slices->axis, i, cost};
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
        if ((part->count <= MANY || axis == longest) && make_slices(&slices, tree, part, axis)) {
            fill_bins(&bins, tree, part, &slices);
            cheapest_cut(&bins, &slices, &best);
        }
    }
    int32_t count = part->count / 2;
    if (best.bin > 0) {
        make_slices(&slices, tree, part, best.axis);
        count = order_by_cut(tree, part, &slices, best.bin);
    }
    halves[0] = measured(tree, part->first, count, part->depth + 1);
    halves[1] = measured(tree, part->first + count, part->count - count, part->depth + 1);
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

/// Cuts the triangles in two again and again; a few are left whole. False: no memory.
static bool make_forks(mesh_tree_t *tree) {
    // Of each level above the one that is worked on one waits.
    part_t waiting[MESH_MAX_DEPTH];
    int32_t numbers[MESH_MAX_DEPTH];
    int32_t num_waiting = 1;
    int32_t few = is_large(tree) ? FEW_OF_LARGE : FEW;
    waiting[0] = measured(tree, 0, tree->num_triangles, 0);
    numbers[0] = 0;
    tree->num_forks = 1;
    while (num_waiting > 0) {
        part_t part = waiting[--num_waiting];
        int32_t number = numbers[num_waiting];
        part_t halves[2];
        tree->forks[number] = (fork_t){.box = part.box, .first = part.first, .count = part.count};
        if (part.count <= few) {
            continue;
        }
        if (!grow((void **)&tree->forks, &tree->room_forks, tree->num_forks + 1,
                  sizeof *tree->forks)) {
            return false;
        }
        cut_part(tree, &part, halves);
        tree->forks[number].ahead = tree->num_forks;
        for (int32_t i = 0; i < 2; i++) {
            ASSERT(num_waiting < MESH_MAX_DEPTH);
            numbers[num_waiting] = tree->num_forks++;
            waiting[num_waiting++] = halves[i];
        }
    }
    return true;
}

/// Lists the forks, each before its halves, and puts the triangles into the order in which they
/// come there. False: no memory.
static bool order_forks(mesh_tree_t *tree) {
    int32_t *order = malloc((size_t)tree->num_triangles * sizeof *order);
    int32_t *sequence = malloc((size_t)tree->num_forks * sizeof *sequence);
    if (!order || !sequence) {
        free(order);
        free(sequence);
        return false;
    }
    int32_t waiting[MESH_MAX_DEPTH];
    int32_t num_waiting = 1;
    int32_t num_forks = 0;
    int32_t count = 0;
    waiting[0] = 0;
    while (num_waiting > 0) {
        int32_t number = waiting[--num_waiting];
        fork_t *fork = &tree->forks[number];
        sequence[num_forks++] = number;
        if (fork->ahead != 0) {
            ASSERT(num_waiting + 1 < MESH_MAX_DEPTH);
            waiting[num_waiting++] = fork->ahead + 1;
            waiting[num_waiting++] = fork->ahead;
            fork->first = count;
        } else {
            memcpy(&order[count], &tree->order[fork->first], (size_t)fork->count * sizeof *order);
            fork->first = count;
            count += fork->count;
        }
    }
    ASSERT(num_forks == tree->num_forks && count == tree->num_triangles);
    free(tree->order);
    tree->order = order;
    tree->sequence = sequence;
    return true;
}

// ---- which forks become nodes ----

/// What the cheapest way to make at most 1, 2, .. 7 children out of a fork costs, and how: see
/// fork_t. The costs of the two it is cut into are known.
static void weigh_fork(const mesh_tree_t *tree, fork_t *fork) {
    float surface = MeshTree_HalfSurface(&fork->box);
    float block = fork->count <= MESH_WIDTH ? surface * BLOCK_COST : FLT_MAX;
    if (fork->ahead == 0) {
        for (int32_t i = 1; i < MESH_WIDTH; i++) {
            fork->costs[i] = block;
        }
        return;
    }
    const fork_t *a = &tree->forks[fork->ahead];
    const fork_t *b = &tree->forks[fork->ahead + 1];
    float spread[MESH_WIDTH + 1];
    for (int32_t all = 2; all <= MESH_WIDTH; all++) {
        spread[all] = FLT_MAX;
        for (int32_t first = 1; first < all; first++) {
            float cost = a->costs[first] + b->costs[all - first];
            if (cost < spread[all]) {
                spread[all] = cost;
                fork->shares[all] = (uint8_t)first;
            }
        }
    }
    float node = surface * NODE_COST + spread[MESH_WIDTH];
    fork->is_node = node < block;
    fork->costs[1] = fork->is_node ? node : block;
    for (int32_t i = 2; i < MESH_WIDTH; i++) {
        fork->costs[i] = spread[i];
        if (fork->costs[i - 1] <= spread[i]) {
            fork->costs[i] = fork->costs[i - 1];
            fork->shares[i] = 0;
        }
    }
}

/// The forks that are the children of a fork's node. Returns how many.
static int32_t children_of(const mesh_tree_t *tree, int32_t number, int32_t children[MESH_WIDTH]) {
    struct {
        int32_t number, lanes;
    } waiting[MESH_WIDTH];
    int32_t num_waiting = 0;
    int32_t count = 0;
    waiting[num_waiting].number = number;
    waiting[num_waiting++].lanes = MESH_WIDTH;
    while (num_waiting > 0) {
        int32_t at = waiting[--num_waiting].number;
        int32_t lanes = waiting[num_waiting].lanes;
        const fork_t *fork = &tree->forks[at];
        while (lanes > 1 && fork->shares[lanes] == 0) {
            lanes--;
        }
        if (lanes == 1) {
            children[count++] = at;
            continue;
        }
        waiting[num_waiting].number = fork->ahead + 1;
        waiting[num_waiting++].lanes = lanes - fork->shares[lanes];
        waiting[num_waiting].number = fork->ahead;
        waiting[num_waiting++].lanes = fork->shares[lanes];
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

/// Makes the node of a fork. Its children that are no leafs go onto the list of tasks.
static bool make_node(mesh_tree_t *tree, const task_t *task, task_t *tasks, int32_t *num_tasks) {
    const tree_box_t nothing = no_box();
    int32_t children[MESH_WIDTH];
    int32_t count = children_of(tree, task->fork, children);
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
        const fork_t *fork = lane < count ? &tree->forks[children[lane]] : NULL;
        if (!fork) {
            set_lane(node, lane, &nothing, MESH_NO_CHILD);
        } else if (fork->is_node) {
            set_lane(node, lane, &fork->box, 0);
            tasks[(*num_tasks)++] = (task_t){children[lane], number, lane, task->level + 1};
        } else {
            if (!grow((void **)&tree->leafs, &tree->room_leafs, tree->num_leafs,
                      sizeof *tree->leafs)) {
                return false;
            }
            set_lane(node, lane, &fork->box, -1 - tree->num_leafs);
            tree->leafs[tree->num_leafs++] = (tree_leaf_t){fork->first, fork->count};
        }
    }
    return true;
}

bool MeshTree_Init(mesh_tree_t *tree, int32_t num_triangles) {
    int32_t room = num_triangles / 2 + 16;
    size_t count = (size_t)num_triangles + 1;
    *tree = (mesh_tree_t){
        .boxes = aligned_alloc(_Alignof(tree_box_t), count * sizeof(tree_box_t)),
        .order = malloc(count * sizeof(int32_t)),
        .nodes = malloc((size_t)room * sizeof(mesh_node_t)),
        .leafs = malloc((size_t)room * sizeof(tree_leaf_t)),
        .forks = malloc((size_t)room * sizeof(fork_t)),
        .room_forks = room,
        .num_triangles = num_triangles,
        .room_nodes = room,
        .room_leafs = room,
    };
    if (!tree->boxes || !tree->order || !tree->nodes || !tree->leafs || !tree->forks) {
        MeshTree_Free(tree);
        return false;
    }
    for (int32_t i = 0; i < num_triangles; i++) {
        tree->order[i] = i;
    }
    return true;
}

/// Makes nodes and leafs of the cheapest of the forks.
static bool make_nodes(mesh_tree_t *tree) {
    // Seven wait for each level above the one that is worked on.
    task_t *tasks = malloc((MESH_WIDTH * MESH_MAX_DEPTH + 1) * sizeof *tasks);
    bool good = tasks != NULL;
    int32_t num_tasks = 0;
    for (int32_t i = tree->num_forks - 1; good && i >= 0; i--) {
        weigh_fork(tree, &tree->forks[tree->sequence[i]]);
    }
    if (good) {
        tasks[num_tasks++] = (task_t){0, -1, 0, 0};
    }
    while (good && num_tasks > 0) {
        task_t task = tasks[--num_tasks];
        good = make_node(tree, &task, tasks, &num_tasks);
    }
    free(tasks);
    return good;
}

bool MeshTree_Make(mesh_tree_t *tree) {
    return make_forks(tree) && (is_large(tree) || MeshTree_Reinsert(tree)) && order_forks(tree) &&
           make_nodes(tree);
}

void MeshTree_Free(mesh_tree_t *tree) {
    free(tree->boxes);
    free(tree->order);
    free(tree->nodes);
    free(tree->leafs);
    free(tree->forks);
    free(tree->sequence);
    *tree = (mesh_tree_t){0};
}
