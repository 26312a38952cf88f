/// collide/mesh/mesh_layout.h - the layout of a mesh's tree, the same in memory and in files.
//
// Private to collide/mesh/ and model/.
// Units:   qu, mesh space.
// Memory:  fixed-size little-endian fields, no padding; children are indices.
//
// A node has up to 8 children. A block has up to 8 triangles. Lane i of each array belongs to child
// or triangle i.
//
//     node    bounds[row][i]: child i's box; rows: lower x, y, z, upper x, y, z
//             children[i]:    n >= 0: node n, always after its parent; n < 0: block -1 - n;
//                             MESH_NO_CHILD: none, with inverted bounds
//     block   corners[corner][axis][i]
//             normals[axis][i]: cross product of two edges
//             triangles[i]:     number; -1 for an unused lane, which copies the first triangle

#ifndef EDICTD_COLLIDE_MESH_LAYOUT_H
#define EDICTD_COLLIDE_MESH_LAYOUT_H

#include "collide/mesh/mesh.h"
#include "math/dvec.h"

/// Lanes of a node or block, and maximum levels of nodes.
enum { MESH_WIDTH = 8, MESH_MAX_DEPTH = 48 };

#define MESH_NO_CHILD INT32_MIN

/// Best alignment of nodes and blocks. Others work too.
#define MESH_ALIGN ((size_t)64)

/// Lower bounds of an empty lane; upper bounds are negative.
#define MESH_EMPTY_LANE 1e30f

struct mesh_node_t {
    float bounds[6][MESH_WIDTH];
    int32_t children[MESH_WIDTH];
};

struct mesh_block_t {
    float corners[3][3][MESH_WIDTH];
    float normals[3][MESH_WIDTH];
    int32_t triangles[MESH_WIDTH];
};

static_assert(sizeof(struct mesh_node_t) == 224, "a node must have no padding");
static_assert(sizeof(struct mesh_block_t) == 416, "a block must have no padding");

/// Returns the normal of a triangle, with twice its area as length.
static inline vec3_t Mesh_TriangleNormal(vec3_t a, vec3_t b, vec3_t c) {
    dvec_t from = DV_FromVector(a);
    return DV_ToVector(DV_Cross(DV_Sub(DV_FromVector(b), from), DV_Sub(DV_FromVector(c), from)));
}

/// Returns false if the normal is too short to give a direction.
static inline bool Mesh_HasArea(vec3_t normal) {
    return DotProduct(normal, normal) >= 1e-30f;
}

#endif
