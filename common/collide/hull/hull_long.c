/// collide/hull/hull_long.c - a long sweep through a hull's own nodes: what wide_kernel.h has to
/// answer, bit by bit, and what it leaves to be answered.
//
// Floor:   collide.
// Units:   qu; fractions of the sweep.
// Memory:  a stack of cuts, as deep as the tree.
// Repeat:  bit-identical on every supported compiler.
//
// It differs from hull.c in where it finds a plane crossed: not by the part of the sweep that is
// left, but by the ends of the whole, t1 / (t1 - t2). So that depends on nothing else, and any way
// to walk the tree comes to the same leafs with the same bits. hull.c's way needs every cut in the
// tree's order.

#include "base/assert.h"
#include "collide/hull/hull_local.h"

// Fractions before the start of a sweep and after its end: planes through those cut it, too.
#define BEFORE_START (-1.0f)
#define AFTER_END    2.0f

/// A part of a sweep that a node cut: what is behind the plane waits.
typedef struct {
    int32_t node;
    int32_t near_side; // 0: the sweep comes from the front
    float f1, f2;      // the part that it cut: fractions of the sweep
} cut_t;

/// A sweep under way.
typedef struct {
    hull_tree_t tree;
    const segment_t *whole;
    float f1, f2;     // what is left of it before the first waiting cut
    int32_t num_cuts; // that wait
    cut_t cuts[MAX_HULL_DEPTH];
} sweep_t;

/// Distances of the ends of a sweep to a node's plane.
typedef struct {
    float t1, t2;
} diffs_t;

static inline diffs_t node_diffs(const sweep_t *sweep, const clipnode_t *node) {
    const plane_t *planes = sweep->tree.planes;
    return (diffs_t){Hull_NodeDiff(node, planes, &sweep->whole->p1),
                     Hull_NodeDiff(node, planes, &sweep->whole->p2)};
}

/// Walks the part that is left down to the contents of the first leaf on its way. What lies behind
/// the planes that cut it waits on the stack. Where a plane is crossed is told by the whole sweep's
/// ends: so it does not depend on what was cut before, or on which nodes the tree has besides.
static int32_t walk_part(sweep_t *sweep, int32_t num) {
    while (num >= 0) {
        const clipnode_t *node = &sweep->tree.nodes[num];
        const diffs_t t = node_diffs(sweep, node);
        const int32_t near_side = t.t1 < 0.0f;
        int32_t side = near_side;
        if (near_side != (t.t2 < 0.0f)) {
            const float crossing = t.t1 / (t.t1 - t.t2);
            if (crossing <= sweep->f1) {
                side = 1 - near_side;
            } else if (crossing < sweep->f2) {
                // Loaders refuse deeper trees, and no way down meets a node twice.
                ASSERT(sweep->num_cuts < MAX_HULL_DEPTH);
                sweep->cuts[sweep->num_cuts++] = (cut_t){num, near_side, sweep->f1, sweep->f2};
                sweep->f2 = crossing;
            }
        }
        num = node->children[side];
    }
    return num;
}

/// Where a sweep meets solid.
typedef struct {
    cut_t cut; // the plane that the solid lies behind
    int32_t start_contents;
} impact_t;

/// Where to stop before the plane, and what is there.
static sweep_point_t stop_before(const sweep_t *sweep, const impact_t *impact, float share,
                                 contents_t *contents) {
    const segment_t *whole = sweep->whole;
    const float first = impact->cut.f1 < 0.0f ? 0.0f : impact->cut.f1;
    const float last = impact->cut.f2 > 1.0f ? 1.0f : impact->cut.f2;
    share = share < first ? first : share;
    sweep_point_t stop = Segment_At(whole, share);
    if (share == 0.0f) {
        *contents = (contents_t)impact->start_contents;
        return stop;
    }
    // By a plane rounding may have put it anywhere near. If that is in solid, go back until it is
    // not.
    contents_t found = CM_TreeContents(sweep->tree, &stop);
    while (found == CONTENTS_SOLID && share > first) {
        const float step = CM_BACKUP_STEP * (last - first);
        share = share - step > first ? share - step : first;
        stop = Segment_At(whole, share);
        found = CM_TreeContents(sweep->tree, &stop);
    }
    if (found == CONTENTS_SOLID && impact->start_contents != CONTENTS_SOLID) {
        stop = whole->p1; // the part that it cut begins in solid by the last bit, too
        found = (contents_t)impact->start_contents;
    }
    *contents = found;
    return stop;
}

/// The answer for a sweep that meets solid.
static trace_t stop_at(const sweep_t *sweep, const impact_t *impact) {
    const clipnode_t *node = &sweep->tree.nodes[impact->cut.node];
    const diffs_t t = node_diffs(sweep, node);
    trace_t trace = {.entnum = TRACE_NOTHING,
                     .startsolid = impact->start_contents == CONTENTS_SOLID};
    const sweep_point_t stop =
        stop_before(sweep, impact, Segment_NearShare(t.t1, t.t2), &trace.contents);
    trace.fraction = stop.f[3];
    trace.endpos = Vector(stop.f[0], stop.f[1], stop.f[2]);
    trace.plane = Hull_FacingPlane(sweep->tree.planes, node, t.t1 < 0.0f);
    return trace;
}

trace_t CM_LongTrace(hull_tree_t tree, const segment_t *whole) {
    sweep_t sweep; // large: only as much of the stack as is used is ever touched
    sweep.tree = tree;
    sweep.whole = whole;
    sweep.f1 = BEFORE_START;
    sweep.f2 = AFTER_END;
    sweep.num_cuts = 0;
    int32_t contents = walk_part(&sweep, tree.root);
    const int32_t start_contents = contents;
    bool open = contents != CONTENTS_SOLID; // has been out of solid
    for (int32_t cuts = 0; sweep.num_cuts > 0; cuts++) {
        // Go on behind the nearest cut: from where its near part ended to where it ended itself.
        const cut_t cut = sweep.cuts[--sweep.num_cuts];
        sweep.f1 = sweep.f2;
        sweep.f2 = cut.f2;
        contents = walk_part(&sweep, tree.nodes[cut.node].children[1 - cut.near_side]);
        if ((contents == CONTENTS_SOLID && open) || cuts == MAX_HULL_SPLITS) {
            const impact_t impact = {cut, start_contents};
            return stop_at(&sweep, &impact);
        }
        open = open || contents != CONTENTS_SOLID;
    }
    return Hull_Miss(whole, start_contents == CONTENTS_SOLID, contents, open);
}
