/// collide/mesh/mesh_build.h - builds a mesh from triangles, and checks a mesh from a file.
//
// Used by model/ and tools.
// Memory:  Mesh_Build allocates one arena; Mesh_Free frees it.
// Repeat:  every CPU builds the same tree.

#ifndef EDICTD_COLLIDE_MESH_BUILD_H
#define EDICTD_COLLIDE_MESH_BUILD_H

#include "base/arena.h"
#include "base/err.h"
#include "collide/mesh/mesh.h"

EXTERN_C_BEGIN

/// Input of Mesh_Build, which copies it.
typedef struct {
    const vec3_t *vertices;
    const int32_t (*indices)[3]; ///< corners of each triangle, counter-clockwise from its front
    int32_t num_vertices, num_triangles;
    uint32_t flags;   ///< mesh_flags_t
    int32_t contents; ///< contents_t
} mesh_source_t;

/// A mesh with its memory.
typedef struct {
    mesh_t mesh;
    arena_t arena;
    int32_t num_dropped; ///< triangles without area, dropped; later numbers shift
} built_mesh_t;

/// Builds a mesh. Returns false with the reason and zeroes *built if the source is invalid, has no
/// area, or memory is out.
bool Mesh_Build(built_mesh_t *built, const mesh_source_t *source, err_t *err);

/// Frees a mesh. Does nothing for an all-zero mesh.
void Mesh_Free(built_mesh_t *built);

/// Checks counts, indices and vertices (+-MAX_WORLD_COORD).
bool Mesh_CheckSource(const mesh_source_t *source, err_t *err);

/// Checks a mesh from a file, so that every query is safe and finds every triangle. The error names
/// array and index.
bool Mesh_Check(const mesh_t *mesh, err_t *err);

EXTERN_C_END

#endif
