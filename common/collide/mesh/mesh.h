/// collide/mesh/mesh.h - a static triangle mesh: boxes of any size and points swept against it
/// exactly.
//
// Floor:   collide. Built by mesh_build.c or read from a file by model/, asked through cmodel.
// Units:   qu (or the mesh's own scale where it is asked alone), in the mesh's own space unless a
//          pose is taken.
// Memory:  views of arrays that somebody else owns; const after building.
// Repeat:  bit-identical on every supported compiler, with and without SIMD
//          (tests/golden/mesh.txt); the order of the tree does not matter, ties go to the lowest
//          triangle.
// Source:  a box that moves without turning meets a triangle where its middle meets their Minkowski
//          sum: along the triangle's normal, the box's axes, and the crosses of edges with axes.

#ifndef EDICTD_COLLIDE_MESH_H
#define EDICTD_COLLIDE_MESH_H

#include "collide/contact.h"
#include "collide/pose.h"
#include "math/bounds.h"
#include "state/trace.h"

/// Most triangles of one mesh.
#define MAX_MESH_TRIANGLES (4 * 1024 * 1024)

typedef enum {
    /// Triangles stop only what comes from their front (counter-clockwise): a box whose middle
    /// starts in front of them and does not move away from them.
    MESH_ONE_SIDED = 1,
    /// Closed: what is inside of it has the mesh's contents (a trigger, water).
    MESH_VOLUME = 2
} mesh_flags_t;

/// A node of the tree, and up to eight triangles as queries want them: mesh_layout.h.
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

/// What a sweep meets first, before the trace steps back from it.
typedef struct {
    float fraction;   ///< where the box touches, [0, 1]; 1 and triangle -1: nothing
    vec3_t normal;    ///< in the world, unit, against the motion; zero with startsolid
    int32_t triangle; ///< the lowest numbered of those touched at once; -1 with startsolid
    bool startsolid;  ///< the start overlaps a triangle: fraction is 0
} mesh_hit_t;

/// Sweeps a box, never turned, through a mesh that stands at a pose; places are in the world.
/// Touching without overlap is no hit, so a box slides along what it touches. Boxes without width
/// on an axis, and points, are met where they cross a triangle.
mesh_hit_t CM_MeshSweep(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                        vec3_t mins, vec3_t maxs);

/// CM_MeshSweep as a trace: it stops CM_DIST_EPSILON before what it meets, never overlapping. One
/// that starts overlapping may leave, and is stopped by what it meets after that; allsolid, when it
/// never leaves.
trace_t CM_MeshTrace(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                     vec3_t mins, vec3_t maxs);

/// True when the box overlaps a triangle, or is inside of a volume.
bool CM_MeshTouches(const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin, vec3_t mins,
                    vec3_t maxs);

/// Where a box overlaps triangles, deepest first: at most `max` contacts; of more, the deepest.
/// A contact's normal is the triangle's, unless another way out is clearly shorter. Returns how
/// many.
int32_t CM_MeshOverlap(const mesh_t *mesh, const cm_pose_t *pose, bounds_t box,
                       cm_contact_t *contacts, int32_t max);

/// The mesh's contents inside of a volume, else CONTENTS_EMPTY.
contents_t CM_MeshContents(const mesh_t *mesh, const cm_pose_t *pose, vec3_t point);

#endif
