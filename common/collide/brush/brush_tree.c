/// collide/brush/brush_tree.c - builds the tree of boxes over a model's brushes.
//
// Source:  the surface area heuristic: a branch costs brushes * surface. Each branch is split where
//          both parts cost least.

#include "base/assert.h"
#include "collide/brush/brush_build.h"

#include <stdlib.h>
#include <string.h>

#define EMPTY_LANE 1e30f // qu; bounds of an unused lane, farther than any sweep

/// Deeper branches are split into equal counts, to fit the stack in brush.c.
enum { MAX_FREE_DEPTH = 24 };

typedef struct {
    float key;
    int32_t brush;
} sort_t;

/// A branch: `count` brushes of the order from `first` on.
typedef struct {
    int32_t first, count, depth;
} part_t;

/// A child to build: its branch, node and lane.
typedef struct {
    part_t part;
    int32_t node, lane;
} task_t;

typedef struct {
    const cbrush_t *brushes;
    int32_t *order;
    sort_t *sorted;
    float *costs; // [i]: cost of the brushes from i to the end
} builder_t;

static int compare(const void *a, const void *b) {
    const sort_t *p = a;
    const sort_t *q = b;
    return p->key != q->key ? (p->key < q->key ? -1 : 1) : p->brush < q->brush ? -1 : 1;
}

static float half_surface(bounds_t box) {
    vec3_t d = VectorSubtract(box.maxs, box.mins);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

static bounds_t part_bounds(const builder_t *b, part_t part) {
    bounds_t box = b->brushes[b->order[part.first]].bounds;
    for (int32_t i = 1; i < part.count; i++) {
        box = BoundsUnion(box, b->brushes[b->order[part.first + i]].bounds);
    }
    return box;
}

static void sort_part(const builder_t *b, part_t part, int32_t axis) {
    for (int32_t i = 0; i < part.count; i++) {
        int32_t brush = b->order[part.first + i];
        bounds_t box = b->brushes[brush].bounds;
        b->sorted[i] = (sort_t){VectorAxis(box.mins, axis) + VectorAxis(box.maxs, axis), brush};
    }
    qsort(b->sorted, (size_t)part.count, sizeof *b->sorted, compare);
}

/// Returns the index of the cheapest split, and its *cost.
static int32_t cheapest_cut(const builder_t *b, int32_t count, float *cost) {
    bounds_t box = b->brushes[b->sorted[count - 1].brush].bounds;
    for (int32_t i = count - 1; i > 0; i--) {
        box = BoundsUnion(box, b->brushes[b->sorted[i].brush].bounds);
        b->costs[i] = half_surface(box) * (float)(count - i);
    }
    box = b->brushes[b->sorted[0].brush].bounds;
    int32_t best = 1;
    for (int32_t i = 1; i < count; i++) {
        float total = half_surface(box) * (float)i + b->costs[i];
        if (i == 1 || total < *cost) {
            *cost = total;
            best = i;
        }
        box = BoundsUnion(box, b->brushes[b->sorted[i].brush].bounds);
    }
    return best;
}

/// Sorts a branch of at least two brushes along the best axis. Returns the split.
static int32_t cut_part(const builder_t *b, part_t part) {
    int32_t best_axis = 0;
    int32_t best_cut = 1;
    float best_cost = 0.0f;
    for (int32_t axis = 0; axis < 3; axis++) {
        float cost = 0.0f;
        sort_part(b, part, axis);
        int32_t cut = cheapest_cut(b, part.count, &cost);
        if (axis == 0 || cost < best_cost) {
            best_axis = axis;
            best_cut = cut;
            best_cost = cost;
        }
    }
    sort_part(b, part, best_axis);
    for (int32_t i = 0; i < part.count; i++) {
        b->order[part.first + i] = b->sorted[i].brush;
    }
    return part.depth >= MAX_FREE_DEPTH ? part.count / 2 : best_cut;
}

/// Splits a branch into at most four. Each step splits the largest part.
static int32_t cut_in_four(const builder_t *b, part_t part, part_t parts[4]) {
    int32_t count = 1;
    parts[0] = part;
    while (count < 4) {
        int32_t largest = 0;
        float surface = -1.0f;
        for (int32_t i = 0; i < count; i++) {
            float size = half_surface(part_bounds(b, parts[i]));
            if (parts[i].count > 1 && (surface < 0.0f || size > surface)) {
                largest = i;
                surface = size;
            }
        }
        if (surface < 0.0f) {
            break;
        }
        part_t whole = parts[largest];
        int32_t cut = cut_part(b, whole);
        parts[largest] = (part_t){whole.first, cut, whole.depth + 1};
        parts[count++] = (part_t){whole.first + cut, whole.count - cut, whole.depth + 1};
    }
    return count;
}

static void set_lane(brush_node_t *node, int32_t lane, bounds_t box, int32_t child) {
    for (int32_t axis = 0; axis < 3; axis++) {
        node->bounds[axis][lane] = VectorAxis(box.mins, axis);
        node->bounds[3 + axis][lane] = VectorAxis(box.maxs, axis);
    }
    node->children[lane] = child;
}

/// Builds the node of a branch. Appends children with several brushes to the tasks.
static bool make_node(brushes_t *brushes, builder_t *b, part_t part, task_t *tasks,
                      int32_t *num_tasks) {
    const bounds_t nothing = {Vector(EMPTY_LANE, EMPTY_LANE, EMPTY_LANE),
                              Vector(EMPTY_LANE, EMPTY_LANE, EMPTY_LANE)};
    part_t parts[4];
    int32_t count = cut_in_four(b, part, parts);
    brush_node_t *node = Brushes_Grow(&brushes->nodes, 1, sizeof *node);
    if (!node) {
        return false;
    }
    for (int32_t lane = 0; lane < 4; lane++) {
        if (lane >= count) {
            set_lane(node, lane, nothing, BRUSH_NO_CHILD);
        } else if (parts[lane].count == 1) {
            int32_t brush = b->order[parts[lane].first];
            set_lane(node, lane, b->brushes[brush].bounds, -1 - brush);
        } else {
            set_lane(node, lane, part_bounds(b, parts[lane]), 0);
            tasks[(*num_tasks)++] = (task_t){parts[lane], brushes->nodes.count - 1, lane};
        }
    }
    return true;
}

static bool make_nodes(brushes_t *brushes, builder_t *b, int32_t count, task_t *tasks) {
    int32_t num_tasks = 0;
    if (!make_node(brushes, b, (part_t){0, count, 0}, tasks, &num_tasks)) {
        return false;
    }
    while (num_tasks > 0) {
        task_t task = tasks[--num_tasks];
        brush_node_t *nodes = brushes->nodes.data;
        nodes[task.node].children[task.lane] = brushes->nodes.count;
        if (!make_node(brushes, b, task.part, tasks, &num_tasks)) {
            return false;
        }
    }
    return true;
}

bool Brushes_MakeTree(brushes_t *brushes, int32_t first, int32_t *root) {
    int32_t count = brushes->brushes.count - first;
    ASSERT(count >= 0);
    *root = count == 0 ? BRUSH_NO_CHILD : brushes->nodes.count;
    if (count == 0) {
        return true;
    }
    size_t size = (size_t)count;
    builder_t b = {.brushes = brushes->brushes.data,
                   .order = calloc(size, sizeof *b.order),
                   .sorted = calloc(size, sizeof *b.sorted),
                   .costs = calloc(size, sizeof *b.costs)};
    task_t *tasks = calloc(size, sizeof *tasks);
    bool good = b.order && b.sorted && b.costs && tasks;
    if (good) {
        for (int32_t i = 0; i < count; i++) {
            b.order[i] = first + i;
        }
        good = make_nodes(brushes, &b, count, tasks);
    }
    free(b.order);
    free(b.sorted);
    free(b.costs);
    free(tasks);
    return good;
}
