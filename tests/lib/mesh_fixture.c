#include "lib/mesh_fixture.h"

#include "state/contents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *array, int32_t *room, int32_t count, size_t size) {
    if (count < *room) {
        return array;
    }
    *room = *room > 0 ? *room * 2 : 256;
    array = realloc(array, (size_t)*room * size);
    if (!array) {
        abort();
    }
    return array;
}

int32_t TestMesh_Vertex(test_mesh_t *mesh, vec3_t v) {
    mesh->vertices =
        grown(mesh->vertices, &mesh->room_vertices, mesh->num_vertices, sizeof *mesh->vertices);
    mesh->vertices[mesh->num_vertices] = v;
    return mesh->num_vertices++;
}

void TestMesh_Triangle(test_mesh_t *mesh, int32_t a, int32_t b, int32_t c) {
    mesh->indices =
        grown(mesh->indices, &mesh->room_triangles, mesh->num_triangles, sizeof *mesh->indices);
    int32_t *index = mesh->indices[mesh->num_triangles++];
    index[0] = a;
    index[1] = b;
    index[2] = c;
}

void TestMesh_Add(test_mesh_t *mesh, vec3_t a, vec3_t b, vec3_t c) {
    int32_t first = TestMesh_Vertex(mesh, a);
    TestMesh_Vertex(mesh, b);
    TestMesh_Vertex(mesh, c);
    TestMesh_Triangle(mesh, first, first + 1, first + 2);
}

void TestMesh_Box(test_mesh_t *mesh, bounds_t box) {
    static const int32_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    int32_t first = mesh->num_vertices;
    for (int32_t i = 0; i < 8; i++) {
        TestMesh_Vertex(mesh,
                        Vector(i & 1 ? box.maxs.x : box.mins.x, i & 2 ? box.maxs.y : box.mins.y,
                               i & 4 ? box.maxs.z : box.mins.z));
    }
    for (int32_t i = 0; i < 6; i++) {
        const int32_t *s = sides[i];
        TestMesh_Triangle(mesh, first + s[0], first + s[1], first + s[2]);
        TestMesh_Triangle(mesh, first + s[0], first + s[2], first + s[3]);
    }
}

static vec3_t random_place(rng_t *rng, float extent) {
    float x = Rng_Range(rng, -extent, extent);
    float y = Rng_Range(rng, -extent, extent);
    return Vector(x, y, Rng_Range(rng, -extent, extent));
}

void TestMesh_Random(test_mesh_t *mesh, rng_t *rng, int32_t count, float extent, float size) {
    for (int32_t i = 0; i < count; i++) {
        vec3_t a = random_place(rng, extent);
        vec3_t b = VectorAdd(a, random_place(rng, size));
        vec3_t c = VectorAdd(a, random_place(rng, size));
        if (Rng_Below(rng, 4) == 0) {
            b.z = a.z; // edges along the axes and level triangles are common in maps
            c.x = Rng_Below(rng, 2) ? a.x : c.x;
            c.z = Rng_Below(rng, 2) ? a.z : c.z;
        }
        TestMesh_Add(mesh, a, b, c);
    }
}

void TestMesh_Hills(test_mesh_t *mesh, rng_t *rng, int32_t cells, float height) {
    int32_t first = mesh->num_vertices;
    float middle = (float)cells * 32.0f;
    for (int32_t y = 0; y <= cells; y++) {
        for (int32_t x = 0; x <= cells; x++) {
            TestMesh_Vertex(mesh, Vector((float)x * 64.0f - middle, (float)y * 64.0f - middle,
                                         Rng_Range(rng, 0.0f, height)));
        }
    }
    for (int32_t y = 0; y < cells; y++) {
        for (int32_t x = 0; x < cells; x++) {
            int32_t a = first + y * (cells + 1) + x;
            TestMesh_Triangle(mesh, a, a + 1, a + cells + 2);
            TestMesh_Triangle(mesh, a, a + cells + 2, a + cells + 1);
        }
    }
}

built_mesh_t TestMesh_Build(const test_mesh_t *mesh, uint32_t flags, int32_t contents) {
    const mesh_source_t source = {.vertices = mesh->vertices,
                                  .indices = (const int32_t(*)[3])mesh->indices,
                                  .num_vertices = mesh->num_vertices,
                                  .num_triangles = mesh->num_triangles,
                                  .flags = flags,
                                  .contents = contents};
    built_mesh_t built;
    err_t err;
    if (!Mesh_Build(&built, &source, &err) || !Mesh_Check(&built.mesh, &err)) {
        fprintf(stderr, "TestMesh_Build: %s\n", err.text);
        abort();
    }
    return built;
}

void TestMesh_Free(test_mesh_t *mesh) {
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (test_mesh_t){0};
}
