/// collide/mesh/mesh.h - a static triangle mesh: exact sweeps of boxes of any size and of points.
//
// Floor:   collide. Built by mesh_build.c or read from a file by model/, queried through cmodel.
// Units:   qu, in the mesh's own space unless a function takes a pose.
// Memory:  views of arrays with another owner; const after building.
// Repeat:  bit-identical on every supported compiler and number of SIMD lanes
//          (tests/golden/mesh.txt), for any order of the tree: ties go to the lowest triangle.
// Source:  a moving box hits a triangle when the box's centre reaches their Minkowski sum. Its
//          faces are normal to the triangle, to a box axis, or to a cross product of edge and axis.

#ifndef EDICTD_COLLIDE_MESH_H
#define EDICTD_COLLIDE_MESH_H

#include "collide/contact.h"
#include "collide/pose.h"
#include "math/bounds.h"
#include "state/trace.h"

EXTERN_C_BEGIN

/// Maximum number of triangles of one mesh.
#define MAX_MESH_TRIANGLES (4 * 1024 * 1024)

typedef enum {
    /// A triangle stops only boxes whose centre starts on its front (counter-clockwise) and does
    /// not move away from the triangle.
    MESH_ONE_SIDED = 1,
    /// The mesh is closed, and its inside has the mesh's contents (a trigger, water).
    MESH_VOLUME = 2
} mesh_flags_t;

/// A node of the tree, and a block of up to eight triangles; defined in mesh_layout.h.
typedef struct mesh_node_t mesh_node_t;
typedef struct mesh_block_t mesh_block_t;

/// A mesh with its tree. A zeroed one has no triangles.
typedef struct mesh_t {
    bounds_t bounds;
    uint32_t flags;   ///< mesh_flags_t
    int32_t contents; ///< contents_t of the triangles, and of the inside of a volume
    int32_t num_vertices, num_triangles, num_nodes, num_blocks;
    const vec3_t *vertices;
    const int32_t (*indices)[3]; ///< per triangle: its vertices, counter-clockwise from its front
    const mesh_node_t *nodes;    ///< the first is the root
    const mesh_block_t *blocks;
} mesh_t;

/// The first hit of a sweep. Unlike a trace, a sweep keeps no distance from the hit.
typedef struct {
    float fraction;   ///< of the motion until the hit; without a hit 1, and triangle is -1
    vec3_t normal;    ///< in the world, unit length, against the motion; 0 0 0 with startsolid
    int32_t triangle; ///< the lowest number of triangles hit at once; -1 with startsolid
    bool startsolid;  ///< the start overlaps a triangle: fraction is 0
} mesh_hit_t;

/// Sweeps an axis-aligned box through a mesh at a pose; positions are in the world. Touching
/// without overlap is no hit, so a box slides along a surface. Points, and boxes without width on
/// an axis, hit a triangle where they cross it.
mesh_hit_t CM_MeshSweep(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                        vec3_t mins, vec3_t maxs);

/// CM_MeshSweep as a trace: stops CM_DIST_EPSILON before the hit and never ends in an overlap. A
/// trace that starts in solid can leave it and stops at the next hit; allsolid if it never leaves.
trace_t CM_MeshTrace(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                     vec3_t mins, vec3_t maxs);

/// Returns true if the box overlaps a triangle or is inside of a volume.
bool CM_MeshTouches(const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin, vec3_t mins,
                    vec3_t maxs);

/// Writes the `max` deepest contacts of a box with triangles, deepest first, and returns their
/// number. The normal is the triangle's, unless another axis has less than 0.9 of the depth.
int32_t CM_MeshOverlap(const mesh_t *mesh, const cm_pose_t *pose, bounds_t box,
                       cm_contact_t *contacts, int32_t max);

/// Returns the mesh's contents if the point is inside of a volume, otherwise CONTENTS_EMPTY.
contents_t CM_MeshContents(const mesh_t *mesh, const cm_pose_t *pose, vec3_t point);

EXTERN_C_END

#endif
