/// collide/mesh/mesh_build.h - makes a mesh of triangles that come from outside, and checks one that does.
//
// Floor:   collide. Used by model/ and tools.
// Units:   qu.
// Memory:  Mesh_Build makes one arena; Mesh_Free frees it.
// Repeat:  the same tree on every CPU.

#ifndef EDICTD_COLLIDE_MESH_BUILD_H
#define EDICTD_COLLIDE_MESH_BUILD_H

#include "base/arena.h"
#include "base/err.h"
#include "collide/mesh/mesh.h"

/// What a mesh is made of. Views; not kept.
typedef struct {
    const vec3_t *vertices;
    const int32_t (*indices)[3]; ///< counter-clockwise from the front
    int32_t num_vertices, num_triangles;
    uint32_t flags;   ///< mesh_flags_t
    int32_t contents; ///< contents_t
} mesh_source_t;

/// A mesh and what holds its arrays.
typedef struct {
    mesh_t mesh;
    arena_t arena;
    int32_t num_dropped; ///< triangles without area that were left out: numbers shift
} built_mesh_t;

/// Builds a mesh. Refused: no triangle with an area, more than MAX_MESH_TRIANGLES, vertices that are
/// not finite or beyond MAX_WORLD_COORD, indices out of range; the reason names the first offender by
/// its number. *built is then zeroed. About 0.35 us a triangle; 5 us in meshes of at most 32,768,
/// whose trees are better.
bool Mesh_Build(built_mesh_t *built, const mesh_source_t *source, err_t *err);

/// Frees what Mesh_Build made. A zeroed one may be freed.
void Mesh_Free(built_mesh_t *built);

/// Checks arrays that came out of a file, so that no query of them reads beyond their ends, loops or
/// overflows its stack, and that none misses a triangle: numbers in range, each node and block reached
/// once, each triangle in one block with the corners and normal that it has by the indices, boxes
/// finite and enclosing. The reason names the array and the index.
bool Mesh_Check(const mesh_t *mesh, err_t *err);

#endif
