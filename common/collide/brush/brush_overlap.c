/// collide/brush/brush_overlap.c - contacts of a resting box with brushes, and contents of points.
//
// Units:   qu, in model space unless said otherwise.

#include "base/assert.h"
#include "collide/brush/brush_local.h"

enum { STACK_SIZE = 128 }; // 3 per level, at most 42 levels (brush_tree.c), and the root

/// The contact with the least penetration depth so far.
typedef struct {
    vec3_t normal;
    float depth;
} way_out_t;

static void try_way(way_out_t *out, vec3_t normal, float depth) {
    if (depth < out->depth) {
        *out = (way_out_t){normal, depth};
    }
}

/// Tests the depth along each face of the brush.
static void leave_by_faces(const box_sweep_t *box, const cbrush_t *brush, way_out_t *out) {
    for (int32_t i = 0; i < 3; i++) {
        float at = VectorAxis(box->start, i);
        float reach = VectorAxis(box->reach, i);
        vec3_t n = {i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f};
        try_way(out, n, VectorAxis(brush->bounds.maxs, i) + reach - at);
        try_way(out, VectorScale(n, -1.0f), at + reach - VectorAxis(brush->bounds.mins, i));
    }
    const brush_plane_t *planes = &box->list->planes[brush->first_plane];
    for (int32_t i = 0; i < brush->num_faces; i++) {
        vec3_t n = planes[i].normal;
        try_way(out, n, planes[i].dist + CM_BoxReach(box, n) - DotProduct(n, box->start));
    }
}

/// Tests the depth along each face of a turned box.
static void leave_by_box(const box_sweep_t *box, const cbrush_t *brush, way_out_t *out) {
    const vec3_t *vertices = &box->list->vertices[brush->first_vertex];
    for (int32_t axis = 0; axis < 3; axis++) {
        vec3_t n = box->axes[axis];
        float most = DotProduct(vertices[0], n);
        float least = most;
        for (int32_t i = 1; i < brush->num_vertices; i++) {
            float d = DotProduct(vertices[i], n);
            most = d > most ? d : most;
            least = d < least ? d : least;
        }
        float at = DotProduct(box->start, n);
        float half = VectorAxis(box->half, axis);
        try_way(out, n, most + half - at);
        try_way(out, VectorScale(n, -1.0f), at + half - least);
    }
}

/// Writes the contact of a facet, with the front's normal. Returns false if the box's middle is
/// behind.
static bool leave_facet(const box_sweep_t *box, const cbrush_t *brush, way_out_t *out) {
    const brush_plane_t *front = &box->list->planes[brush->first_plane];
    float at = DotProduct(front->normal, box->start) - front->dist;
    try_way(out, front->normal, CM_BoxReach(box, front->normal) - at);
    return at >= 0.0f;
}

static bool stands_in_planes(const box_sweep_t *box, const cbrush_t *brush) {
    const brush_plane_t *planes = &box->list->planes[brush->first_plane];
    for (int32_t i = 0; i < brush->num_planes; i++) {
        vec3_t n = planes[i].normal;
        if (DotProduct(n, box->start) >= planes[i].dist + CM_BoxReach(box, n)) {
            return false;
        }
    }
    return true;
}

/// Returns true if a box in the brush's bounds is also inside the brush.
static bool stands_in(const box_sweep_t *box, const cbrush_t *brush) {
    if (!box->turned) {
        return stands_in_planes(box, brush);
    }
    overlap_t overlap = {.enter = OVERLAP_NEVER_ENTERS, .leave = OVERLAP_NEVER_LEAVES};
    return CM_TurnedOverlap(box, brush, &overlap);
}

static bool bounds_meet(const box_sweep_t *box, const bounds_t *bounds) {
    vec3_t lo = VectorSubtract(box->start, box->reach);
    vec3_t hi = VectorAdd(box->start, box->reach);
    return lo.x < bounds->maxs.x && lo.y < bounds->maxs.y && lo.z < bounds->maxs.z &&
           hi.x > bounds->mins.x && hi.y > bounds->mins.y && hi.z > bounds->mins.z;
}

/// Returns one bit per touched box of a node.
static uint32_t lanes_met(const box_sweep_t *box, const brush_node_t *node) {
    lanes_mask_t met = {-1, -1, -1, -1};
    for (int32_t i = 0; i < 3; i++) {
        float at = VectorAxis(box->start, i);
        float reach = VectorAxis(box->reach, i);
        met &= (node->bounds[i] <= Lanes_All(at + reach)) &
               (node->bounds[3 + i] >= Lanes_All(at - reach));
    }
    return Lanes_Bits(met);
}

/// A walk through the brushes whose bounds touch a box.
typedef struct {
    int32_t stack[STACK_SIZE];
    int32_t waiting;
} near_walk_t;

static inline void start_walk(near_walk_t *walk, const brush_list_t *list) {
    walk->stack[0] = list->root;
    walk->waiting = 1;
}

/// Returns the next brush, or NULL at the end.
static inline const cbrush_t *next_near(near_walk_t *walk, const box_sweep_t *sweep) {
    while (walk->waiting > 0) {
        int32_t child = walk->stack[--walk->waiting];
        if (child == BRUSH_NO_CHILD) {
            continue; // empty list, or unused lane
        }
        if (child < 0) {
            return &sweep->list->brushes[-1 - child];
        }
        const brush_node_t *node = &sweep->list->nodes[child];
        ASSERT(walk->waiting + 4 <= STACK_SIZE);
        for (uint32_t met = lanes_met(sweep, node); met != 0; met &= met - 1) {
            walk->stack[walk->waiting++] = node->children[__builtin_ctz(met)];
        }
    }
    return NULL;
}

/// Returns the rank of contents where brushes overlap; 0 wins.
static int32_t rank(int32_t contents, uint32_t flags) {
    switch (contents) {
    case CONTENTS_SOLID:
        return 0;
    case CONTENTS_LAVA:
        return 2;
    case CONTENTS_SLIME:
        return 3;
    case CONTENTS_LADDER:
        return 5;
    case CONTENTS_SKY:
        return flags & BRUSH_STOPS_POINTS ? 1 : 6;
    case CONTENTS_EMPTY:
    case CONTENTS_CLIP:
    case CONTENTS_MONSTERCLIP:
        return 6;
    default:
        return 4; // still or flowing water
    }
}

contents_t CM_BrushContents(const brush_list_t *list, vec3_t point) {
    const box_sweep_t sweep = {.list = list, .start = point, .end = point};
    near_walk_t walk;
    int32_t found = CONTENTS_EMPTY;
    int32_t best = rank(found, 0);
    start_walk(&walk, list);
    for (const cbrush_t *brush; (brush = next_near(&walk, &sweep)) != NULL;) {
        if (!(brush->flags & BRUSH_FACET) && rank(brush->contents, brush->flags) < best &&
            bounds_meet(&sweep, &brush->bounds) && stands_in_planes(&sweep, brush)) {
            found = brush->contents;
            best = rank(found, brush->flags);
        }
    }
    return (contents_t)found;
}

static box_sweep_t resting_box(const brush_list_t *list, bounds_t box) {
    const cm_pose_t pose = {.turned = false};
    box_sweep_t sweep = {.list = list};
    CM_TurnBox(&sweep, &pose, VectorScale(VectorSubtract(box.maxs, box.mins), 0.5f));
    sweep.start = VectorScale(VectorAdd(box.mins, box.maxs), 0.5f);
    sweep.end = sweep.start;
    return sweep;
}

bool CM_BrushSeeThrough(const brush_list_t *list, bounds_t box) {
    const box_sweep_t sweep = resting_box(list, box);
    near_walk_t walk;
    start_walk(&walk, list);
    for (const cbrush_t *brush; (brush = next_near(&walk, &sweep)) != NULL;) {
        if (brush->flags & BRUSH_SEE_THROUGH && bounds_meet(&sweep, &brush->bounds) &&
            (brush->flags & BRUSH_FACET || stands_in_planes(&sweep, brush))) {
            return true;
        }
    }
    return false;
}

const cbrush_t *CM_BrushAround(const brush_list_t *list, bounds_t box, contents_t contents) {
    const box_sweep_t sweep = resting_box(list, box);
    near_walk_t walk;
    const cbrush_t *found = NULL;
    start_walk(&walk, list);
    for (const cbrush_t *brush; (brush = next_near(&walk, &sweep)) != NULL;) {
        if (brush->contents == (int32_t)contents && !(brush->flags & BRUSH_FACET) &&
            (!found || brush < found) && bounds_meet(&sweep, &brush->bounds) &&
            stands_in_planes(&sweep, brush)) {
            found = brush;
        }
    }
    return found;
}

int32_t CM_BrushOverlap(const brush_list_t *list, const cm_pose_t *pose, bounds_t box,
                        cm_contact_t *contacts, int32_t max) {
    box_sweep_t sweep = {.list = list};
    CM_TurnBox(&sweep, pose, VectorScale(VectorSubtract(box.maxs, box.mins), 0.5f));
    sweep.start = CM_ToModel(pose, VectorScale(VectorAdd(box.mins, box.maxs), 0.5f));
    sweep.end = sweep.start;
    near_walk_t walk;
    int32_t count = 0;
    start_walk(&walk, list);
    for (const cbrush_t *brush; (brush = next_near(&walk, &sweep)) != NULL;) {
        bool is_solid = CM_IsBrushSolid(brush->contents, false) ||
                        (pose->for_monster && brush->contents == CONTENTS_MONSTERCLIP);
        if (!is_solid || !bounds_meet(&sweep, &brush->bounds) || !stands_in(&sweep, brush)) {
            continue;
        }
        way_out_t out = {.depth = INFINITY};
        if (brush->flags & BRUSH_FACET) {
            if (!leave_facet(&sweep, brush, &out)) {
                continue;
            }
        } else {
            leave_by_faces(&sweep, brush, &out);
            if (sweep.turned) {
                leave_by_box(&sweep, brush, &out);
            }
        }
        cm_contact_t contact = {.depth = out.depth, .surface = (int32_t)(brush - list->brushes)};
        contact.normal = VectorAdd(CM_TurnToWorld(pose, out.normal), Vector(0.0f, 0.0f, 0.0f));
        count = CM_AddContact(contacts, count, max, &contact, false);
    }
    return count;
}
