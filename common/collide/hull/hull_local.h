/// collide/hull/hull_local.h - helpers for walks down a hull's tree. Private to collide/.

#ifndef EDICTD_COLLIDE_HULL_LOCAL_H
#define EDICTD_COLLIDE_HULL_LOCAL_H

#include "collide/hull/hull.h"
#include "collide/segment.h"
#include "math/bounds.h"

typedef struct {
    const clipnode_t *nodes;
    const plane_t *planes;
    int32_t root;
} hull_tree_t;

/// Like CM_HullTrace and CM_HullPointContents, for a subtree, without cells.
trace_t CM_TraceTree(hull_tree_t tree, const segment_t *whole);
contents_t CM_TreeContents(hull_tree_t tree, const sweep_point_t *point);

#define HULL_INLINE static inline __attribute__((always_inline))

/// A box, cut by axial planes on a walk down a tree.
typedef struct {
    float mins[3], maxs[3];
} hull_box_t;

/// Range of the distances of a box's points to a plane.
typedef struct {
    float lo, hi;
} hull_span_t;

static inline hull_box_t Hull_Box(bounds_t box) {
    return (hull_box_t){{box.mins.x, box.mins.y, box.mins.z}, {box.maxs.x, box.maxs.y, box.maxs.z}};
}

static inline hull_span_t Hull_BoxSpan(const clipnode_t *node, const plane_t *planes,
                                       const hull_box_t *box) {
    const int32_t type = node->plane & 3;
    if (type < PLANE_ANY) {
        return (hull_span_t){box->mins[type] - node->dist, box->maxs[type] - node->dist};
    }
    const vec3_t normal = planes[CM_ClipNodePlane(node)].normal;
    const float n[3] = {normal.x, normal.y, normal.z};
    hull_span_t span = {-node->dist, -node->dist};
    for (int32_t i = 0; i < 3; i++) {
        span.lo += n[i] * (n[i] >= 0.0f ? box->mins[i] : box->maxs[i]);
        span.hi += n[i] * (n[i] >= 0.0f ? box->maxs[i] : box->mins[i]);
    }
    return span;
}

/// Cuts the box at an axial plane. Both parts overlap by `slack` on each side.
static inline void Hull_CutBox(const clipnode_t *node, float slack, hull_box_t *front,
                               hull_box_t *back) {
    const int32_t type = node->plane & 3;
    if (type < PLANE_ANY) {
        const float lo = node->dist - slack;
        const float hi = node->dist + slack;
        front->mins[type] = front->mins[type] < lo ? lo : front->mins[type];
        back->maxs[type] = back->maxs[type] > hi ? hi : back->maxs[type];
    }
}

HULL_INLINE float Hull_SlantedDiff(const clipnode_t *node, const plane_t *planes,
                                   const sweep_point_t *p) {
    vec3_t normal = planes[CM_ClipNodePlane(node)].normal;
    return p->f[0] * normal.x + p->f[1] * normal.y + p->f[2] * normal.z - node->dist;
}

HULL_INLINE float Hull_NodeDiff(const clipnode_t *node, const plane_t *planes,
                                const sweep_point_t *p) {
    int32_t type = node->plane & 3;
    return type < PLANE_ANY ? p->f[type] - node->dist : Hull_SlantedDiff(node, planes, p);
}

HULL_INLINE plane_t Hull_BackOf(plane_t plane) {
    // Use 0 - x instead of -x to avoid negative zeros.
    return (plane_t){{0.0f - plane.normal.x, 0.0f - plane.normal.y, 0.0f - plane.normal.z},
                     0.0f - plane.dist,
                     PLANE_ANY};
}

/// Returns a node's plane with the normal against the sweep.
HULL_INLINE plane_t Hull_FacingPlane(const plane_t *planes, const clipnode_t *node,
                                     bool from_back) {
    const plane_t plane = planes[CM_ClipNodePlane(node)];
    return from_back ? Hull_BackOf(plane) : plane;
}

/// Returns the trace of a miss. `open`: a part of the sweep was free.
HULL_INLINE trace_t Hull_Miss(const segment_t *whole, bool startsolid, int32_t contents,
                              bool open) {
    const sweep_point_t *at = open ? &whole->p2 : &whole->p1;
    return (trace_t){.fraction = at->f[3],
                     .endpos = {at->f[0], at->f[1], at->f[2]},
                     .contents = (contents_t)contents,
                     .entnum = TRACE_NOTHING,
                     .startsolid = startsolid,
                     .allsolid = !open};
}

#endif
