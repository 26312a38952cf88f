/// collide/hull/wide_kernel.h - a sweep through a wide tree, for the lanes that the file that includes
/// it asks for. Inside of collide/ only.
//
// Floor:   collide.
// Memory:  a frame for each node on the way down.

#ifndef EDICTD_COLLIDE_WIDE_KERNEL_H
#define EDICTD_COLLIDE_WIDE_KERNEL_H

#include "collide/hull/wide_lanes.h"
#include "collide/hull/wide_local.h"

/// Fractions before the start of a sweep and after its end: planes through those are crossed, too.
#define WIDE_BEFORE (-1.0f)
#define WIDE_AFTER  2.0f

/// Nodes on a way down; a deeper way is left to the hull's own nodes.
enum { WIDE_MAX_DEPTH = 96 };

/// A node that the sweep is in, and in which child of it.
typedef struct {
    eight_t crossed; // where on the sweep each plane is
    const wide_node_t *node;
    uint32_t behind; // the planes that have the start behind
    uint32_t way;    // the planes on the way to the child
    float next, end; // where the sweep leaves the child, and the node
    int32_t waiting; // the nearest frame above whose node the sweep is still in when it leaves
                     // this one; -1: none
} wide_frame_t;

typedef struct {
    const wide_node_t *nodes;
    eight_point_t start, end;
    wide_frame_t in;          // the node that it is in
    float at;                 // how far it has come
    float leaf_from;          // where it came into the last leaf
    int32_t leaf;             // the contents of that
    int32_t start_leaf;       // and of the first
    bool open;                // has been out of solid
    const wide_node_t *plane; // node and lane of the plane that was crossed last
    int32_t plane_lane;
    int32_t plane_depth; // frames above that node
    int32_t depth;
    wide_frame_t *frames; // of the nodes above, WIDE_MAX_DEPTH of them
} wide_sweep_t;

WIDE_INLINE void enter_node(wide_sweep_t *sweep, int32_t num) {
    wide_frame_t *in = &sweep->in;
    in->node = &sweep->nodes[num];
    const eight_t from = Eight_Diffs(in->node, &sweep->start);
    const eight_t to = Eight_Diffs(in->node, &sweep->end);
    in->behind = Eight_Below0(from);
    in->crossed = Eight_Crossings(from, to);
}

/// The child that the sweep is in. at_start: nothing is crossed yet, and no division has to be
/// waited for; most nodes are met there.
WIDE_INLINE int32_t find_child(wide_sweep_t *sweep, bool at_start) {
    wide_frame_t *in = &sweep->in;
    const uint32_t passed = at_start ? 0 : Eight_Reached(in->crossed, sweep->at);
    const uint32_t child = Eight_Child(in->node, in->behind ^ passed);
    in->way = in->node->way[child];
    in->next = Eight_Lowest(in->crossed, in->way & ~passed);
    return in->node->child[child];
}

/// Down to the leaf that the sweep is in: its contents. False when the way is too long.
WIDE_INLINE bool find_leaf(wide_sweep_t *sweep, bool at_start, int32_t *contents) {
    wide_frame_t *in = &sweep->in;
    int32_t num;
    while ((num = find_child(sweep, at_start)) >= 0) {
        if (sweep->depth == WIDE_MAX_DEPTH) {
            return false;
        }
        sweep->frames[sweep->depth] = *in;
        in->waiting = in->next < in->end ? sweep->depth : in->waiting;
        in->end = in->next < in->end ? in->next : in->end;
        sweep->depth++;
        enter_node(sweep, num);
    }
    *contents = num;
    return true;
}

/// Goes on from a leaf. False where the sweep ends.
WIDE_INLINE bool cross_plane(wide_sweep_t *sweep, int32_t contents) {
    wide_frame_t *in = &sweep->in;
    if (!(in->next < in->end)) { // not a number, of ends beyond all measure, neither
        if (in->waiting < 0) {
            return false;
        }
        sweep->depth = in->waiting;
        *in = sweep->frames[sweep->depth];
    }
    sweep->leaf_from = sweep->at < 0.0f ? 0.0f : sweep->at;
    sweep->leaf = contents;
    sweep->at = in->next;
    sweep->plane = in->node;
    sweep->plane_lane = __builtin_ctz(in->way & Eight_Equal(in->crossed, sweep->at));
    sweep->plane_depth = sweep->depth;
    return true;
}

/// True when a place before the plane that was crossed last, looked up from the root, is in a leaf
/// of the contents of the one before that plane: by a plane rounding may put it into another.
WIDE_INLINE bool is_in_leaf(const wide_sweep_t *sweep, const sweep_point_t *stop) {
    const eight_point_t at = Eight_Point(stop);
    uint32_t other = 0; // planes above that have it on another side than that leaf
    for (int32_t i = 0; i < sweep->plane_depth; i++) {
        const wide_frame_t *frame = &sweep->frames[i];
        const uint32_t behind = frame->behind ^ Eight_Reached(frame->crossed, sweep->leaf_from);
        other |= (Eight_Below0(Eight_Diffs(frame->node, &at)) ^ behind) & frame->way;
    }
    const wide_node_t *node = sweep->plane;
    for (;;) {
        const int32_t num = node->child[Eight_Child(node, Eight_Below0(Eight_Diffs(node, &at)))];
        if (num < 0) {
            return other == 0 && num == sweep->leaf;
        }
        node = &sweep->nodes[num];
    }
}

WIDE_INLINE float lane_diff(const wide_node_t *node, int32_t lane, const sweep_point_t *p) {
    return p->f[0] * node->normal[0][lane] + p->f[1] * node->normal[1][lane] +
           p->f[2] * node->normal[2][lane] - node->dist[lane];
}

/// A lane's plane, facing who comes from the front, or from the back; it is not read from the
/// hull's planes, which are farther away.
WIDE_INLINE plane_t lane_plane(const wide_node_t *node, int32_t lane, bool from_back) {
    const plane_t plane = {{node->normal[0][lane], node->normal[1][lane], node->normal[2][lane]},
                           node->dist[lane],
                           node->type[lane]};
    return from_back ? Hull_BackOf(plane) : plane;
}

/// The answer for a sweep that the plane crossed last stops. False: see wide_trace_t.
WIDE_INLINE bool stop_at_plane(const wide_sweep_t *sweep, const segment_t *whole, trace_t *trace) {
    const int32_t lane = sweep->plane_lane;
    const float t1 = lane_diff(sweep->plane, lane, &whole->p1);
    const float t2 = lane_diff(sweep->plane, lane, &whole->p2);
    const sweep_point_t stop = Segment_At(whole, Segment_NearShare(t1, t2));
    const bool at_start = stop.f[3] == 0.0f && sweep->leaf_from == 0.0f;
    if (!at_start && (stop.f[3] <= sweep->leaf_from || !is_in_leaf(sweep, &stop))) {
        return false;
    }
    *trace = (trace_t){.fraction = stop.f[3],
                       .endpos = {stop.f[0], stop.f[1], stop.f[2]},
                       .plane = lane_plane(sweep->plane, lane, t1 < 0.0f),
                       .contents = (contents_t)(at_start ? sweep->start_leaf : sweep->leaf),
                       .entnum = TRACE_NOTHING,
                       .startsolid = sweep->start_leaf == CONTENTS_SOLID};
    return true;
}

WIDE_INLINE bool trace_wide(const hull_t *hull, const segment_t *whole, trace_t *trace) {
    wide_frame_t frames[WIDE_MAX_DEPTH]; // only as many as are used are ever touched
    wide_sweep_t sweep;
    int32_t contents = CONTENTS_SOLID;
    sweep.nodes = hull->wide->nodes;
    sweep.start = Eight_Point(&whole->p1);
    sweep.end = Eight_Point(&whole->p2);
    sweep.at = WIDE_BEFORE;
    sweep.leaf_from = 0.0f;
    sweep.leaf = CONTENTS_SOLID;
    sweep.open = false;
    sweep.depth = 0;
    sweep.plane = sweep.nodes;
    sweep.plane_lane = 0;
    sweep.plane_depth = 0;
    sweep.frames = frames;
    sweep.in.end = WIDE_AFTER;
    sweep.in.waiting = -1;
    enter_node(&sweep, 0);
    bool good = find_leaf(&sweep, true, &contents);
    sweep.start_leaf = contents;
    for (int32_t cuts = 0; good && cuts < MAX_HULL_SPLITS; cuts++) {
        if (contents != CONTENTS_SOLID) {
            sweep.open = true;
        } else if (sweep.open) {
            return stop_at_plane(&sweep, whole, trace);
        }
        if (!cross_plane(&sweep, contents)) {
            *trace = Hull_Miss(whole, sweep.start_leaf == CONTENTS_SOLID, contents, sweep.open);
            return true;
        }
        good = find_leaf(&sweep, false, &contents);
    }
    return false;
}

#endif
