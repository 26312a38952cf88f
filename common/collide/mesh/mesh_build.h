/// collide/mesh_build.h - builds a mesh from triangles, and checks one that was read from a file.
//
// Floor:   collide. Used by model/ and tools.
// Units:   qu.
// Memory:  Mesh_Build allocates one arena; Mesh_Free frees it.
// Repeat:  the same tree on every CPU.

#ifndef EDICTD_COLLIDE_MESH_BUILD_H
#define EDICTD_COLLIDE_MESH_BUILD_H

#include "base/arena.h"
#include "base/err.h"
#include "collide/mesh/mesh.h"

EXTERN_C_BEGIN

/// The input of Mesh_Build. Views; the mesh gets copies.
typedef struct {
    const vec3_t *vertices;
    const int32_t (*indices)[3]; ///< counter-clockwise, seen from the front
    int32_t num_vertices, num_triangles;
    uint32_t flags;   ///< mesh_flags_t
    int32_t contents; ///< contents_t
} mesh_source_t;

/// A mesh and the arena that holds its arrays.
typedef struct {
    mesh_t mesh;
    arena_t arena;
    int32_t num_dropped; ///< triangles without area; later triangles have lower numbers for them
} built_mesh_t;

/// Builds a mesh. Fails if Mesh_CheckSource does, if no triangle has an area, or if out of memory;
/// `*built` is zeroed then. Takes about 0.4 us for each triangle.
bool Mesh_Build(built_mesh_t *built, const mesh_source_t *source, err_t *err);

/// Frees a mesh of Mesh_Build, or a zeroed one.
void Mesh_Free(built_mesh_t *built);

/// Checks counts, vertices (finite, within MAX_WORLD_COORD) and indices. The error names the first
/// fault by its number.
bool Mesh_CheckSource(const mesh_source_t *source, err_t *err);

/// Checks the arrays of a file, so that no query reads beyond them, loops, overflows its stack or
/// misses a triangle: numbers in range, each node and block in one place of the tree, each triangle
/// in one block with the corners and normal of its vertices, boxes finite and enclosing. The error
/// names the array and the index.
bool Mesh_Check(const mesh_t *mesh, err_t *err);

EXTERN_C_END

#endif
