/// collide/mesh/mesh_build.h - builds a mesh from triangles, and checks a mesh from a file.
//
// Floor:   collide. Used by model/ and tools.
// Memory:  Mesh_Build allocates one arena; Mesh_Free frees it.
// Repeat:  every CPU builds the same tree.

#ifndef EDICTD_COLLIDE_MESH_BUILD_H
#define EDICTD_COLLIDE_MESH_BUILD_H

#include "base/arena.h"
#include "base/err.h"
#include "collide/mesh/mesh.h"

EXTERN_C_BEGIN

/// The input of Mesh_Build, which copies the arrays.
typedef struct {
    const vec3_t *vertices;
    const int32_t (*indices)[3]; ///< corners of each triangle, counter-clockwise from its front
    int32_t num_vertices, num_triangles;
    uint32_t flags;   ///< mesh_flags_t
    int32_t contents; ///< contents_t
} mesh_source_t;

/// A mesh and the arena that holds its arrays.
typedef struct {
    mesh_t mesh;
    arena_t arena;
    int32_t num_dropped; ///< triangles dropped for having no area; the numbers of later ones shift
} built_mesh_t;

/// Builds a mesh. Returns false with the reason and zeroes *built if Mesh_CheckSource fails, if no
/// triangle has an area, or if out of memory.
bool Mesh_Build(built_mesh_t *built, const mesh_source_t *source, err_t *err);

/// Frees a mesh of Mesh_Build, or a zeroed one.
void Mesh_Free(built_mesh_t *built);

/// Checks counts, vertices (within MAX_WORLD_COORD) and indices. The error names the first bad one.
bool Mesh_CheckSource(const mesh_source_t *source, err_t *err);

/// Checks the arrays of a mesh from a file. If this succeeds, every query of the mesh is safe and
/// finds every triangle. The error names the array and the index.
bool Mesh_Check(const mesh_t *mesh, err_t *err);

EXTERN_C_END

#endif
