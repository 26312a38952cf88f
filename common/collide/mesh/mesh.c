/// collide/mesh/mesh.c - the questions asked of a mesh: where they start in its space, and what the
/// answers mean for a trace.
//
// Floor:   collide.
// Units:   qu.
// Memory:  none.

#include "collide/mesh/mesh.h"

#include "base/assert.h"
#include "collide/mesh/mesh_lanes.h"
#include "collide/mesh/mesh_local.h"

#include <string.h>

/// A triangle that a sweep passes closer than this, and this share of the largest coordinate, may
/// overlap its stop by rounding: then the stop is looked at again. Less than the tree's margin.
#define CLOSE_PASS       (CM_DIST_EPSILON / 4.0f) // qu
#define CLOSE_PASS_SHARE 1e-6f

/// Directions met within this share of the largest coordinate count as met at once.
#define AT_ONCE_SHARE 1e-6f

/// A box, other than a point, is taken at least so wide, by this share of the largest coordinate:
/// else rounding would let it through where two triangles share an edge.
#define LEAST_HALF_SHARE 1e-6f

enum { MAX_RUNS = 64 }; // times that a trace may go on from what it starts in to what that touches

// ---- a query ----

MESH_INLINE float largest(vec3_t v) {
    float xy = fabsf(v.x) > fabsf(v.y) ? fabsf(v.x) : fabsf(v.y);
    return xy > fabsf(v.z) ? xy : fabsf(v.z);
}

/// A point, which goes somewhere or stands.
MESH_INLINE bool is_point(const mesh_query_t *q) {
    return VectorCompare(q->half, Vector(0.0f, 0.0f, 0.0f));
}

MESH_INLINE void reset(mesh_query_t *q) {
    q->enter = 1.0f;
    q->triangle = -1;
    q->startsolid = false;
    q->num_close = 0;
}

/// How far a turned box reaches along the mesh's axes.
static vec3_t turned_reach(const cm_pose_t *pose, vec3_t half) {
    float reach[3];
    for (int32_t i = 0; i < 3; i++) {
        vec3_t axis = pose->axes[i];
        reach[i] = half.x * fabsf(axis.x) + half.y * fabsf(axis.y) + half.z * fabsf(axis.z);
    }
    return Vector(reach[0], reach[1], reach[2]);
}

/// What all queries of a box have: where it starts in the mesh's space, and its size. Returns the
/// largest coordinates' sum, for margins; `end` is 0 0 0 for boxes that stand.
MESH_INLINE float place_box(mesh_query_t *q, const mesh_t *mesh, const cm_pose_t *pose,
                            vec3_t middle, vec3_t half) {
    q->mesh = mesh;
    q->move = Vector(0.0f, 0.0f, 0.0f);
    q->one_sided = (mesh->flags & MESH_ONE_SIDED) != 0;
    q->turned = pose->turned;
    q->start = CM_ToModel(pose, middle);
    q->half = half;
    float far = largest(q->start) + largest(half);
    if (!is_point(q)) {
        float least = LEAST_HALF_SHARE * far;
        q->half = VectorMax(half, Vector(least, least, least));
    }
    q->reach = q->half;
    if (pose->turned) {
        memcpy(q->axes, pose->axes, sizeof q->axes);
        q->reach = turned_reach(pose, q->half);
    }
    return far;
}

MESH_INLINE void widen(mesh_query_t *q, float far) {
    float close = CLOSE_PASS + CLOSE_PASS_SHARE * far;
    q->wide = VectorAdd(q->half, Vector(close, close, close));
}

/// A box that stands, placed by the same arithmetic as the start of a sweep.
MESH_INLINE void stand(mesh_query_t *q, const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin,
                       bounds_t size) {
    vec3_t offset = VectorScale(VectorAdd(size.mins, size.maxs), 0.5f);
    float far = place_box(q, mesh, pose, VectorAdd(origin, offset),
                          VectorScale(VectorSubtract(size.maxs, size.mins), 0.5f));
    widen(q, far);
}

/// What only boxes need beyond where they go.
MESH_INLINE void prepare_box(mesh_query_t *q, const cm_pose_t *pose, float far) {
    q->move = VectorSubtract(q->end, q->start);
    if (pose->turned) {
        q->move = CM_TurnToWorld(pose, q->move);
    }
    widen(q, far);
    float length = largest(q->move);
    q->bias = length > 0.0f ? AT_ONCE_SHARE * far / length : 0.0f;
}

/// A point: its way is looked at in the mesh's space only.
MESH_INLINE void place_point(mesh_query_t *q, const mesh_t *mesh, const cm_pose_t *pose,
                             vec3_t start) {
    q->mesh = mesh;
    q->one_sided = (mesh->flags & MESH_ONE_SIDED) != 0;
    q->turned = pose->turned;
    q->start = CM_ToModel(pose, start);
    q->half = Vector(0.0f, 0.0f, 0.0f);
    q->reach = q->half;
}

/// Inlined where it is asked: bounds that are handed over in memory cost more than all of this.
MESH_INLINE void make_query(mesh_query_t *q, const mesh_t *mesh, const cm_pose_t *pose,
                            bounds_t way, bounds_t size) {
    bool point = VectorCompare(size.mins, size.maxs);
    vec3_t offset = VectorScale(VectorAdd(size.mins, size.maxs), 0.5f);
    float far = 0.0f;
    q->gather = NULL;
    if (point) {
        place_point(q, mesh, pose, VectorAdd(way.mins, offset));
        far = largest(q->start);
    } else {
        far = place_box(q, mesh, pose, VectorAdd(way.mins, offset),
                        VectorScale(VectorSubtract(size.maxs, size.mins), 0.5f));
    }
    q->end = CM_ToModel(pose, VectorAdd(way.maxs, offset));
    far += largest(q->end);
    q->from = MESH_NOT_IN_SOLID;
    q->in_solid = MESH_NOT_IN_SOLID;
    q->margin = MESH_TREE_MARGIN + MESH_TREE_MARGIN_SHARE * far;
    reset(q);
    if (point) {
        q->move = VectorSubtract(q->end, q->start);
        q->move = pose->turned ? CM_TurnToWorld(pose, q->move) : q->move;
        if (pose->turned) {
            memcpy(q->axes, pose->axes, sizeof q->axes);
        }
    } else {
        prepare_box(q, pose, far);
    }
}

void CM_MeshQuery(mesh_query_t *q, const mesh_t *mesh, const cm_pose_t *pose, const bounds_t *way,
                  const bounds_t *size) {
    make_query(q, mesh, pose, *way, *size);
}

void CM_MeshStand(mesh_query_t *q, const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin,
                  const bounds_t *size) {
    stand(q, mesh, pose, origin, *size);
}

static bool is_still(const mesh_query_t *q) {
    return VectorCompare(q->start, q->end);
}

static inline void find_first(const mesh_ops_t *ops, mesh_query_t *q) {
    if (!is_point(q)) {
        (q->gather ? ops->sweep_near : ops->sweep)(q);
    } else if (!is_still(q)) {
        (q->gather ? ops->ray_near : ops->ray)(q);
    }
}

// ---- directions ----

static inline vec3_t block_vector(const float from[3][MESH_WIDTH], int32_t lane) {
    return Vector(from[0][lane], from[1][lane], from[2][lane]);
}

static inline vec3_t turned_to_box(const mesh_query_t *q, vec3_t v) {
    if (!q->turned) {
        return v;
    }
    return VectorMA(VectorMA(VectorScale(q->axes[0], v.x), v.y, q->axes[1]), v.z, q->axes[2]);
}

/// Divided by its length, so that what lies along an axis is exactly that axis.
static inline vec3_t unit(vec3_t v) {
    float length = VectorLength(v);
    return Vector(v.x / length, v.y / length, v.z / length);
}

static inline vec3_t block_normal(const mesh_query_t *q, const mesh_block_t *block, int32_t lane) {
    return unit(turned_to_box(q, block_vector(block->normals, lane)));
}

vec3_t CM_MeshAxis(const mesh_query_t *q, const mesh_block_t *block, int32_t lane, int32_t axis) {
    if (axis == MESH_AXIS_NORMAL) {
        return block_normal(q, block, lane);
    }
    int32_t i = axis < MESH_AXIS_CROSS ? axis - MESH_AXIS_FACE : (axis - MESH_AXIS_CROSS) % 3;
    vec3_t along = {i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f};
    if (axis < MESH_AXIS_CROSS) {
        return along;
    }
    int32_t edge = (axis - MESH_AXIS_CROSS) / 3;
    vec3_t e = VectorSubtract(block_vector(block->corners[edge == 2 ? 0 : edge + 1], lane),
                              block_vector(block->corners[edge], lane));
    return unit(CrossProduct(turned_to_box(q, e), along));
}

/// The direction in which the first triangle was met, against the motion.
static inline vec3_t met_normal(const mesh_query_t *q, const cm_pose_t *pose) {
    vec3_t n = q->axis == MESH_AXIS_NORMAL ? block_normal(q, q->block, q->lane)
                                           : CM_MeshAxis(q, q->block, q->lane, q->axis);
    vec3_t move = pose->turned ? q->move : VectorSubtract(q->end, q->start);
    // 0 - x and 0 + x: no negative zeros in answers.
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    return DotProduct(n, move) > 0.0f ? VectorSubtract(zero, n) : VectorAdd(zero, n);
}

// ---- sweeps ----

mesh_hit_t CM_MeshSweepBy(const mesh_ops_t *ops, mesh_query_t *q, const cm_pose_t *pose) {
    find_first(ops, q);
    if (q->startsolid) {
        return (mesh_hit_t){.triangle = -1, .startsolid = true};
    }
    if (q->triangle < 0) {
        return (mesh_hit_t){.fraction = 1.0f, .triangle = -1};
    }
    return (mesh_hit_t){
        .fraction = q->enter, .normal = met_normal(q, pose), .triangle = q->triangle};
}

static inline float4_t float4_of(vec3_t v) {
    return (float4_t){v.x, v.y, v.z, 0.0f};
}

/// Not inlined: a point need not wait for what a box needs.
static __attribute__((noinline)) mesh_hit_t sweep_by_query(const mesh_t *mesh,
                                                           const cm_pose_t *pose, vec3_t start,
                                                           vec3_t end, vec3_t mins, vec3_t maxs) {
    mesh_query_t q;
    make_query(&q, mesh, pose, (bounds_t){start, end}, (bounds_t){mins, maxs});
    return CM_MeshSweepBy(CM_MeshOps(), &q, pose);
}

mesh_hit_t CM_MeshSweep(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                        vec3_t mins, vec3_t maxs) {
    if (!VectorCompare(mins, maxs) || pose->turned) {
        return sweep_by_query(mesh, pose, start, end, mins, maxs);
    }
    float4_t offset = (float4_of(mins) + float4_of(maxs)) * Float4_All(0.5f);
    float4_t origin = float4_of(pose->origin);
    return CM_MeshOps()->cast(mesh, float4_of(start) + offset - origin,
                              float4_of(end) + offset - origin);
}

/// True when a box that came from `start` overlaps a triangle of those that the sweep came close
/// to: there are no others at places on its way up to where it was stopped.
static bool stands_in(const mesh_query_t *sweep, const cm_pose_t *pose, const bounds_t *size,
                      vec3_t start, vec3_t origin) {
    mesh_query_t q;
    stand(&q, sweep->mesh, pose, origin, *size);
    if (is_point(&q)) {
        return false;
    }
    q.move = VectorSubtract(start, origin);
    return sweep->num_close <= MESH_MAX_CLOSE
               ? CM_MeshOps()->touches_close(&q, sweep->close, sweep->num_close)
               : CM_MeshOps()->touches(&q);
}

/// What a box that starts in solid meets after it left that. False: it never leaves it.
static bool leave_solid(mesh_query_t *q) {
    for (int32_t i = 0; i < MAX_RUNS; i++) {
        float before = q->in_solid;
        reset(q);
        find_first(CM_MeshOps(), q);
        if (q->in_solid > 1.0f) {
            return false;
        }
        if (q->in_solid == before) {
            return true;
        }
    }
    return false;
}

/// True when a sweep that starts overlapping no triangle starts inside of a solid.
static bool starts_inside(const mesh_query_t *q) {
    return (q->mesh->flags & MESH_VOLUME) && q->mesh->contents == CONTENTS_SOLID &&
           !q->startsolid && CM_MeshOps()->inside(q);
}

/// Goes on with a sweep whose start is in solid. False: it never leaves it.
static bool go_on(mesh_query_t *q, bool is_inside) {
    if (is_inside && q->triangle < 0) {
        return false;
    }
    q->from = is_inside ? q->enter : 0.0f;
    q->in_solid = is_inside ? q->enter : 0.0f;
    return leave_solid(q);
}

/// What stops a trace: a place on it, and a plane.
typedef struct {
    float fraction;
    vec3_t normal;
    float dist;
} stop_t;

static int32_t plane_type(vec3_t normal) {
    return VectorCompare(normal, Vector(1.0f, 0.0f, 0.0f))   ? PLANE_X
           : VectorCompare(normal, Vector(0.0f, 1.0f, 0.0f)) ? PLANE_Y
           : VectorCompare(normal, Vector(0.0f, 0.0f, 1.0f)) ? PLANE_Z
                                                             : PLANE_ANY;
}

/// CM_DIST_EPSILON before what the query met, but not before what it starts in.
static stop_t stop_before(const mesh_query_t *q, const cm_pose_t *pose, vec3_t start, vec3_t end) {
    vec3_t normal = met_normal(q, pose);
    float slope = -DotProduct(normal, q->move);
    float least = q->from > 0.0f ? q->from : 0.0f;
    float fraction = slope > 0.0f ? q->enter - CM_DIST_EPSILON / slope : least;
    return (stop_t){.fraction = fraction > least ? fraction : least,
                    .normal = normal,
                    .dist = DotProduct(normal, VectorLerp(start, end, q->enter))};
}

/// The plane of what a box overlaps that ends at `end`, against the motion.
static stop_t stop_at_end(const mesh_query_t *q, const cm_pose_t *pose, vec3_t end,
                          const bounds_t *size) {
    cm_contact_t contact = {.normal = VectorScale(q->move, -1.0f / VectorLength(q->move))};
    const bounds_t box = {VectorAdd(end, size->mins), VectorAdd(end, size->maxs)};
    CM_MeshOverlap(q->mesh, pose, box, &contact, 1);
    vec3_t n = contact.normal;
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    n = DotProduct(n, q->move) > 0.0f ? VectorSubtract(zero, n) : VectorAdd(zero, n);
    return (stop_t){.fraction = 1.0f, .normal = n, .dist = DotProduct(n, end)};
}

/// The trace that ends where the query was stopped, or at the end when it met nothing. Sweeps and
/// boxes that stand round differently: where one came close to a triangle its end is looked at
/// again as the next trace will see its start, and goes back until it is free.
static trace_t end_trace(const mesh_query_t *q, const cm_pose_t *pose, const bounds_t *way,
                         const bounds_t *size) {
    vec3_t start = way->mins;
    vec3_t end = way->maxs;
    stop_t stop = {.fraction = 1.0f};
    bool hit = q->triangle >= 0;
    if (hit) {
        stop = stop_before(q, pose, start, end);
    }
    vec3_t endpos = stop.fraction < 1.0f ? VectorLerp(start, end, stop.fraction) : end;
    if (q->num_close > 0 && stop.fraction > 0.0f && stands_in(q, pose, size, start, endpos)) {
        stop = hit ? stop : stop_at_end(q, pose, end, size);
        hit = true;
        float step = stop.fraction * 0.1f;
        for (int32_t i = 0; i < 10 && (i == 0 || stands_in(q, pose, size, start, endpos)); i++) {
            stop.fraction = i == 9 ? 0.0f : stop.fraction - step;
            endpos = VectorLerp(start, end, stop.fraction);
        }
    }
    trace_t trace = {.fraction = stop.fraction,
                     .endpos = endpos,
                     .contents = CONTENTS_EMPTY,
                     .entnum = TRACE_NOTHING,
                     .startsolid = q->from >= 0.0f};
    if (hit) {
        trace.plane =
            (plane_t){.normal = stop.normal, .dist = stop.dist, .type = plane_type(stop.normal)};
    }
    return trace;
}

trace_t CM_MeshTraceBy(mesh_query_t *q, const cm_pose_t *pose, const bounds_t *way,
                       const bounds_t *size) {
    find_first(CM_MeshOps(), q);
    bool is_inside = starts_inside(q);
    bool startsolid = q->startsolid || is_inside;
    if (startsolid && !go_on(q, is_inside)) {
        return (trace_t){.endpos = way->mins,
                         .contents = CONTENTS_SOLID,
                         .entnum = TRACE_NOTHING,
                         .startsolid = true,
                         .allsolid = true};
    }
    return end_trace(q, pose, way, size);
}

trace_t CM_MeshTrace(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                     vec3_t mins, vec3_t maxs) {
    const bounds_t way = {start, end};
    const bounds_t size = {mins, maxs};
    mesh_query_t q;
    make_query(&q, mesh, pose, way, size);
    return CM_MeshTraceBy(&q, pose, &way, &size);
}

// ---- what stands ----

bool CM_MeshTouches(const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin, vec3_t mins,
                    vec3_t maxs) {
    mesh_query_t q;
    stand(&q, mesh, pose, origin, (bounds_t){mins, maxs});
    return (!is_point(&q) && CM_MeshOps()->touches(&q)) ||
           ((mesh->flags & MESH_VOLUME) && CM_MeshOps()->inside(&q));
}

int32_t CM_AddMeshContact(cm_contact_t *contacts, int32_t count, int32_t max,
                          const cm_contact_t *more) {
    int32_t at = count;
    while (at > 0 &&
           (contacts[at - 1].depth < more->depth ||
            (contacts[at - 1].depth == more->depth && contacts[at - 1].surface > more->surface))) {
        at--;
    }
    if (at >= max) {
        return count;
    }
    count = count < max ? count + 1 : max;
    for (int32_t i = count - 1; i > at; i--) {
        contacts[i] = contacts[i - 1];
    }
    contacts[at] = *more;
    return count;
}

int32_t CM_MeshOverlap(const mesh_t *mesh, const cm_pose_t *pose, bounds_t box,
                       cm_contact_t *contacts, int32_t max) {
    mesh_query_t q;
    stand(&q, mesh, pose, Vector(0.0f, 0.0f, 0.0f), box);
    return is_point(&q) ? 0 : CM_MeshOps()->overlap(&q, contacts, max);
}

contents_t CM_MeshContents(const mesh_t *mesh, const cm_pose_t *pose, vec3_t point) {
    if (!(mesh->flags & MESH_VOLUME)) {
        return CONTENTS_EMPTY;
    }
    const bounds_t none = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    mesh_query_t q;
    stand(&q, mesh, pose, point, none);
    return CM_MeshOps()->inside(&q) ? (contents_t)mesh->contents : CONTENTS_EMPTY;
}
