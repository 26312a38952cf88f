/// collide/brush/brush.c - sweeps a box through the brushes of a model.
//
// Units:   qu, in model space unless said otherwise.
// Repeat:  the nearest brush is the hit; on a tie, the lower number.

#include "collide/brush/brush.h"

#include "base/assert.h"
#include "collide/brush/brush_local.h"
#include "collide/segment.h"
#include "state/trace_make.h"

/// The walk widens boxes by TREE_MARGIN + TREE_MARGIN_SHARE * coordinates, against rounding.
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
    lanes_t start, end, reach;           // of the box, as lanes
    lanes_mask_t down;                   // the axes along which the sweep goes down
    lanes_t inverse[3], low[3], high[3]; // for the slab test of the boxes in the tree
    float from;     // in solid up to this fraction; negative = the start is free
    float in_solid; // `from`, extended by this walk
    overlap_t first;
    int32_t first_brush; // the first brush entered after `from`, -1 = none
    bool is_close;       // a brush was passed closer than CLOSE_PASS or entered below LOW_SLOPE
    bool meets_volume;   // the walk visited a brush that stops no sweep (water, ladder)
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

static inline lanes_t vector_lanes(vec3_t v) {
    return (lanes_t){v.x, v.y, v.z, 0.0f};
}

/// Returns the highest of the first three lanes.
static inline float highest(lanes_t v) {
    float xy = v[0] > v[1] ? v[0] : v[1];
    return xy > v[2] ? xy : v[2];
}

/// Computes the overlap with the six axial planes, three at once. Returns false on a miss.
static inline bool bounds_overlap(const walk_t *walk, const bounds_t *bounds, overlap_t *overlap) {
    const lanes_t zero = Lanes_All(0.0f);
    const lanes_t never = Lanes_All(OVERLAP_NEVER_ENTERS);
    const lanes_t hi = vector_lanes(bounds->maxs) + walk->reach;
    const lanes_t lo = vector_lanes(bounds->mins) - walk->reach;
    // Distances of start and end to the planes that the sweep approaches, and to the opposite ones.
    const lanes_t in1 = Lanes_Select(walk->down, walk->start - hi, lo - walk->start);
    const lanes_t in2 = Lanes_Select(walk->down, walk->end - hi, lo - walk->end);
    const lanes_t out1 = Lanes_Select(walk->down, lo - walk->start, walk->start - hi);
    const lanes_t out2 = Lanes_Select(walk->down, lo - walk->end, walk->end - hi);
    overlap->slack = highest(Lanes_Max(Lanes_Min(in1, in2), Lanes_Min(out1, out2)));
    if (overlap->slack >= 0.0f) {
        return false;
    }
    const lanes_t at = Lanes_Select(in1 >= zero, in1 / (in1 - in2), never);
    const lanes_t near = Lanes_Select(in1 >= zero, (in1 - CM_DIST_EPSILON) / (in1 - in2), never);
    const lanes_t leave = Lanes_Select(out2 >= zero, out1 / (out2 - out1),
                                       Lanes_All(-OVERLAP_NEVER_LEAVES)); // negative fractions
    overlap->enter = highest(at);
    overlap->near = highest(near);
    overlap->leave = -highest(leave);
    // The first axis wins; lane 3 is for NaN only.
    int32_t axis = __builtin_ctz((Lanes_Bits(at == Lanes_All(overlap->enter)) & 7) | 8);
    float normal[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    normal[axis] = walk->down[axis] ? 1.0f : -1.0f;
    overlap->normal = Vector(normal[0], normal[1], normal[2]);
    overlap->d1 = in1[axis];
    overlap->d2 = in2[axis];
    return true;
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
        walk->meets_volume |= !CM_IsBrushSolid(brush->contents, false);
        return false;
    }
    overlap_t overlap;
    if (!bounds_overlap(walk, &brush->bounds, &overlap) ||
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

/// Computes, for each axis, the values with which the sweep tests the boxes of the tree (slab
/// test).
static void prepare_tree(walk_t *walk) {
    const lanes_t start = vector_lanes(walk->box.start);
    const lanes_t end = vector_lanes(walk->box.end);
    const lanes_t reach = vector_lanes(walk->box.reach);
    const lanes_t margin =
        TREE_MARGIN + TREE_MARGIN_SHARE * (Lanes_Abs(start) + Lanes_Abs(end) + reach);
    const lanes_t delta = end - start;
    const lanes_t least = Lanes_All(1.0f / MAX_INVERSE);
    const lanes_mask_t tiny = (delta < least) & (delta > -least);
    const lanes_t inverse = Lanes_Select(tiny, Lanes_All(MAX_INVERSE), Lanes_All(1.0f) / delta);
    const lanes_t low = start - (reach + margin);
    const lanes_t high = start + (reach + margin);
    for (int32_t i = 0; i < 3; i++) {
        walk->inverse[i] = Lanes_All(inverse[i]);
        walk->low[i] = Lanes_All(low[i]);
        walk->high[i] = Lanes_All(high[i]);
    }
    walk->start = start;
    walk->end = end;
    walk->reach = reach;
    walk->down = end < start;
}

typedef struct {
    int32_t child;
    float at;
} stacked_t;

/// Writes the fractions of entry into a node's boxes. Returns one bit per entered box.
static inline uint32_t meet_node(const walk_t *walk, const brush_node_t *node, lanes_t *in) {
    const lanes_t *b = node->bounds;
    lanes_t lower[3], upper[3];
    LANES_UNROLL
    for (int32_t i = 0; i < 3; i++) {
        lower[i] = (b[i] - walk->high[i]) * walk->inverse[i];
        upper[i] = (b[3 + i] - walk->low[i]) * walk->inverse[i];
    }
    *in = Lanes_Max(Lanes_Max(Lanes_Min(lower[0], upper[0]), Lanes_Min(lower[1], upper[1])),
                    Lanes_Min(lower[2], upper[2]));
    lanes_t out = Lanes_Min(Lanes_Min(Lanes_Max(lower[0], upper[0]), Lanes_Max(lower[1], upper[1])),
                            Lanes_Max(lower[2], upper[2]));
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

static void set_path(walk_t *walk, vec3_t start, vec3_t end) {
    walk->box.start = start;
    walk->box.end = end;
    vec3_t delta = VectorSubtract(end, start);
    walk->length2 = DotProduct(delta, delta);
    walk->from = OVERLAP_NEVER_ENTERS;
    walk->is_close = false;
    walk->meets_volume = false;
    prepare_tree(walk);
}

static bool is_inside(walk_t *walk, vec3_t middle) {
    walk->any_will_do = true;
    set_path(walk, middle, middle);
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

typedef struct {
    vec3_t start, end, mins, maxs;
} sweep_path_t;

/// Walks along the sweep of the box, at least `least` qu wide, up to the first brush. Returns the
/// middle of the box, relative to the origin.
static vec3_t walk_box(walk_t *walk, const cm_pose_t *pose, const sweep_path_t *path, float least) {
    walk->solid_only = true;
    walk->any_will_do = false;
    vec3_t offset = set_box(walk, pose, path->mins, path->maxs, least);
    set_path(walk, CM_ToModel(pose, VectorAdd(path->start, offset)),
             CM_ToModel(pose, VectorAdd(path->end, offset)));
    walk_tree(walk);
    // A sweep may leave a solid straight into a touching one. Only a gap is free.
    for (int32_t i = 0; i < MAX_RUNS && walk->in_solid > walk->from && walk->in_solid <= 1.0f;
         i++) {
        walk->from = walk->in_solid;
        walk_tree(walk);
    }
    return offset;
}

/// Returns the fraction of the stop: CM_DIST_EPSILON before the plane of entry, or closer to the
/// start. Writes the stop.
static float find_stop(const walk_t *walk, const cm_pose_t *pose, const sweep_path_t *path,
                       vec3_t offset, vec3_t *endpos) {
    float least = walk->from > 0.0f ? walk->from : 0.0f;
    float fraction = walk->first.near > least ? walk->first.near : least;
    *endpos = VectorLerp(path->start, path->end, fraction);
    if ((walk->is_close || walk->from > 0.0f) && fraction > 0.0f) {
        // Rounding may put the stop into a brush beside the sweep: back up until free.
        walk_t here = *walk;
        float step = fraction * CM_BACKUP_STEP;
        for (int32_t i = 0;
             i < 10 && is_inside(&here, CM_ToModel(pose, VectorAdd(*endpos, offset))); i++) {
            fraction = i == 9 ? 0.0f : fraction - step;
            *endpos = VectorLerp(path->start, path->end, fraction);
        }
    }
    return fraction;
}

trace_t CM_BrushTrace(const brush_list_t *list, const cm_pose_t *pose, vec3_t start, vec3_t end,
                      vec3_t mins, vec3_t maxs) {
    const sweep_path_t path = {start, end, mins, maxs};
    walk_t walk;
    walk.box.list = list;
    vec3_t offset = walk_box(&walk, pose, &path, BRUSH_MIN_WIDTH);
    vec3_t width = VectorSubtract(maxs, mins);
    if (walk.in_solid > OVERLAP_NEVER_ENTERS &&
        (width.x < BRUSH_MIN_WIDTH || width.y < BRUSH_MIN_WIDTH || width.z < BRUSH_MIN_WIDTH)) {
        offset = walk_box(&walk, pose, &path, 0.0f);
    }
    if (walk.in_solid > walk.from) {
        return Trace_AllSolid(start);
    }
    float fraction = 1.0f;
    plane_t plane = {.dist = 0.0f};
    if (walk.first_brush >= 0) {
        fraction = find_stop(&walk, pose, &path, offset, &end);
        // Adding 0 removes negative zeros.
        plane.normal = VectorAdd(CM_TurnToWorld(pose, walk.first.normal), vec3_zero);
        plane.dist = DotProduct(plane.normal, start) - walk.first.d1;
        plane.type = PlaneType(plane.normal);
    }
    // walk_tree visited all brushes around the stop.
    bool may_be_wet = walk.is_point && walk.meets_volume;
    return (trace_t){.fraction = fraction,
                     .endpos = end,
                     .plane = plane,
                     .contents =
                         may_be_wet ? CM_BrushContents(list, CM_ToModel(pose, VectorAdd(end, mins)))
                                    : CONTENTS_EMPTY,
                     .entnum = TRACE_NOTHING,
                     .startsolid = walk.from > OVERLAP_NEVER_ENTERS};
}
