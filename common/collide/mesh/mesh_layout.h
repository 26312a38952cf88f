/// collide/mesh/mesh_layout.h - a mesh's tree in memory, and as it lies in a file.
//
// Floor:   collide. Private to the mesh's files and to model/, which writes it unchanged.
// Units:   qu, the mesh's own space.
// Memory:  fixed-size little-endian fields, no padding, no pointers; children are indices.
//
//     node    bounds[6][8]: lower x, y, z, then upper x, y, z, of eight children side by side
//             children[8]:  >= 0 a node (always after its parent); < 0 block -1 - child;
//                           MESH_NO_CHILD none (its bounds are inverted)
//     block   corners[3][3][8]: corner, axis, triangle
//             normals[3][8]:    axis, triangle: cross product of two edges
//             triangles[8]:     their numbers; -1 for an unused lane, a copy of the first

#ifndef EDICTD_COLLIDE_MESH_LAYOUT_H
#define EDICTD_COLLIDE_MESH_LAYOUT_H

#include "collide/mesh/mesh.h"

/// Lanes of a node and of a block; maximum levels of nodes from the root to a leaf.
enum { MESH_WIDTH = 8, MESH_MAX_DEPTH = 48 };

#define MESH_NO_CHILD INT32_MIN

/// Arrays of nodes and blocks are read fastest from multiples of this address; any works.
#define MESH_ALIGN ((size_t)64)

/// An empty lane has its lower bounds at this and its upper ones at minus this.
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

static_assert(sizeof(struct mesh_node_t) == 224, "no padding");
static_assert(sizeof(struct mesh_block_t) == 416, "no padding");

/// Returns a triangle's normal as blocks store it, twice the area long: computed in double.
static inline vec3_t Mesh_TriangleNormal(vec3_t a, vec3_t b, vec3_t c) {
    double ux = (double)b.x - (double)a.x;
    double uy = (double)b.y - (double)a.y;
    double uz = (double)b.z - (double)a.z;
    double vx = (double)c.x - (double)a.x;
    double vy = (double)c.y - (double)a.y;
    double vz = (double)c.z - (double)a.z;
    return Vector((float)(uy * vz - uz * vy), (float)(uz * vx - ux * vz),
                  (float)(ux * vy - uy * vx));
}

/// False if the normal is too short to have a reliable direction.
static inline bool Mesh_HasArea(vec3_t normal) {
    return DotProduct(normal, normal) >= 1e-30f;
}

#endif
