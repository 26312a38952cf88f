/// collide/mesh_query.h - one query of a mesh while it runs. Private to collide/mesh/.
//
// Floor:   collide.
// Units:   qu; fractions of the sweep.
// Memory:  a query lives on the caller's stack.

#ifndef EDICTD_COLLIDE_MESH_QUERY_H
#define EDICTD_COLLIDE_MESH_QUERY_H

#include "collide/mesh/triangle_cache.h"

/// Children on a walk's stack: seven for each level, and the eight of the last.
enum { MESH_STACK = (MESH_WIDTH - 1) * MESH_MAX_DEPTH + MESH_WIDTH };

/// Axes that may separate a box and a triangle: the triangle's normal, the box's three axes, then
/// the cross product of edge i and axis j as MESH_AXIS_CROSS + 3 * i + j.
enum { MESH_AXIS_NORMAL, MESH_AXIS_FACE, MESH_AXIS_CROSS = 4 };

/// Walks widen the boxes of the tree by this distance and by this share of the largest coordinate,
/// so that rounding never loses a triangle.
#define MESH_TREE_MARGIN       0.015625f // qu
#define MESH_TREE_MARGIN_SHARE 2e-6f

/// mesh_query_t.from of a sweep that does not start in solid.
#define MESH_NOT_IN_SOLID (-1.0f)

/// A box, its motion, and the first triangle it hits.
typedef struct {
    const mesh_t *mesh;
    const triangle_cache_t *cache; // if not NULL, it covers the query; the mesh is unmoved
    bool turned, one_sided, is_point;
    // In the mesh's space: the box's centre, the end of its motion, and its half extents.
    vec3_t start, end, reach;
    // In the box's space, whose axes are the world's: its motion (of a resting box: back to where
    // it came from), its half size, and that size widened by the possible rounding.
    vec3_t move, half, wide;
    vec3_t axes[3]; // the mesh's axes in the world, if turned
    float margin;   // a sweep widens the boxes of the tree by this
    float bias;     // fraction; an axis must be reached this much later to replace an earlier one
    float from;     // the sweep is in solid up to this fraction, or MESH_NOT_IN_SOLID
    // Results.
    float enter;      // fraction of the first hit after `from`; 1 without a hit
    int32_t triangle; // hit, or -1
    const mesh_block_t *block;
    int32_t lane, axis; // the triangle's lane in the block, and the axis along which it was hit
    float in_solid;     // the sweep is in solid up to this fraction, as far as this walk found
    bool startsolid;    // the start overlaps a triangle
    bool is_close;      // hit a triangle, or passed one so closely that rounding decides
} mesh_query_t;

/// The inner loops, for one number of lanes (mesh_kernel.c).
typedef struct {
    /// Finds the first triangle after query->from that the box or point hits. If `from` is
    /// MESH_NOT_IN_SOLID, stops as soon as the start is found to overlap a triangle.
    void (*sweep)(mesh_query_t *query);
    /// Writes the contacts of the resting box as CM_MeshOverlap does. With max 0 stops at the first
    /// overlap and returns 1.
    int32_t (*overlap)(const mesh_query_t *query, cm_contact_t *contacts, int32_t max);
    /// Returns true if a line straight up from query->start crosses an odd number of triangles.
    bool (*inside)(const mesh_query_t *query);
    /// Collects the blocks of cache->mesh with triangles in a region, widened by `margin`. False if
    /// they do not fit.
    bool (*collect)(triangle_cache_t *cache, bounds_t region, float margin);
} mesh_ops_t;

extern const mesh_ops_t CM_MeshOps4; // for any CPU
#ifdef __x86_64__
extern const mesh_ops_t CM_MeshOps8; // for CPUs with AVX2, BMI2 and FMA
#endif

/// Returns the fastest that this CPU runs.
static inline const mesh_ops_t *CM_MeshOps(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma")) {
        return &CM_MeshOps8;
    }
#endif
    return &CM_MeshOps4;
}

/// Prepares the sweep of a box, or of a point if mins equals maxs.
void CM_MeshSweepQuery(mesh_query_t *query, const mesh_t *mesh, const cm_pose_t *pose,
                       const bounds_t *motion, const bounds_t *size);

/// Prepares the query of a resting box.
void CM_MeshRestQuery(mesh_query_t *query, const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin,
                      const bounds_t *size);

/// Runs a prepared sweep with one of the kernels; tests compare them.
mesh_hit_t CM_MeshRunSweep(const mesh_ops_t *ops, mesh_query_t *query);

/// Returns one of the axes for a triangle of a block, in the world; unit length.
vec3_t CM_MeshAxis(const mesh_query_t *query, const mesh_block_t *block, int32_t lane,
                   int32_t axis);

/// Inserts a contact: deepest first, of equally deep ones the lower triangle first. Returns the
/// number of contacts.
int32_t CM_AddMeshContact(cm_contact_t *contacts, int32_t count, int32_t max,
                          const cm_contact_t *contact);

#endif
