/// collide/mesh/mesh_gather.c - what is asked of a gather, and what of the mesh.
//
// Floor:   collide.
// Units:   qu.
// Memory:  none.

#include "collide/mesh/mesh_gather.h"

#include "collide/mesh/mesh_local.h"

#include <math.h>
#include <string.h>

/// Triangles that are not nearer to a point than this, and this share of the largest coordinate of
/// the gather's, are nothing to it: it meets a triangle only where it meets the triangle's box as
/// wide as the tree's are for its walk (MESH_TREE_MARGIN, and twice its share; refined() in
/// mesh_kernel_ray.h), and this is more, by what rounding may add. To boxes nothing matters that is
/// not nearer than the share: it is more than what thin ones are made wider by, and rounding.
#define GATHER_MARGIN       (CM_DIST_EPSILON / 2.0f) // qu
#define GATHER_MARGIN_SHARE 5e-6f

/// A sweep of a box: x, y, z, 0 each.
typedef struct {
    float4_t start, end, mins, maxs;
} mesh_sweep_t;

static const cm_pose_t unmoved = {.origin = {0.0f, 0.0f, 0.0f}};

static float largest(vec3_t v) {
    float xy = fabsf(v.x) > fabsf(v.y) ? fabsf(v.x) : fabsf(v.y);
    return xy > fabsf(v.z) ? xy : fabsf(v.z);
}

static inline float4_t in_lanes(vec3_t v) {
    return (float4_t){v.x, v.y, v.z, 0.0f};
}

static void hold(mesh_gather_t *gather, bounds_t box) {
    gather->box = box;
    gather->mins = in_lanes(box.mins);
    gather->maxs = in_lanes(box.maxs);
}

static void hold_nothing(mesh_gather_t *gather) {
    hold(gather, (bounds_t){{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}});
    gather->num_blocks = 0;
}

void CM_MeshGatherBegin(mesh_gather_t *gather, const mesh_t *mesh) {
    gather->mesh = mesh;
    hold_nothing(gather);
}

bool CM_MeshGather(mesh_gather_t *gather, const mesh_t *mesh, bounds_t box) {
    float far = largest(VectorMax(VectorNegate(box.mins), box.maxs));
    if (gather->mesh != mesh) {
        CM_MeshGatherBegin(gather, mesh);
    }
    if (!CM_MeshOps()->collect(gather, box, GATHER_MARGIN + GATHER_MARGIN_SHARE * far)) {
        hold_nothing(gather);
        return false;
    }
    hold(gather, box);
    return true;
}

/// A box all of whose sides are compared at once, and that is read one by one afterwards: each
/// coordinate out of what was stored last where it lies.
typedef union {
    float f[8];
    bounds_t box;
} stored_box_t;

/// Blocks that a box comes near, in *near; less: that much nearer than a point. False when the box
/// is not in the gather, or none.
static inline bool find_near(const mesh_gather_t *gather, float4_t mins, float4_t maxs, float less,
                             uint32_t *near) {
    stored_box_t stored;
    if (Float4_Bits((mins >= gather->mins) & (mins <= maxs) & (maxs <= gather->maxs)) != 15) {
        return false;
    }
    mins += Float4_All(less);
    maxs -= Float4_All(less);
    memcpy(&stored.f[0], &mins, sizeof mins);
    memcpy(&stored.f[3], &maxs, sizeof maxs);
    *near = CM_MeshOps()->near(gather, &stored.box);
    return true;
}

static inline bool find_near_box(const mesh_gather_t *gather, bounds_t box, uint32_t *near) {
    return find_near(gather, in_lanes(box.mins), in_lanes(box.maxs), GATHER_MARGIN, near);
}

static inline bool find_near_sweep(const mesh_gather_t *gather, const mesh_sweep_t *sweep,
                                   uint32_t *near) {
    // Of what is no number the lower may be a number.
    const float4_t most = Float4_All(INFINITY);
    int4_t numbers = (sweep->start <= most) & (sweep->end <= most);
    bool is_point = Float4_Bits(sweep->mins == sweep->maxs) == 15;
    return Float4_Bits(numbers) == 15 &&
           find_near(gather, Float4_Min(sweep->start, sweep->end) + sweep->mins,
                     Float4_Max(sweep->start, sweep->end) + sweep->maxs,
                     is_point ? 0.0f : GATHER_MARGIN, near);
}

/// Where nothing is near a sweep of such a mesh, it may still be inside of it.
static inline bool has_inside(const mesh_t *mesh) {
    return (mesh->flags & MESH_VOLUME) != 0;
}

mesh_hit_t CM_MeshGatherSweep(const mesh_gather_t *gather, vec3_t start, vec3_t end, vec3_t mins,
                              vec3_t maxs) {
    const mesh_sweep_t sweep = {in_lanes(start), in_lanes(end), in_lanes(mins), in_lanes(maxs)};
    mesh_query_t q;
    uint32_t near = 0;
    if (!find_near_sweep(gather, &sweep, &near)) {
        return CM_MeshSweep(gather->mesh, &unmoved, start, end, mins, maxs);
    }
    if (near == 0) {
        return (mesh_hit_t){.fraction = 1.0f, .triangle = -1};
    }
    CM_MeshQuery(&q, gather->mesh, &unmoved, &(bounds_t){start, end}, &(bounds_t){mins, maxs});
    CM_MeshAskNear(&q, gather, near);
    return CM_MeshSweepBy(CM_MeshOps(), &q, &unmoved);
}

static trace_t trace_near(const mesh_gather_t *gather, const mesh_sweep_t *sweep,
                          const bounds_t *way, const bounds_t *size) {
    mesh_query_t q;
    uint32_t near = 0;
    if (!find_near_sweep(gather, sweep, &near)) {
        return CM_MeshTrace(gather->mesh, &unmoved, way->mins, way->maxs, size->mins, size->maxs);
    }
    if (near == 0 && !has_inside(gather->mesh)) {
        return (trace_t){.fraction = 1.0f,
                         .endpos = way->maxs,
                         .contents = CONTENTS_EMPTY,
                         .entnum = TRACE_NOTHING};
    }
    CM_MeshQuery(&q, gather->mesh, &unmoved, way, size);
    CM_MeshAskNear(&q, gather, near);
    return CM_MeshTraceBy(&q, &unmoved, way, size);
}

trace_t CM_MeshGatherTrace(const mesh_gather_t *gather, vec3_t start, vec3_t end, vec3_t mins,
                           vec3_t maxs) {
    const mesh_sweep_t sweep = {in_lanes(start), in_lanes(end), in_lanes(mins), in_lanes(maxs)};
    const bounds_t way = {start, end};
    const bounds_t size = {mins, maxs};
    return trace_near(gather, &sweep, &way, &size);
}

bool CM_MeshGatherTouches(const mesh_gather_t *gather, vec3_t origin, vec3_t mins, vec3_t maxs) {
    const bounds_t box = {VectorAdd(origin, mins), VectorAdd(origin, maxs)};
    mesh_query_t q;
    uint32_t near = 0;
    if (has_inside(gather->mesh) || !find_near_box(gather, box, &near)) {
        return CM_MeshTouches(gather->mesh, &unmoved, origin, mins, maxs);
    }
    if (near == 0) {
        return false;
    }
    CM_MeshStand(&q, gather->mesh, &unmoved, origin, &(bounds_t){mins, maxs});
    CM_MeshAskNear(&q, gather, near);
    return !CM_MeshIsPoint(&q) && CM_MeshOps()->touches_near(&q);
}

int32_t CM_MeshGatherOverlap(const mesh_gather_t *gather, bounds_t box, cm_contact_t *contacts,
                             int32_t max) {
    mesh_query_t q;
    uint32_t near = 0;
    if (!find_near_box(gather, box, &near)) {
        return CM_MeshOverlap(gather->mesh, &unmoved, box, contacts, max);
    }
    if (near == 0) {
        return 0;
    }
    CM_MeshStand(&q, gather->mesh, &unmoved, Vector(0.0f, 0.0f, 0.0f), &box);
    CM_MeshAskNear(&q, gather, near);
    return CM_MeshIsPoint(&q) ? 0 : CM_MeshOps()->overlap_near(&q, contacts, max);
}
