/// collide/mesh/mesh.c - the public queries of a mesh: prepares queries, runs a kernel, converts
/// results.

#include "collide/mesh/mesh.h"

#include "base/assert.h"
#include "collide/mesh/mesh_query.h"
#include "state/trace_make.h"

#include <math.h>
#include <string.h>

/// After a pass within CLOSE_PASS + CLOSE_PASS_SHARE * largest coordinate, the end is tested,
/// because rounding may put it into the triangle. The walk's margin must be larger.
#define CLOSE_PASS       (CM_DIST_EPSILON / 4.0f) // qu
#define CLOSE_PASS_SHARE 1e-6f

/// Distance within which axes count as reached at once, as a share of the largest coordinate.
#define AT_ONCE_SHARE 1e-6f

/// Minimum half size of a box, as a share of the largest coordinate. Flat boxes must not pass
/// between triangles that share an edge. Points stay points.
#define LEAST_HALF_SHARE 1e-6f

/// A cache widens its bounds by CACHE_MARGIN + CACHE_MARGIN_SHARE * largest coordinate, more than
/// the margin of walks.
#define CACHE_MARGIN       (CM_DIST_EPSILON / 2.0f) // qu
#define CACHE_MARGIN_SHARE 5e-6f

enum { MAX_RUNS = 64 }; // maximum walks of a trace that starts in touching solids

static const cm_pose_t unmoved = {.origin = {0.0f, 0.0f, 0.0f}};

// ---- queries ----

static inline float largest(vec3_t v) {
    float xy = fabsf(v.x) > fabsf(v.y) ? fabsf(v.x) : fabsf(v.y);
    return xy > fabsf(v.z) ? xy : fabsf(v.z);
}

static inline void reset(mesh_query_t *q) {
    q->enter = 1.0f;
    q->triangle = -1;
    q->startsolid = false;
    q->is_close = false;
}

static vec3_t turned_reach(const cm_pose_t *pose, vec3_t half) {
    float reach[3];
    for (int32_t i = 0; i < 3; i++) {
        vec3_t axis = pose->axes[i];
        reach[i] = half.x * fabsf(axis.x) + half.y * fabsf(axis.y) + half.z * fabsf(axis.z);
    }
    return Vector(reach[0], reach[1], reach[2]);
}

/// Sets the start and size of the box. Returns the largest coordinate of the start plus the largest
/// half side, from which error margins are computed.
static inline __attribute__((always_inline)) float set_box(mesh_query_t *q, const mesh_t *mesh,
                                                           const cm_pose_t *pose, vec3_t origin,
                                                           const bounds_t *size) {
    vec3_t offset = VectorScale(VectorAdd(size->mins, size->maxs), 0.5f);
    vec3_t half = VectorScale(VectorSubtract(size->maxs, size->mins), 0.5f);
    q->mesh = mesh;
    q->cache = NULL;
    q->one_sided = (mesh->flags & MESH_ONE_SIDED) != 0;
    q->turned = pose->turned;
    q->start = CM_ToModel(pose, VectorAdd(origin, offset));
    q->is_point = VectorCompare(half, Vector(0.0f, 0.0f, 0.0f));
    float far = largest(q->start);
    q->half = half;
    if (!q->is_point) {
        far += largest(half);
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

static inline void widen(mesh_query_t *q, float far) {
    float close = CLOSE_PASS + CLOSE_PASS_SHARE * far;
    q->wide = VectorAdd(q->half, Vector(close, close, close));
}

void CM_MeshRestQuery(mesh_query_t *q, const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin,
                      const bounds_t *size) {
    q->move = Vector(0.0f, 0.0f, 0.0f);
    widen(q, set_box(q, mesh, pose, origin, size));
}

static inline __attribute__((always_inline)) void sweep_query(mesh_query_t *q, const mesh_t *mesh,
                                                              const cm_pose_t *pose,
                                                              const bounds_t *motion,
                                                              const bounds_t *size) {
    vec3_t offset = VectorScale(VectorAdd(size->mins, size->maxs), 0.5f);
    float far = set_box(q, mesh, pose, motion->mins, size);
    q->end = CM_ToModel(pose, VectorAdd(motion->maxs, offset));
    far += largest(q->end);
    q->move = CM_TurnToWorld(pose, VectorSubtract(q->end, q->start));
    q->from = MESH_NOT_IN_SOLID;
    q->in_solid = MESH_NOT_IN_SOLID;
    q->margin = MESH_TREE_MARGIN + MESH_TREE_MARGIN_SHARE * far;
    reset(q);
    if (!q->is_point) {
        float length = largest(q->move);
        q->bias = length > 0.0f ? AT_ONCE_SHARE * far / length : 0.0f;
        widen(q, far);
    }
}

void CM_MeshSweepQuery(mesh_query_t *q, const mesh_t *mesh, const cm_pose_t *pose,
                       const bounds_t *motion, const bounds_t *size) {
    sweep_query(q, mesh, pose, motion, size);
}

// ---- axes ----

static inline vec3_t block_vector(const float from[3][MESH_WIDTH], int32_t lane) {
    return Vector(from[0][lane], from[1][lane], from[2][lane]);
}

static inline vec3_t turned_to_box(const mesh_query_t *q, vec3_t v) {
    if (!q->turned) {
        return v;
    }
    return VectorMA(VectorMA(VectorScale(q->axes[0], v.x), v.y, q->axes[1]), v.z, q->axes[2]);
}

/// Normalizes by division, so that a vector along an axis gives exactly that axis.
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

/// Flips a normal against the motion, without a branch. Adds 0 to remove negative zeros.
static inline vec3_t against(const mesh_query_t *q, vec3_t n) {
    float sign = (float)(1 - 2 * (DotProduct(n, q->move) > 0.0f));
    return VectorMA(Vector(0.0f, 0.0f, 0.0f), sign, n);
}

static inline vec3_t hit_normal(const mesh_query_t *q) {
    return against(q, q->axis == MESH_AXIS_NORMAL ? block_normal(q, q->block, q->lane)
                                                  : CM_MeshAxis(q, q->block, q->lane, q->axis));
}

// ---- sweeps ----

mesh_hit_t CM_MeshRunSweep(const mesh_ops_t *ops, mesh_query_t *q) {
    ops->sweep(q);
    if (q->startsolid) {
        return (mesh_hit_t){.triangle = -1, .startsolid = true};
    }
    if (q->triangle < 0) {
        return (mesh_hit_t){.fraction = 1.0f, .triangle = -1};
    }
    return (mesh_hit_t){.fraction = q->enter, .normal = hit_normal(q), .triangle = q->triangle};
}

mesh_hit_t CM_MeshSweep(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                        vec3_t mins, vec3_t maxs) {
    mesh_query_t q;
    sweep_query(&q, mesh, pose, &(bounds_t){start, end}, &(bounds_t){mins, maxs});
    return CM_MeshRunSweep(CM_MeshOps(), &q);
}

/// Returns true if a box swept from `start` overlaps a triangle at `origin`.
static bool is_stuck(const mesh_query_t *sweep, const cm_pose_t *pose, const bounds_t *size,
                     vec3_t start, vec3_t origin) {
    mesh_query_t q;
    CM_MeshRestQuery(&q, sweep->mesh, pose, origin, size);
    q.cache = sweep->cache;
    q.move = VectorSubtract(start, origin);
    return CM_MeshOps()->overlap(&q, NULL, 0) > 0;
}

/// Repeats a sweep that starts in solid until it leaves the solid. Returns false if it never does.
static bool leave_solid(mesh_query_t *q) {
    for (int32_t i = 0; i < MAX_RUNS; i++) {
        float before = q->in_solid;
        reset(q);
        CM_MeshOps()->sweep(q);
        if (q->in_solid > 1.0f) {
            return false;
        }
        if (q->in_solid == before) {
            return true;
        }
    }
    return false;
}

/// Returns true if a sweep starts inside a solid volume without overlapping a triangle.
static bool starts_inside(const mesh_query_t *q) {
    return (q->mesh->flags & MESH_VOLUME) && q->mesh->contents == CONTENTS_SOLID &&
           !q->startsolid && CM_MeshOps()->inside(q);
}

/// The stop of a trace, and the normal of its clip plane.
typedef struct {
    float fraction;
    vec3_t normal;
    float dist;
} stop_t;

/// Returns a stop CM_DIST_EPSILON before the hit, outside the solid of the start.
static stop_t stop_before(const mesh_query_t *q, vec3_t start, vec3_t end) {
    vec3_t normal = hit_normal(q);
    float slope = -DotProduct(normal, q->move);
    float least = q->from > 0.0f ? q->from : 0.0f;
    float fraction = slope > 0.0f ? q->enter - CM_DIST_EPSILON / slope : least;
    return (stop_t){.fraction = fraction > least ? fraction : least,
                    .normal = normal,
                    .dist = DotProduct(normal, VectorLerp(start, end, q->enter))};
}

/// Returns a stop at the end, with the plane of the deepest overlap.
static stop_t stop_at_end(const mesh_query_t *q, const cm_pose_t *pose, vec3_t end,
                          const bounds_t *size) {
    cm_contact_t contact = {.normal = VectorScale(q->move, -1.0f / VectorLength(q->move))};
    const bounds_t box = {VectorAdd(end, size->mins), VectorAdd(end, size->maxs)};
    CM_MeshOverlap(q->mesh, pose, box, &contact, 1);
    vec3_t n = against(q, contact.normal);
    return (stop_t){.fraction = 1.0f, .normal = n, .dist = DotProduct(n, end)};
}

/// Makes the trace of a finished sweep. After a close pass, tests the end as the next move would,
/// and moves it back until free.
static trace_t end_trace(const mesh_query_t *q, const cm_pose_t *pose, const bounds_t *motion,
                         const bounds_t *size) {
    vec3_t start = motion->mins;
    vec3_t end = motion->maxs;
    stop_t stop = {.fraction = 1.0f};
    bool hit = q->triangle >= 0;
    if (hit) {
        stop = stop_before(q, start, end);
    }
    vec3_t endpos = stop.fraction < 1.0f ? VectorLerp(start, end, stop.fraction) : end;
    if (q->is_close && stop.fraction > 0.0f && is_stuck(q, pose, size, start, endpos)) {
        stop = hit ? stop : stop_at_end(q, pose, end, size);
        hit = true;
        float step = stop.fraction * 0.1f;
        for (int32_t i = 0; i < 10 && (i == 0 || is_stuck(q, pose, size, start, endpos)); i++) {
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
            (plane_t){.normal = stop.normal, .dist = stop.dist, .type = PlaneType(stop.normal)};
    }
    return trace;
}

static trace_t run_trace(mesh_query_t *q, const cm_pose_t *pose, const bounds_t *motion,
                         const bounds_t *size) {
    CM_MeshOps()->sweep(q);
    bool is_inside = starts_inside(q);
    bool leaves = true;
    if (is_inside || q->startsolid) {
        leaves = !is_inside || q->triangle >= 0;
        q->from = is_inside ? q->enter : 0.0f;
        q->in_solid = q->from;
        leaves = leaves && leave_solid(q);
    }
    if (!leaves) {
        return Trace_AllSolid(motion->mins);
    }
    return end_trace(q, pose, motion, size);
}

trace_t CM_MeshTrace(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                     vec3_t mins, vec3_t maxs) {
    const bounds_t motion = {start, end};
    const bounds_t size = {mins, maxs};
    mesh_query_t q;
    CM_MeshSweepQuery(&q, mesh, pose, &motion, &size);
    return run_trace(&q, pose, &motion, &size);
}

// ---- resting boxes ----

bool CM_MeshTouches(const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin, vec3_t mins,
                    vec3_t maxs) {
    mesh_query_t q;
    CM_MeshRestQuery(&q, mesh, pose, origin, &(bounds_t){mins, maxs});
    return CM_MeshOps()->overlap(&q, NULL, 0) > 0 ||
           ((mesh->flags & MESH_VOLUME) && CM_MeshOps()->inside(&q));
}

int32_t CM_MeshOverlap(const mesh_t *mesh, const cm_pose_t *pose, bounds_t box,
                       cm_contact_t *contacts, int32_t max) {
    mesh_query_t q;
    CM_MeshRestQuery(&q, mesh, pose, Vector(0.0f, 0.0f, 0.0f), &box);
    return max > 0 ? CM_MeshOps()->overlap(&q, contacts, max) : 0;
}

contents_t CM_MeshContents(const mesh_t *mesh, const cm_pose_t *pose, vec3_t point) {
    const bounds_t none = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    mesh_query_t q;
    if (!(mesh->flags & MESH_VOLUME)) {
        return CONTENTS_EMPTY;
    }
    CM_MeshRestQuery(&q, mesh, pose, point, &none);
    return CM_MeshOps()->inside(&q) ? (contents_t)mesh->contents : CONTENTS_EMPTY;
}

// ---- the cache ----

void CM_EmptyTriangleCache(triangle_cache_t *cache, const mesh_t *mesh) {
    cache->mesh = mesh;
    cache->num_blocks = 0;
    cache->region = (bounds_t){{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};
}

bool CM_FillTriangleCache(triangle_cache_t *cache, const mesh_t *mesh, bounds_t region) {
    float far = largest(VectorMax(VectorNegate(region.mins), region.maxs));
    CM_EmptyTriangleCache(cache, mesh);
    if (!CM_MeshOps()->collect(cache, region, CACHE_MARGIN + CACHE_MARGIN_SHARE * far)) {
        return false;
    }
    cache->region = region;
    return true;
}

/// Returns true if a box at `origin` is within the region; false for NaN or an empty region.
static bool holds(const triangle_cache_t *cache, vec3_t origin, const bounds_t *size) {
    const vec3_t mins = VectorAdd(origin, size->mins);
    const vec3_t maxs = VectorAdd(origin, size->maxs);
    const bounds_t *r = &cache->region;
    return mins.x >= r->mins.x && mins.y >= r->mins.y && mins.z >= r->mins.z &&
           maxs.x <= r->maxs.x && maxs.y <= r->maxs.y && maxs.z <= r->maxs.z && mins.x <= maxs.x &&
           mins.y <= maxs.y && mins.z <= maxs.z;
}

/// Prepares a sweep that reads the cache if it covers the motion.
static void cached_sweep_query(mesh_query_t *q, const triangle_cache_t *cache,
                               const bounds_t *motion, const bounds_t *size) {
    CM_MeshSweepQuery(q, cache->mesh, &unmoved, motion, size);
    q->cache = holds(cache, motion->mins, size) && holds(cache, motion->maxs, size) ? cache : NULL;
}

mesh_hit_t CM_CachedMeshSweep(const triangle_cache_t *cache, vec3_t start, vec3_t end, vec3_t mins,
                              vec3_t maxs) {
    mesh_query_t q;
    cached_sweep_query(&q, cache, &(bounds_t){start, end}, &(bounds_t){mins, maxs});
    return CM_MeshRunSweep(CM_MeshOps(), &q);
}

trace_t CM_CachedMeshTrace(const triangle_cache_t *cache, vec3_t start, vec3_t end, vec3_t mins,
                           vec3_t maxs) {
    const bounds_t motion = {start, end};
    const bounds_t size = {mins, maxs};
    mesh_query_t q;
    cached_sweep_query(&q, cache, &motion, &size);
    return run_trace(&q, &unmoved, &motion, &size);
}

int32_t CM_CachedMeshOverlap(const triangle_cache_t *cache, bounds_t box, cm_contact_t *contacts,
                             int32_t max) {
    const vec3_t origin = {0.0f, 0.0f, 0.0f};
    mesh_query_t q;
    CM_MeshRestQuery(&q, cache->mesh, &unmoved, origin, &box);
    q.cache = holds(cache, origin, &box) ? cache : NULL;
    return max > 0 ? CM_MeshOps()->overlap(&q, contacts, max) : 0;
}
