/// test_mesh.h - meshes for tests: out of OBJ files and made up.

#ifndef EDICTD_TESTS_TEST_MESH_H
#define EDICTD_TESTS_TEST_MESH_H

#include "base/rng.h"
#include "collide/mesh/mesh_build.h"

/// Triangles that grow. A zeroed one is empty.
typedef struct {
    vec3_t *vertices;
    int32_t (*indices)[3];
    int32_t num_vertices, num_triangles;
    int32_t room_vertices, room_triangles;
} test_mesh_t;

int32_t TestMesh_Vertex(test_mesh_t *mesh, vec3_t v);
void TestMesh_Triangle(test_mesh_t *mesh, int32_t a, int32_t b, int32_t c);

/// Three new vertices and their triangle.
void TestMesh_Add(test_mesh_t *mesh, vec3_t a, vec3_t b, vec3_t c);

/// The twelve triangles of a box, outward.
void TestMesh_Box(test_mesh_t *mesh, bounds_t box);

/// `count` triangles anywhere within +-extent, their edges up to `size` long.
void TestMesh_Random(test_mesh_t *mesh, rng_t *rng, int32_t count, float extent, float size);

/// A square field of hills, `cells` cells of 64 wide on each side, about 0 0 0.
void TestMesh_Hills(test_mesh_t *mesh, rng_t *rng, int32_t cells, float height);

/// Adds an OBJ file's vertices and faces (as fans); .gz through zcat. False: no such file.
bool TestMesh_ReadObj(test_mesh_t *mesh, const char *path);

/// Mesh_Build of it. Aborts when that refuses.
built_mesh_t TestMesh_Build(const test_mesh_t *mesh, uint32_t flags, int32_t contents);

void TestMesh_Free(test_mesh_t *mesh);

#endif
