/// collide/mesh/mesh.h - a static triangle mesh: exact sweeps of points and of boxes of any size.
//
// Built by mesh_build.c or read from a file (model/emesh.h). The game queries it through cmodel.h.
//
// Units:   qu, in the mesh's own space unless a function takes a pose.
// Memory:  the arrays belong to the builder or the file; they do not change after building.
// Repeat:  bit-identical on every supported compiler and CPU (tests/golden/mesh.txt). If several
//          triangles are hit at once, the one with the lowest number counts.
// Source:  a moving box hits a triangle when the box's centre reaches their Minkowski sum. The
//          sum's faces are normal to the triangle, to a box axis, or to the cross product of an
//          edge and an axis.

#ifndef EDICTD_COLLIDE_MESH_H
#define EDICTD_COLLIDE_MESH_H

#include "collide/contact.h"
#include "collide/pose.h"
#include "math/bounds.h"
#include "state/trace.h"

EXTERN_C_BEGIN

#define MAX_MESH_TRIANGLES (4 * 1024 * 1024)

typedef enum {
    /// A triangle stops only boxes whose centre is in front of it and that do not move away from
    /// it. Seen from the front, its corners are counter-clockwise.
    MESH_ONE_SIDED = 1,
    /// The mesh is closed, and its inside has the mesh's contents (for a trigger or water).
    MESH_VOLUME = 2
} mesh_flags_t;

/// A node of the tree, and a block of up to eight triangles; defined in mesh_layout.h.
typedef struct mesh_node_t mesh_node_t;
typedef struct mesh_block_t mesh_block_t;

/// A mesh with its tree. A zeroed mesh has no triangles.
typedef struct mesh_t {
    bounds_t bounds;
    uint32_t flags;   ///< mesh_flags_t
    int32_t contents; ///< contents_t of the triangles, and of the inside of a volume
    int32_t num_vertices, num_triangles, num_nodes, num_blocks;
    const vec3_t *vertices;
    const int32_t (*indices)[3]; ///< corners of each triangle, counter-clockwise from its front
    const mesh_node_t *nodes;    ///< the first is the root
    const mesh_block_t *blocks;
} mesh_t;

/// The first hit of a sweep.
typedef struct {
    float fraction;   ///< fraction of the motion before the hit; 1 without a hit
    vec3_t normal;    ///< unit normal in world space, against the motion; 0 0 0 with startsolid
    int32_t triangle; ///< lowest number of the triangles hit at once; -1 without a hit
    bool startsolid;  ///< the start overlaps a triangle, so fraction is 0
} mesh_hit_t;

/// Sweeps an axis-aligned box, in world space, through a mesh at a pose. Touching without overlap
/// is no hit, so a box can slide along a surface. A box without width on an axis, or a point, hits
/// triangles that it crosses.
mesh_hit_t CM_MeshSweep(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                        vec3_t mins, vec3_t maxs);

/// Like CM_MeshSweep, but stops CM_DIST_EPSILON before the hit and never ends in an overlap. A
/// trace that starts in solid may leave it and stop at the next hit. If it never leaves, allsolid
/// is set.
trace_t CM_MeshTrace(const mesh_t *mesh, const cm_pose_t *pose, vec3_t start, vec3_t end,
                     vec3_t mins, vec3_t maxs);

/// Returns true if the box overlaps a triangle or is inside a volume.
bool CM_MeshTouches(const mesh_t *mesh, const cm_pose_t *pose, vec3_t origin, vec3_t mins,
                    vec3_t maxs);

/// Writes the `max` deepest contacts of a box with triangles, deepest first. Returns their number.
/// The normal is usually the triangle's.
int32_t CM_MeshOverlap(const mesh_t *mesh, const cm_pose_t *pose, bounds_t box,
                       cm_contact_t *contacts, int32_t max);

/// Returns the mesh's contents if the point is inside a volume, otherwise CONTENTS_EMPTY.
contents_t CM_MeshContents(const mesh_t *mesh, const cm_pose_t *pose, vec3_t point);

EXTERN_C_END

#endif
