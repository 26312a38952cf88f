/// collide/brush/brush_local.h - types that several files of brush/ use. Private to this folder.
//
// Units:   qu, in model space.

#ifndef EDICTD_COLLIDE_BRUSH_LOCAL_H
#define EDICTD_COLLIDE_BRUSH_LOCAL_H

#include "collide/brush/brush.h"

/// A box's sweep: its middle moves from start to end.
typedef struct {
    const brush_list_t *list;
    vec3_t start, end;
    vec3_t half;  // half size along the box's own axes
    vec3_t reach; // half size along the model's axes
    vec3_t axes[3];
    bool turned;
} box_sweep_t;

/// The part of a sweep inside a brush: fractions `enter` to `leave`.
typedef struct {
    float enter, leave; // enter < 0: the start is inside; leave > 1: the end is inside
    float near;         // fraction at CM_DIST_EPSILON before the plane of entry
    float d1, d2;       // distances of the sweep's start and end to the plane of entry
    vec3_t normal;      // normal of the plane of entry
    float slack;        // distance to a brush that the sweep does not enter, qu
} overlap_t;

#define OVERLAP_NEVER_ENTERS (-1.0f)
#define OVERLAP_NEVER_LEAVES 2.0f

/// Cuts the overlap at a plane. Returns false if the whole sweep is in front.
static inline bool Overlap_Cut(overlap_t *overlap, float d1, float d2, vec3_t normal) {
    if (d1 >= 0.0f && d2 >= 0.0f) {
        overlap->slack = d1 < d2 ? d1 : d2;
        return false;
    }
    if (d1 < 0.0f && d2 < 0.0f) {
        return true;
    }
    float at = d1 / (d1 - d2);
    if (d1 < 0.0f) {
        overlap->leave = at < overlap->leave ? at : overlap->leave;
        return true;
    }
    float near = (d1 - CM_DIST_EPSILON) / (d1 - d2);
    overlap->near = near > overlap->near ? near : overlap->near;
    if (at > overlap->enter) {
        overlap->enter = at;
        overlap->d1 = d1;
        overlap->d2 = d2;
        overlap->normal = normal;
    }
    return true;
}

/// Computes the axes of a box, and its reach along the axes of model space.
static inline void CM_TurnBox(box_sweep_t *box, const cm_pose_t *pose, vec3_t half) {
    box->half = half;
    box->reach = half;
    box->turned = pose->turned;
    if (pose->turned) {
        const vec3_t *axes = pose->axes;
        float reach[3];
        for (int32_t i = 0; i < 3; i++) {
            reach[i] =
                half.x * fabsf(axes[i].x) + half.y * fabsf(axes[i].y) + half.z * fabsf(axes[i].z);
        }
        box->reach = Vector(reach[0], reach[1], reach[2]);
        box->axes[0] = Vector(axes[0].x, axes[1].x, axes[2].x);
        box->axes[1] = Vector(axes[0].y, axes[1].y, axes[2].y);
        box->axes[2] = Vector(axes[0].z, axes[1].z, axes[2].z);
    }
}

/// Returns the support of the box along a unit vector.
static inline float CM_BoxReach(const box_sweep_t *box, vec3_t n) {
    if (!box->turned) {
        return box->half.x * fabsf(n.x) + box->half.y * fabsf(n.y) + box->half.z * fabsf(n.z);
    }
    return box->half.x * fabsf(DotProduct(n, box->axes[0])) +
           box->half.y * fabsf(DotProduct(n, box->axes[1])) +
           box->half.z * fabsf(DotProduct(n, box->axes[2]));
}

/// Computes the overlap of a turned box. Returns false if there is none.
bool CM_TurnedOverlap(const box_sweep_t *sweep, const cbrush_t *brush, overlap_t *overlap);

#endif
