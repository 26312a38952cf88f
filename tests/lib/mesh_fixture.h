/// mesh_fixture.h - meshes for tests, from OBJ files or generated.

#ifndef EDICTD_TESTS_MESH_FIXTURE_H
#define EDICTD_TESTS_MESH_FIXTURE_H

#include "base/rng.h"
#include "collide/mesh/mesh_build.h"

/// A growing list of triangles. A zeroed one is empty.
typedef struct {
    vec3_t *vertices;
    int32_t (*indices)[3];
    int32_t num_vertices, num_triangles;
    int32_t room_vertices, room_triangles;
} test_mesh_t;

int32_t TestMesh_Vertex(test_mesh_t *mesh, vec3_t v);
void TestMesh_Triangle(test_mesh_t *mesh, int32_t a, int32_t b, int32_t c);

/// Adds three new vertices and their triangle.
void TestMesh_Add(test_mesh_t *mesh, vec3_t a, vec3_t b, vec3_t c);

/// Adds the twelve triangles of a box, facing out.
void TestMesh_Box(test_mesh_t *mesh, bounds_t box);

/// Adds `count` triangles at random spots within +-extent, with edges up to `size` long.
void TestMesh_Random(test_mesh_t *mesh, rng_t *rng, int32_t count, float extent, float size);

/// Adds a square field of hills around 0 0 0, with `cells` cells of 64 qu on each side.
void TestMesh_Hills(test_mesh_t *mesh, rng_t *rng, int32_t cells, float height);

/// Adds an OBJ file's vertices and faces (as fans); reads .gz through zcat. Returns false if there
/// is no such file.
bool TestMesh_ReadObj(test_mesh_t *mesh, const char *path);

/// Calls Mesh_Build. Aborts if it refuses the mesh.
built_mesh_t TestMesh_Build(const test_mesh_t *mesh, uint32_t flags, int32_t contents);

void TestMesh_Free(test_mesh_t *mesh);

#endif
