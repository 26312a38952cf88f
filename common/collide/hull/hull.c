#include "collide/hull/hull.h"

#include "base/assert.h"
#include "collide/hull/cells.h"
#include "collide/hull/hull_local.h"

/// A segment cut by a node's plane. The far part waits while the near part is walked.
typedef struct {
    segment_t whole;
    int32_t node;
    int32_t near_side; // 0 = starts in front of the plane, 1 = behind it
} split_t;

typedef struct {
    hull_tree_t tree;
    segment_t part;      // part of the sweep before the first waiting cut
    sweep_point_t start; // start of the whole sweep
    float grazing;       // smallest distance to a slanted plane, at most CM_GRAZING
    int32_t num_splits;  // number of waiting far parts
    split_t splits[MAX_HULL_DEPTH];
} sweep_t;

/// The state of a sweep when it hits solid.
typedef struct {
    split_t cut;            // the cut by the hit plane
    float leaf_f1;          // fraction at the entry of the last open leaf
    int32_t leaf_contents;  // contents of the last open leaf
    int32_t start_contents; // contents at the sweep's start
    int32_t top;            // first node that cut the sweep
} impact_t;

/// Distances of the ends of a segment to a plane.
typedef struct {
    float t1, t2;
} diffs_t;

static inline diffs_t node_diffs(const clipnode_t *node, const plane_t *planes,
                                 const segment_t *part, float *grazing) {
    int32_t type = node->plane & 3;
    if (type < PLANE_ANY) {
        return (diffs_t){part->p1.f[type] - node->dist, part->p2.f[type] - node->dist};
    }
    const diffs_t t = {Hull_SlantedDiff(node, planes, &part->p1),
                       Hull_SlantedDiff(node, planes, &part->p2)};
    *grazing = fabsf(t.t1) < *grazing ? fabsf(t.t1) : *grazing;
    *grazing = fabsf(t.t2) < *grazing ? fabsf(t.t2) : *grazing;
    return t;
}

static inline int32_t walk_point(const clipnode_t *nodes, const plane_t *planes, int32_t num,
                                 const sweep_point_t *p) {
    while (num >= 0) {
        const clipnode_t *node = &nodes[num];
        if (Hull_NodeDiff(node, planes, p) < 0.0f) {
            num = node->children[1];
            // Keeps the compiler from selecting the child without a branch. Only a predicted branch
            // starts the next load early (bench_trace: 133 -> 86 ns).
            __asm__ volatile("");
        } else {
            num = node->children[0];
        }
    }
    return num;
}

contents_t CM_TreeContents(hull_tree_t tree, const sweep_point_t *point) {
    return (contents_t)walk_point(tree.nodes, tree.planes, tree.root, point);
}

contents_t CM_HullPointContents(const hull_t *hull, vec3_t point) {
    const sweep_point_t p = {{point.x, point.y, point.z, 0.0f}};
    const cell_ref_t *ref = hull->cells ? CM_CellAt(hull->cells, point) : NULL;
    if (ref) {
        const hull_cell_t cell = CM_Cell(hull, ref);
        return CM_CellContents(&cell, &p);
    }
    return (contents_t)walk_point(hull->nodes, hull->planes, hull->root, &p);
}

/// Walks a part down to its first leaf, and pushes far parts. Returns the contents of the leaf.
static inline int32_t walk_part(sweep_t *sweep, int32_t num) {
    const clipnode_t *nodes = sweep->tree.nodes;
    const plane_t *planes = sweep->tree.planes;
    segment_t *part = &sweep->part;
    float grazing = sweep->grazing;
    while (num >= 0) {
        const clipnode_t *node = &nodes[num];
        const diffs_t t = node_diffs(node, planes, part, &grazing);
        if (t.t1 >= 0.0f && t.t2 >= 0.0f) {
            num = node->children[0];
            continue;
        }
        if (t.t1 < 0.0f && t.t2 < 0.0f) {
            num = node->children[1];
            continue;
        }
        // Holds, because loaders reject deeper trees and a path visits a node once.
        ASSERT(sweep->num_splits < MAX_HULL_DEPTH);
        split_t *split = &sweep->splits[sweep->num_splits++];
        split->whole = *part;
        split->node = num;
        split->near_side = t.t1 < 0.0f;
        __builtin_prefetch(&nodes[node->children[t.t1 >= 0.0f]]);
        part->p2 = Segment_At(&split->whole, t.t1 / (t.t1 - t.t2));
        num = node->children[split->near_side];
    }
    sweep->grazing = grazing;
    return num;
}

/// Returns the stop before the hit plane, and its contents.
static sweep_point_t stop_before(const sweep_t *sweep, const impact_t *impact,
                                 contents_t *contents) {
    const clipnode_t *nodes = sweep->tree.nodes;
    const plane_t *planes = sweep->tree.planes;
    const segment_t *whole = &impact->cut.whole;
    const clipnode_t *node = &nodes[impact->cut.node];
    float share = Segment_NearShare(Hull_NodeDiff(node, planes, &whole->p1),
                                    Hull_NodeDiff(node, planes, &whole->p2));
    sweep_point_t stop = Segment_At(whole, share);
    if (stop.f[3] == 0.0f) {
        *contents = (contents_t)impact->start_contents;
        return stop;
    }
    if (stop.f[3] > impact->leaf_f1 && sweep->grazing >= CM_GRAZING) {
        *contents = (contents_t)impact->leaf_contents;
        return stop;
    }
    // Rounding may put the stop behind an earlier plane, so back up until it is free. A grazed
    // plane may be above the first split: then search from the root.
    int32_t top = sweep->grazing < CM_GRAZING ? sweep->tree.root : impact->top;
    int32_t found = walk_point(nodes, planes, top, &stop);
    while (found == CONTENTS_SOLID && share > 0.0f) {
        share = share > CM_BACKUP_STEP ? share - CM_BACKUP_STEP : 0.0f;
        stop = Segment_At(whole, share);
        found = walk_point(nodes, planes, top, &stop);
    }
    if (found == CONTENTS_SOLID && impact->start_contents != CONTENTS_SOLID) {
        stop = sweep->start; // even the start of the cut segment is in solid
        found = impact->start_contents;
    }
    *contents = (contents_t)found;
    return stop;
}

static trace_t stop_at(const sweep_t *sweep, const impact_t *impact) {
    const split_t *cut = &impact->cut;
    trace_t trace = {.entnum = TRACE_NOTHING,
                     .startsolid = impact->start_contents == CONTENTS_SOLID};
    sweep_point_t stop = stop_before(sweep, impact, &trace.contents);
    trace.fraction = stop.f[3];
    trace.endpos = Vector(stop.f[0], stop.f[1], stop.f[2]);
    trace.plane =
        Hull_FacingPlane(sweep->tree.planes, &sweep->tree.nodes[cut->node], cut->near_side == 1);
    return trace;
}

/// Returns the trace of a sweep with one cut, from an open leaf into solid.
static inline trace_t stop_at_leaf(const hull_tree_t *tree, const segment_t *whole,
                                   const clipnode_t *node, diffs_t t) {
    const int32_t near_side = t.t1 < 0.0f;
    const sweep_point_t stop = Segment_At(whole, Segment_NearShare(t.t1, t.t2));
    return (trace_t){.fraction = stop.f[3],
                     .endpos = {stop.f[0], stop.f[1], stop.f[2]},
                     .plane = Hull_FacingPlane(tree->planes, node, near_side == 1),
                     .contents = (contents_t)node->children[near_side],
                     .entnum = TRACE_NOTHING};
}

/// Traces a sweep from `num` down. grazing: distance to the planes above, which do not cut it.
__attribute__((noinline)) static trace_t trace_below(hull_tree_t tree, const segment_t *whole,
                                                     int32_t num, float grazing) {
    sweep_t sweep; // large, but used sparsely
    sweep.tree = tree;
    sweep.part = *whole;
    sweep.start = whole->p1;
    sweep.grazing = grazing;
    sweep.num_splits = 0;
    int32_t contents = walk_part(&sweep, num);
    const int32_t start_contents = contents;
    const int32_t top = sweep.num_splits > 0 ? sweep.splits[0].node : num;
    bool open = contents != CONTENTS_SOLID; // true if part of the sweep was free
    for (int32_t cuts = 0; sweep.num_splits > 0; cuts++) {
        // Continue with the nearest waiting far part.
        const split_t cut = sweep.splits[--sweep.num_splits];
        const float leaf_f1 = sweep.part.p1.f[3];
        const int32_t leaf_contents = contents;
        sweep.part.p1 = sweep.part.p2;
        sweep.part.p2 = cut.whole.p2;
        contents = walk_part(&sweep, tree.nodes[cut.node].children[1 - cut.near_side]);
        if ((contents == CONTENTS_SOLID && open) || cuts == MAX_HULL_SPLITS) {
            const impact_t impact = {cut, leaf_f1, leaf_contents, start_contents, top};
            return stop_at(&sweep, &impact);
        }
        open = open || contents != CONTENTS_SOLID;
    }
    return Hull_Miss(whole, start_contents == CONTENTS_SOLID, contents, open);
}

/// Traces a sweep. Creates a sweep_t only if a node cuts, because most short sweeps are not cut.
__attribute__((always_inline)) static inline trace_t trace_short(hull_tree_t tree,
                                                                 const segment_t *whole) {
    float grazing = CM_GRAZING;
    int32_t num = tree.root;
    while (num >= 0) {
        const clipnode_t *node = &tree.nodes[num];
        const diffs_t t = node_diffs(node, tree.planes, whole, &grazing);
        if (t.t1 >= 0.0f && t.t2 >= 0.0f) {
            num = node->children[0];
        } else if (t.t1 < 0.0f && t.t2 < 0.0f) {
            num = node->children[1];
            __asm__ volatile(""); // keeps the branch, as in walk_point
        } else {
            const int32_t near = node->children[t.t1 < 0.0f];
            const int32_t far = node->children[t.t1 >= 0.0f];
            if (far == CONTENTS_SOLID && near < 0 && near != CONTENTS_SOLID &&
                grazing >= CM_GRAZING) {
                return stop_at_leaf(&tree, whole, node, t); // most often a floor or a wall
            }
            return trace_below(tree, whole, num, grazing);
        }
    }
    return Hull_Miss(whole, num == CONTENTS_SOLID, num, num != CONTENTS_SOLID);
}

trace_t CM_TraceTree(hull_tree_t tree, const segment_t *whole) {
    return trace_short(tree, whole);
}

trace_t CM_HullTrace(const hull_t *hull, vec3_t start, vec3_t end) {
    const segment_t whole = Segment_Whole(start, end);
    const lanes_t delta = whole.p2.v - whole.p1.v;
    const lanes_t size = (lanes_t)((lanes_mask_t)delta &
                                   INT32_MAX); // the lane of the fraction is 1 and always passes
    const hull_cells_t *cells = hull->cells;
    if (cells && Lanes_Bits(size <= Lanes_All(2.0f * CELL_REACH)) == 15) {
        const sweep_point_t middle = {whole.p1.v + delta * Lanes_All(0.5f)};
        const cell_ref_t *ref = CM_CellAt(cells, Vector(middle.f[0], middle.f[1], middle.f[2]));
        if (ref) {
            const hull_cell_t cell = CM_Cell(hull, ref);
            return CM_CellTrace(&cell, &whole);
        }
    }
    return trace_below((hull_tree_t){hull->nodes, hull->planes, hull->root}, &whole, hull->root,
                       CM_GRAZING);
}
