/// collide/mesh/mesh_query.h - the state of one mesh query. Private to collide/mesh/.
//
// Units:   qu; fractions of the sweep.
// Memory:  a query is on the caller's stack.

#ifndef EDICTD_COLLIDE_MESH_QUERY_H
#define EDICTD_COLLIDE_MESH_QUERY_H

#include "collide/mesh/triangle_cache.h"

/// Maximum stack of a walk: seven children per level, and eight on the last.
enum { MESH_STACK = (MESH_WIDTH - 1) * MESH_MAX_DEPTH + MESH_WIDTH };

/// Axes that may separate a box and a triangle: the triangle's normal, three box axes, nine cross
/// products. Edge i and axis j have MESH_AXIS_CROSS + 3 * i + j.
enum { MESH_AXIS_NORMAL, MESH_AXIS_FACE, MESH_AXIS_CROSS = 4 };

/// The boxes of the tree are widened by MESH_TREE_MARGIN + MESH_TREE_MARGIN_SHARE * largest
/// coordinate, against rounding.
#define MESH_TREE_MARGIN       0.015625f // qu
#define MESH_TREE_MARGIN_SHARE 2e-6f

/// mesh_query_t.from of a sweep that does not start in solid.
#define MESH_NOT_IN_SOLID (-1.0f)

/// A query: a box, its motion, and the first hit.
typedef struct {
    const mesh_t *mesh;
    const triangle_cache_t *cache; // covers the query, and the mesh is at 0 0 0; NULL = none
    bool turned, one_sided, is_point;
    // In the mesh's space: the box's centre at the start and the end, and its half size.
    vec3_t start, end, reach;
    // In the box's space (world axes): motion, half size, and half size widened against rounding.
    vec3_t move, half, wide;
    vec3_t axes[3]; // axes of the mesh in world space; valid only if it is turned
    float margin;   // distance by which a sweep widens the boxes of the tree
    float bias;     // minimum difference of fractions for a later axis to replace an earlier axis
    float from; // fraction at which the sweep leaves the solid of its start, or MESH_NOT_IN_SOLID
    // Results.
    float enter;      // fraction of the first hit after `from`; 1 without a hit
    int32_t triangle; // number of the triangle that was hit, or -1
    const mesh_block_t *block;
    int32_t lane, axis; // lane of the triangle in the block, and the axis of the hit
    float in_solid;     // fraction at which the solids found by this walk end
    bool startsolid;    // the start overlaps a triangle
    bool is_close;      // a triangle was hit, or passed so closely that rounding decides
} mesh_query_t;

/// The kernels for four or eight lanes (mesh_kernel.c).
typedef struct {
    /// Finds the first hit after query->from. If that is MESH_NOT_IN_SOLID, stops at the first
    /// triangle that overlaps the start.
    void (*sweep)(mesh_query_t *query);
    /// Like CM_MeshOverlap. If max is 0, stops at the first overlap and returns 1.
    int32_t (*overlap)(const mesh_query_t *query, cm_contact_t *contacts, int32_t max);
    /// Returns true if a line up from query->start crosses an odd number of triangles.
    bool (*inside)(const mesh_query_t *query);
    /// Caches the blocks in a region widened by `margin`. Returns false if they do not fit.
    bool (*collect)(triangle_cache_t *cache, bounds_t region, float margin);
} mesh_ops_t;

extern const mesh_ops_t CM_MeshOps4; // for any CPU
#ifdef __x86_64__
extern const mesh_ops_t CM_MeshOps8; // for CPUs with AVX2, BMI2 and FMA
#endif

/// Returns the fastest kernels of this CPU.
static inline const mesh_ops_t *CM_MeshOps(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma")) {
        return &CM_MeshOps8;
    }
#endif
    return &CM_MeshOps4;
}

/// Prepares a sweep; of a point if mins equals maxs.
void CM_MeshSweepQuery(mesh_query_t *query, const mesh_t *mesh, const cm_pose_t *pose,
                       const bounds_t *motion, const bounds_t *size);

void CM_MeshRestQuery(mesh_query_t *query, const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin,
                      const bounds_t *size);

/// Runs a prepared sweep with chosen kernels, for tests.
mesh_hit_t CM_MeshRunSweep(const mesh_ops_t *ops, mesh_query_t *query);

/// Returns an axis (MESH_AXIS_*) as a unit vector in world space.
vec3_t CM_MeshAxis(const mesh_query_t *query, const mesh_block_t *block, int32_t lane,
                   int32_t axis);

#endif
