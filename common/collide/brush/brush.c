/// collide/brush/brush.c - sweeps a box through the brushes of a model.
//
// Units:   qu, in model space unless said otherwise.
// Repeat:  the nearest brush is the hit; on a tie, the lower number.

#include "collide/brush/brush.h"

#include "base/assert.h"
#include "collide/brush/brush_local.h"
#include "collide/segment.h"
#include "state/trace_make.h"

/// The walk widens boxes by TREE_MARGIN + TREE_MARGIN_SHARE * largest coordinate, against rounding.
/// Below CM_DIST_EPSILON, so that slides do not visit the brush.
#define TREE_MARGIN       0.015625f // qu
#define TREE_MARGIN_SHARE 2e-6f

/// Maximum inverse of a direction; 0 * infinity would be NaN.
#define MAX_INVERSE 1e20f

/// A brush passed closer than CLOSE_PASS, or entered below LOW_SLOPE (qu per qu of sweep), may
/// contain the rounded stop.
#define CLOSE_PASS (CM_DIST_EPSILON / 4.0f) // qu
#define LOW_SLOPE  0.0625f

/// A start this close behind a facet counts as in front, because of rounding.
#define FACET_SKIN (CM_DIST_EPSILON / 4.0f) // qu

enum {
    STACK_SIZE = 128, // 3 per level, at most 42 levels (brush_tree.c), and the root
    MAX_RUNS = 64     // touching solids that one sweep may leave
};

/// A walk through the tree. Fractions are of the whole sweep.
typedef struct {
    box_sweep_t box;
    float length2; // squared length of the sweep
    bool solid_only, any_will_do, is_point, for_monster;
    lanes_t inverse[3], low[3], high[3]; // for the slab test of the boxes in the tree
    int32_t near[3], far[3];
    float from;     // in solid up to this fraction; negative = the start is free
    float in_solid; // `from`, extended by this walk
    overlap_t first;
    int32_t first_brush; // the first brush entered after `from`, -1 = none
    bool is_close;       // a brush was passed closer than CLOSE_PASS or entered below LOW_SLOPE
} walk_t;

// ---- one brush ----

static bool straight_overlap(const box_sweep_t *box, const cbrush_t *brush, overlap_t *overlap) {
    const brush_plane_t *planes = &box->list->planes[brush->first_plane];
    for (int32_t i = 0; i < brush->num_planes; i++) {
        vec3_t n = planes[i].normal;
        float reach =
            box->half.x * fabsf(n.x) + box->half.y * fabsf(n.y) + box->half.z * fabsf(n.z);
        float dist = planes[i].dist + reach;
        if (!Overlap_Cut(overlap, DotProduct(n, box->start) - dist, DotProduct(n, box->end) - dist,
                         n)) {
            return false;
        }
    }
    return true;
}

/// Cuts the overlap at the six axial planes. Returns false on a miss.
static bool bounds_overlap(const box_sweep_t *box, const bounds_t *bounds, overlap_t *overlap) {
    vec3_t hi = VectorAdd(bounds->maxs, box->reach);
    vec3_t lo = VectorSubtract(bounds->mins, box->reach);
    vec3_t s = box->start;
    vec3_t e = box->end;
    return Overlap_Cut(overlap, s.x - hi.x, e.x - hi.x, Vector(1.0f, 0.0f, 0.0f)) &&
           Overlap_Cut(overlap, lo.x - s.x, lo.x - e.x, Vector(-1.0f, 0.0f, 0.0f)) &&
           Overlap_Cut(overlap, s.y - hi.y, e.y - hi.y, Vector(0.0f, 1.0f, 0.0f)) &&
           Overlap_Cut(overlap, lo.y - s.y, lo.y - e.y, Vector(0.0f, -1.0f, 0.0f)) &&
           Overlap_Cut(overlap, s.z - hi.z, e.z - hi.z, Vector(0.0f, 0.0f, 1.0f)) &&
           Overlap_Cut(overlap, lo.z - s.z, lo.z - e.z, Vector(0.0f, 0.0f, -1.0f));
}

/// If the start is in front of the facet, changes an overlap that begins before the start into a
/// hit there. Otherwise returns false.
static bool meet_facet(const walk_t *walk, const cbrush_t *brush, overlap_t *overlap) {
    const box_sweep_t *box = &walk->box;
    const brush_plane_t *front = &box->list->planes[brush->first_plane];
    vec3_t n = front->normal;
    if (overlap->enter >= 0.0f) {
        return overlap->enter > walk->from && !VectorCompare(overlap->normal, VectorNegate(n));
    }
    float dist = front->dist + CM_BoxReach(box, n);
    float d1 = DotProduct(n, box->start) - dist;
    float d2 = DotProduct(n, box->end) - dist;
    *overlap = (overlap_t){.leave = overlap->leave, .d1 = d1, .d2 = d2, .normal = n};
    return walk->from < 0.0f && d1 > -FACET_SKIN && d2 < d1;
}

/// Tests one brush. Returns true if no other brush can change the result.
static bool visit_brush(walk_t *walk, int32_t number) {
    const cbrush_t *brush = &walk->box.list->brushes[number];
    bool for_point = walk->is_point && !(brush->flags & BRUSH_STOPS_POINTS);
    if (walk->solid_only && !CM_IsBrushSolid(brush->contents, for_point) &&
        !(walk->for_monster && brush->contents == CONTENTS_MONSTERCLIP)) {
        return false;
    }
    overlap_t overlap = {
        .enter = OVERLAP_NEVER_ENTERS, .leave = OVERLAP_NEVER_LEAVES, .near = OVERLAP_NEVER_ENTERS};
    if (!bounds_overlap(&walk->box, &brush->bounds, &overlap) ||
        !(walk->box.turned ? CM_TurnedOverlap(&walk->box, brush, &overlap)
                           : straight_overlap(&walk->box, brush, &overlap)) ||
        overlap.enter >= overlap.leave) {
        walk->is_close |= overlap.slack < CLOSE_PASS;
        return false;
    }
    if (brush->flags & BRUSH_FACET) {
        if (!meet_facet(walk, brush, &overlap)) {
            return false;
        }
    } else if (overlap.enter <= walk->from || overlap.enter < 0.0f) {
        walk->in_solid = overlap.leave > walk->in_solid ? overlap.leave : walk->in_solid;
        return walk->any_will_do;
    }
    float slope = overlap.d1 - overlap.d2;
    walk->is_close |= slope * slope < LOW_SLOPE * LOW_SLOPE * walk->length2;
    if (overlap.enter < walk->first.enter || walk->first_brush < 0 ||
        (overlap.enter == walk->first.enter && number < walk->first_brush)) {
        walk->first = overlap;
        walk->first_brush = number;
    }
    return false;
}

// ---- the tree ----

static float largest(vec3_t v) {
    float xy = fabsf(v.x) > fabsf(v.y) ? fabsf(v.x) : fabsf(v.y);
    return xy > fabsf(v.z) ? xy : fabsf(v.z);
}

/// Computes, for each axis, the values with which the sweep tests the boxes of the tree (slab
/// test).
static void prepare_tree(walk_t *walk) {
    const box_sweep_t *box = &walk->box;
    float far = largest(box->start) + largest(box->end) + largest(box->reach);
    float margin = TREE_MARGIN + TREE_MARGIN_SHARE * far;
    const lanes_t start = {box->start.x, box->start.y, box->start.z, 0.0f};
    const lanes_t end = {box->end.x, box->end.y, box->end.z, 1.0f};
    const lanes_t reach = {box->reach.x, box->reach.y, box->reach.z, 0.0f};
    const lanes_t way = end - start;
    const lanes_t least = Lanes_All(1.0f / MAX_INVERSE);
    const lanes_mask_t tiny = (way < least) & (way > -least);
    const lanes_t inverse = Lanes_Select(tiny, Lanes_All(MAX_INVERSE), Lanes_All(1.0f) / way);
    // The leading side enters a box of the tree, the trailing side leaves it.
    const lanes_mask_t down = inverse < Lanes_All(0.0f);
    const lanes_t wide = Lanes_Select(down, -(reach + margin), reach + margin);
    const lanes_t low = start + wide;
    const lanes_t high = start - wide;
    for (int32_t i = 0; i < 3; i++) {
        walk->inverse[i] = Lanes_All(inverse[i]);
        walk->low[i] = Lanes_All(low[i]);
        walk->high[i] = Lanes_All(high[i]);
        walk->near[i] = down[i] ? 3 + i : i;
        walk->far[i] = down[i] ? i : 3 + i;
    }
}

typedef struct {
    int32_t child;
    float at;
} stacked_t;

/// Writes the fractions of entry into a node's boxes. Returns one bit per entered box.
static inline uint32_t meet_node(const walk_t *walk, const brush_node_t *node, lanes_t *in) {
    const lanes_t *b = node->bounds;
    *in = Lanes_Max(Lanes_Max((b[walk->near[0]] - walk->low[0]) * walk->inverse[0],
                              (b[walk->near[1]] - walk->low[1]) * walk->inverse[1]),
                    (b[walk->near[2]] - walk->low[2]) * walk->inverse[2]);
    lanes_t out = Lanes_Min(Lanes_Min((b[walk->far[0]] - walk->high[0]) * walk->inverse[0],
                                      (b[walk->far[1]] - walk->high[1]) * walk->inverse[1]),
                            (b[walk->far[2]] - walk->high[2]) * walk->inverse[2]);
    return Lanes_Bits((*in <= out) & (out >= Lanes_All(0.0f)) &
                      (*in <= Lanes_All(walk->first.enter)));
}

/// Returns the nearest entered child. Pushes the others, nearest last.
static inline int32_t sort_children(const brush_node_t *node, uint32_t met, lanes_t in,
                                    stacked_t *stack, int32_t *count) {
    int32_t lane = __builtin_ctz(met);
    stacked_t nearest = {node->children[lane], in[lane]};
    int32_t bottom = *count;
    for (met &= met - 1; met != 0; met &= met - 1) {
        lane = __builtin_ctz(met);
        stacked_t other = {node->children[lane], in[lane]};
        if (other.at < nearest.at) {
            stacked_t swap = nearest;
            nearest = other;
            other = swap;
        }
        int32_t i = (*count)++;
        for (; i > bottom && stack[i - 1].at < other.at; i--) {
            stack[i] = stack[i - 1];
        }
        stack[i] = other;
    }
    return nearest.child;
}

static void walk_tree(walk_t *walk) {
    const brush_list_t *list = walk->box.list;
    stacked_t stack[STACK_SIZE];
    int32_t count = 0;
    int32_t child = list->root;
    walk->first.enter = 1.0f;
    walk->first_brush = -1;
    walk->in_solid = walk->from;
    while (child != BRUSH_NO_CHILD) {
        if (child >= 0) {
            lanes_t in;
            const brush_node_t *node = &list->nodes[child];
            uint32_t met = meet_node(walk, node, &in);
            if (met != 0) {
                ASSERT(count + 3 <= STACK_SIZE);
                child = sort_children(node, met, in, stack, &count);
                continue;
            }
        } else if (visit_brush(walk, -1 - child)) {
            return;
        }
        // Pop the nearest child that the sweep enters before the first hit.
        child = BRUSH_NO_CHILD;
        while (count > 0 && child == BRUSH_NO_CHILD) {
            count--;
            child = stack[count].at > walk->first.enter ? BRUSH_NO_CHILD : stack[count].child;
        }
    }
}

// ---- the box ----

/// Sets the box, at least `least` qu wide. Returns its middle, relative to the origin.
static vec3_t set_box(walk_t *walk, const cm_pose_t *pose, vec3_t mins, vec3_t maxs, float least) {
    vec3_t width = VectorMax(VectorSubtract(maxs, mins), Vector(least, least, least));
    walk->is_point = VectorCompare(mins, maxs);
    walk->for_monster = pose->for_monster && !walk->is_point;
    CM_TurnBox(&walk->box, pose, VectorScale(width, 0.5f));
    return VectorScale(VectorAdd(mins, maxs), 0.5f);
}

static void set_way(walk_t *walk, vec3_t start, vec3_t end) {
    walk->box.start = start;
    walk->box.end = end;
    vec3_t way = VectorSubtract(end, start);
    walk->length2 = DotProduct(way, way);
    walk->from = OVERLAP_NEVER_ENTERS;
    walk->is_close = false;
    prepare_tree(walk);
}

static bool is_inside(walk_t *walk, vec3_t middle) {
    walk->any_will_do = true;
    set_way(walk, middle, middle);
    walk_tree(walk);
    return walk->in_solid > 0.0f;
}

bool CM_BrushTouches(const brush_list_t *list, const cm_pose_t *pose, vec3_t origin, vec3_t mins,
                     vec3_t maxs, bool solid_only) {
    walk_t walk;
    walk.box.list = list;
    walk.solid_only = solid_only;
    vec3_t offset = set_box(&walk, pose, mins, maxs, 0.0f);
    return is_inside(&walk, CM_ToModel(pose, VectorAdd(origin, offset)));
}

// ---- the sweep ----

/// Returns the fraction at CM_DIST_EPSILON before the plane of entry, but at least `from`.
static float stop_fraction(const overlap_t *first, float from) {
    float least = from > 0.0f ? from : 0.0f;
    return first->near > least ? first->near : least;
}

static trace_t stop_at(walk_t *walk, const cm_pose_t *pose, vec3_t start, vec3_t end,
                       vec3_t offset) {
    const overlap_t first = walk->first;
    float fraction = stop_fraction(&first, walk->from);
    vec3_t endpos = VectorLerp(start, end, fraction);
    if ((walk->is_close || walk->from > 0.0f) && fraction > 0.0f) {
        // Rounding may put the stop into a brush beside the sweep: back up until free.
        walk_t here = *walk;
        float step = fraction * CM_BACKUP_STEP;
        for (int32_t i = 0; i < 10 && is_inside(&here, CM_ToModel(pose, VectorAdd(endpos, offset)));
             i++) {
            fraction = i == 9 ? 0.0f : fraction - step;
            endpos = VectorLerp(start, end, fraction);
        }
    }
    trace_t trace = {.fraction = fraction,
                     .endpos = endpos,
                     .contents = CONTENTS_EMPTY,
                     .entnum = TRACE_NOTHING,
                     .startsolid = walk->from > OVERLAP_NEVER_ENTERS};
    // Adding 0 removes negative zeros.
    trace.plane.normal = VectorAdd(CM_TurnToWorld(pose, first.normal), Vector(0.0f, 0.0f, 0.0f));
    trace.plane.dist = DotProduct(trace.plane.normal, start) - first.d1;
    trace.plane.type = PlaneType(trace.plane.normal);
    return trace;
}

typedef struct {
    vec3_t start, end, mins, maxs;
} sweep_way_t;

/// Sweeps the box, at least `least` qu wide.
static trace_t trace_box(const brush_list_t *list, const cm_pose_t *pose, const sweep_way_t *way,
                         float least) {
    const vec3_t start = way->start;
    const vec3_t end = way->end;
    walk_t walk;
    walk.box.list = list;
    walk.solid_only = true;
    walk.any_will_do = false;
    vec3_t offset = set_box(&walk, pose, way->mins, way->maxs, least);
    set_way(&walk, CM_ToModel(pose, VectorAdd(start, offset)),
            CM_ToModel(pose, VectorAdd(end, offset)));
    walk_tree(&walk);
    // A sweep may leave a solid straight into a touching one. Only a gap is free.
    for (int32_t i = 0; i < MAX_RUNS && walk.in_solid > walk.from && walk.in_solid <= 1.0f; i++) {
        walk.from = walk.in_solid;
        walk_tree(&walk);
    }
    if (walk.in_solid > walk.from) {
        return Trace_AllSolid(start);
    }
    if (walk.first_brush >= 0) {
        return stop_at(&walk, pose, start, end, offset);
    }
    trace_t trace = Trace_Free(end);
    trace.startsolid = walk.from > OVERLAP_NEVER_ENTERS;
    return trace;
}

trace_t CM_BrushTrace(const brush_list_t *list, const cm_pose_t *pose, vec3_t start, vec3_t end,
                      vec3_t mins, vec3_t maxs) {
    const sweep_way_t way = {start, end, mins, maxs};
    vec3_t width = VectorSubtract(maxs, mins);
    if (width.x < BRUSH_MIN_WIDTH || width.y < BRUSH_MIN_WIDTH || width.z < BRUSH_MIN_WIDTH) {
        trace_t trace = trace_box(list, pose, &way, BRUSH_MIN_WIDTH);
        if (!trace.startsolid) {
            return trace;
        }
    }
    return trace_box(list, pose, &way, 0.0f);
}
