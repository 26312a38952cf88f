#include "collide/hull.h"

#include "base/assert.h"
#include "collide/segment.h"

/// A segment that a node cut: its near part is walked first, its far part waits here.
typedef struct {
    segment_t whole;
    int32_t node;
    int32_t near_side; // 0: the sweep comes from the front
} split_t;

/// A sweep under way.
typedef struct {
    const hull_t *hull;
    segment_t part;     // what is left of the sweep before the first waiting cut
    int32_t num_splits; // that wait
    split_t splits[MAX_HULL_DEPTH];
} sweep_t;

static inline float node_diff(const clipnode_t *node, const plane_t *planes,
                              const sweep_point_t *p) {
    int32_t type = node->plane & 3;
    if (type < PLANE_ANY) {
        return p->f[type] - node->dist;
    }
    vec3_t normal = planes[node->plane >> 2].normal;
    return p->f[0] * normal.x + p->f[1] * normal.y + p->f[2] * normal.z - node->dist;
}

static inline int32_t walk_point(const hull_t *hull, int32_t num, const sweep_point_t *p) {
    while (num >= 0) {
        const clipnode_t *node = &hull->nodes[num];
        if (node_diff(node, hull->planes, p) < 0.0f) {
            num = node->children[1];
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
    while (num >= 0) {
        const clipnode_t *node = &nodes[num];
        float t1 = node_diff(node, planes, &part->p1);
        float t2 = node_diff(node, planes, &part->p2);
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
    return num;
}

/// The answer for a sweep that `cut` stops. `top` is the first node that cut the sweep: all of it is
/// on the same side of those above.
static void stop_at(trace_t *trace, const hull_t *hull, const split_t *cut, int32_t top) {
    const clipnode_t *node = &hull->nodes[cut->node];
    trace->plane = hull->planes[CM_ClipNodePlane(node)];
    if (cut->near_side == 1) {
        // 0 - x rather than -x: no negative zeros in answers.
        trace->plane.normal = VectorSubtract(Vector(0.0f, 0.0f, 0.0f), trace->plane.normal);
        trace->plane.dist = 0.0f - trace->plane.dist;
        trace->plane.type = PLANE_ANY;
    }
    // The end may be solid all the same: it may lie behind a plane passed before, by less than the
    // epsilon that is kept in front of a plane. Go back until it is not.
    float share = Segment_NearShare(node_diff(node, hull->planes, &cut->whole.p1),
                                    node_diff(node, hull->planes, &cut->whole.p2));
    sweep_point_t stop = Segment_At(&cut->whole, share);
    int32_t contents = walk_point(hull, top, &stop);
    while (contents == CONTENTS_SOLID && share >= CM_BACKUP_STEP) {
        share -= CM_BACKUP_STEP;
        stop = Segment_At(&cut->whole, share);
        contents = walk_point(hull, top, &stop);
    }
    trace->fraction = stop.f[3];
    trace->endpos = Vector(stop.f[0], stop.f[1], stop.f[2]);
    trace->contents = (contents_t)contents;
}

trace_t CM_HullTrace(const hull_t *hull, vec3_t start, vec3_t end) {
    trace_t trace = {.fraction = 1.0f, .endpos = end, .entnum = TRACE_NOTHING};
    sweep_t sweep; // large: only as much of the stack as is used is ever touched
    sweep.hull = hull;
    sweep.part = Segment_Whole(start, end);
    sweep.num_splits = 0;
    int32_t contents = walk_part(&sweep, hull->root);
    trace.startsolid = contents == CONTENTS_SOLID;
    bool open = !trace.startsolid; // has been out of solid
    int32_t top = sweep.num_splits > 0 ? sweep.splits[0].node : 0;
    for (int32_t cuts = 0; sweep.num_splits > 0; cuts++) {
        // Go on behind the nearest cut: from where its near part ended to where it ended itself.
        const split_t cut = sweep.splits[--sweep.num_splits];
        sweep.part.p1 = sweep.part.p2;
        sweep.part.p2 = cut.whole.p2;
        contents = walk_part(&sweep, hull->nodes[cut.node].children[1 - cut.near_side]);
        if ((contents == CONTENTS_SOLID && open) || cuts == MAX_HULL_SPLITS) {
            stop_at(&trace, hull, &cut, top);
            return trace;
        }
        open = open || contents != CONTENTS_SOLID;
    }
    trace.contents = (contents_t)contents;
    if (!open) {
        trace.allsolid = true;
        trace.fraction = 0.0f;
        trace.endpos = start;
    }
    return trace;
}
