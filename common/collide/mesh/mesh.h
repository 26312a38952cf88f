/// collide/mesh/mesh.h - a static triangle mesh: exact sweeps of points and of boxes of any size.
//
// Built by mesh_build.c or read from a file (model/emesh.h).
//
// Units:   qu, in mesh space unless a function takes a pose.
// Memory:  the builder or the file owns the arrays; const.
// Repeat:  bit-identical on every compiler and CPU (tests/golden/mesh.txt). On a tie, the lowest
//          triangle number counts.
// Source:  a moving box hits a triangle when its centre reaches the Minkowski sum of both.

#ifndef EDICTD_COLLIDE_MESH_H
#define EDICTD_COLLIDE_MESH_H

#include "collide/contact.h"
#include "collide/pose.h"
#include "math/bounds.h"
#include "state/trace.h"

EXTERN_C_BEGIN

#define MAX_MESH_TRIANGLES (4 * 1024 * 1024)

typedef enum {
    /// A triangle stops a box only if the box's centre is in front of it and does not move away.
    /// Seen from the front, corners are counter-clockwise.
    MESH_ONE_SIDED = 1,
    /// The mesh is closed; its inside has its contents (trigger, water).
    MESH_VOLUME = 2
} mesh_flags_t;

/// A node, and a block of up to eight triangles (mesh_layout.h).
typedef struct mesh_node_t mesh_node_t;
typedef struct mesh_block_t mesh_block_t;

/// A mesh with its tree. A zeroed mesh has no triangles.
typedef struct mesh_t {
    bounds_t bounds;
    uint32_t flags;   ///< mesh_flags_t
    int32_t contents; ///< contents_t of triangles, and of the inside of a volume
    int32_t num_vertices, num_triangles, num_nodes, num_blocks;
    const vec3_t *vertices;
    const int32_t (*indices)[3]; ///< corners of each triangle, counter-clockwise from its front
    const mesh_node_t *nodes;    ///< the first is the root
    const mesh_block_t *blocks;
} mesh_t;

/// The first hit of a sweep.
typedef struct {
    float fraction;   ///< fraction of the motion before the hit; 1 = no hit
    vec3_t normal;    ///< unit normal in world space, against the motion; 0 0 0 if startsolid
    int32_t triangle; ///< lowest number of the triangles hit; -1 = no hit
    bool startsolid;  ///< the start overlaps a triangle; fraction is 0
} mesh_hit_t;

/// Sweeps an axis-aligned box or point, in world space, until it overlaps a triangle. Touching is
/// no hit.
mesh_hit_t CM_MeshSweep(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                        vec3_t mins, vec3_t maxs);

/// Like CM_MeshSweep, but stops CM_DIST_EPSILON before the hit. If the trace starts in solid and
/// never leaves it, allsolid is set.
trace_t CM_MeshTrace(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                     vec3_t mins, vec3_t maxs);

/// Returns true if the box overlaps a triangle or a volume.
bool CM_MeshTouches(const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin, vec3_t mins,
                    vec3_t maxs);

/// Writes the `max` deepest contacts, deepest first. Returns their number. Normals are usually
/// those of triangles.
int32_t CM_MeshOverlap(const mesh_t *mesh, const cm_pose_t *pose, bounds_t box,
                       cm_contact_t *contacts, int32_t max);

/// Returns the contents of the volume at a point, or CONTENTS_EMPTY.
contents_t CM_MeshContents(const mesh_t *mesh, const cm_pose_t *pose, vec3_t point);

EXTERN_C_END

#endif
