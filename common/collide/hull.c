#include "collide/hull.h"

#include "base/assert.h"
#include "collide/segment.h"

/// A segment that a node cut: its near part is walked first, its far part waits here.
typedef struct {
    segment_t whole;
    int32_t node;
    int32_t near_side; // 0: the sweep comes from the front
} split_t;

/// A segment with an end closer to a slanted plane may have places that rounding puts on its
/// other side. Less than CM_DIST_EPSILON, so that sliding along what was hit does not count.
#define GRAZING 0.015625f // qu

/// A sweep under way.
typedef struct {
    const hull_t *hull;
    segment_t part;      // what is left of the sweep before the first waiting cut
    sweep_point_t start; // of the whole
    float grazing;       // the smallest distance of an end to a slanted plane, up to GRAZING
    int32_t num_splits;  // that wait
    split_t splits[MAX_HULL_DEPTH];
} sweep_t;

/// Where a sweep is when it meets solid.
typedef struct {
    split_t cut;            // the plane that the solid lies behind
    float leaf_f1;          // the fraction where it came into the leaf before that plane
    int32_t leaf_contents;  // of that leaf; not solid
    int32_t start_contents; // at the sweep's start
    int32_t top;            // the first node that cut the sweep: it lies on one side of all above
} impact_t;

static inline float slanted_diff(const clipnode_t *node, const plane_t *planes,
                                 const sweep_point_t *p) {
    vec3_t normal = planes[CM_ClipNodePlane(node)].normal;
    return p->f[0] * normal.x + p->f[1] * normal.y + p->f[2] * normal.z - node->dist;
}

static inline float node_diff(const clipnode_t *node, const plane_t *planes,
                              const sweep_point_t *p) {
    int32_t type = node->plane & 3;
    return type < PLANE_ANY ? p->f[type] - node->dist : slanted_diff(node, planes, p);
}

static inline int32_t walk_point(const hull_t *hull, int32_t num, const sweep_point_t *p) {
    while (num >= 0) {
        const clipnode_t *node = &hull->nodes[num];
        if (node_diff(node, hull->planes, p) < 0.0f) {
            num = node->children[1];
            // Keeps clang from choosing the child without a branch: a walk is a chain of loads, and
            // only a guessed branch lets the next one begin early (bench_trace: 133 -> 86 ns).
            __asm__ volatile("");
        } else {
            num = node->children[0];
        }
    }
    return num;
}

contents_t CM_HullPointContents(const hull_t *hull, vec3_t point) {
    const sweep_point_t p = {{point.x, point.y, point.z, 0.0f}};
    return (contents_t)walk_point(hull, hull->root, &p);
}

/// Walks the part that is left down to the contents of the first leaf on its way. What lies behind
/// the planes that cut it waits on the stack.
static inline int32_t walk_part(sweep_t *sweep, int32_t num) {
    const clipnode_t *nodes = sweep->hull->nodes;
    const plane_t *planes = sweep->hull->planes;
    segment_t *part = &sweep->part;
    float grazing = sweep->grazing;
    while (num >= 0) {
        const clipnode_t *node = &nodes[num];
        int32_t type = node->plane & 3;
        float t1;
        float t2;
        if (type < PLANE_ANY) {
            t1 = part->p1.f[type] - node->dist;
            t2 = part->p2.f[type] - node->dist;
        } else {
            t1 = slanted_diff(node, planes, &part->p1);
            t2 = slanted_diff(node, planes, &part->p2);
            grazing = fabsf(t1) < grazing ? fabsf(t1) : grazing;
            grazing = fabsf(t2) < grazing ? fabsf(t2) : grazing;
        }
        if (t1 >= 0.0f && t2 >= 0.0f) {
            num = node->children[0];
            continue;
        }
        if (t1 < 0.0f && t2 < 0.0f) {
            num = node->children[1];
            continue;
        }
        // Loaders refuse deeper trees, and no way down meets a node twice.
        ASSERT(sweep->num_splits < MAX_HULL_DEPTH);
        split_t *split = &sweep->splits[sweep->num_splits++];
        split->whole = *part;
        split->node = num;
        split->near_side = t1 < 0.0f;
        part->p2 = Segment_At(&split->whole, t1 / (t1 - t2));
        num = node->children[split->near_side];
    }
    sweep->grazing = grazing;
    return num;
}

/// Where to stop before the plane, and what is there.
static sweep_point_t stop_before(const sweep_t *sweep, const impact_t *impact,
                                 contents_t *contents) {
    const hull_t *hull = sweep->hull;
    const segment_t *whole = &impact->cut.whole;
    const clipnode_t *node = &hull->nodes[impact->cut.node];
    float share = Segment_NearShare(node_diff(node, hull->planes, &whole->p1),
                                    node_diff(node, hull->planes, &whole->p2));
    sweep_point_t stop = Segment_At(whole, share);
    if (stop.f[3] == 0.0f) {
        *contents = (contents_t)impact->start_contents;
        return stop;
    }
    if (stop.f[3] > impact->leaf_f1 && sweep->grazing >= GRAZING) {
        *contents = (contents_t)impact->leaf_contents;
        return stop;
    }
    // On a plane that was passed, or before it: rounding may have put it anywhere near. If that is
    // in solid, go back until it is not. A grazed plane may be one above the first that cut.
    int32_t top = sweep->grazing < GRAZING ? hull->root : impact->top;
    int32_t found = walk_point(hull, top, &stop);
    while (found == CONTENTS_SOLID && share > 0.0f) {
        share = share > CM_BACKUP_STEP ? share - CM_BACKUP_STEP : 0.0f;
        stop = Segment_At(whole, share);
        found = walk_point(hull, top, &stop);
    }
    if (found == CONTENTS_SOLID && impact->start_contents != CONTENTS_SOLID) {
        stop = sweep->start; // the part that it cut begins in solid by the last bit, too
        found = impact->start_contents;
    }
    *contents = (contents_t)found;
    return stop;
}

/// The answer for a sweep that meets solid.
static trace_t stop_at(const sweep_t *sweep, const impact_t *impact) {
    trace_t trace = {.entnum = TRACE_NOTHING,
                     .startsolid = impact->start_contents == CONTENTS_SOLID};
    sweep_point_t stop = stop_before(sweep, impact, &trace.contents);
    trace.fraction = stop.f[3];
    trace.endpos = Vector(stop.f[0], stop.f[1], stop.f[2]);
    trace.plane = sweep->hull->planes[CM_ClipNodePlane(&sweep->hull->nodes[impact->cut.node])];
    if (impact->cut.near_side == 1) {
        // 0 - x rather than -x: no negative zeros in answers.
        trace.plane.normal = VectorSubtract(Vector(0.0f, 0.0f, 0.0f), trace.plane.normal);
        trace.plane.dist = 0.0f - trace.plane.dist;
        trace.plane.type = PLANE_ANY;
    }
    return trace;
}

trace_t CM_HullTrace(const hull_t *hull, vec3_t start, vec3_t end) {
    sweep_t sweep; // large: only as much of the stack as is used is ever touched
    sweep.hull = hull;
    sweep.part = Segment_Whole(start, end);
    sweep.start = sweep.part.p1;
    sweep.grazing = GRAZING;
    sweep.num_splits = 0;
    int32_t contents = walk_part(&sweep, hull->root);
    const int32_t start_contents = contents;
    const int32_t top = sweep.num_splits > 0 ? sweep.splits[0].node : hull->root;
    bool open = contents != CONTENTS_SOLID; // has been out of solid
    for (int32_t cuts = 0; sweep.num_splits > 0; cuts++) {
        // Go on behind the nearest cut: from where its near part ended to where it ended itself.
        const split_t cut = sweep.splits[--sweep.num_splits];
        const float leaf_f1 = sweep.part.p1.f[3];
        const int32_t leaf_contents = contents;
        sweep.part.p1 = sweep.part.p2;
        sweep.part.p2 = cut.whole.p2;
        contents = walk_part(&sweep, hull->nodes[cut.node].children[1 - cut.near_side]);
        if ((contents == CONTENTS_SOLID && open) || cuts == MAX_HULL_SPLITS) {
            const impact_t impact = {cut, leaf_f1, leaf_contents, start_contents, top};
            return stop_at(&sweep, &impact);
        }
        open = open || contents != CONTENTS_SOLID;
    }
    return (trace_t){.fraction = open ? 1.0f : 0.0f,
                     .endpos = open ? end : start,
                     .contents = (contents_t)contents,
                     .entnum = TRACE_NOTHING,
                     .startsolid = start_contents == CONTENTS_SOLID,
                     .allsolid = !open};
}
