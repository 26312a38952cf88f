#include "lib/emesh_fixture.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    SIDE = TEST_TERRAIN_CELLS + 1,
    NUM_GROUND = TEST_TERRAIN_CELLS * TEST_TERRAIN_CELLS * 2,
    NUM_WALL = TEST_TERRAIN_CELLS * 4 * 2
};

#define WALL_HEIGHT 512.0f

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test emesh: %s\n", what);
        abort();
    }
}

static void build(built_mesh_t *mesh, const mesh_source_t *source) {
    err_t err = {{0}};
    must(Mesh_Build(mesh, source, &err), err.text);
}

/// Rises from 0 and falls again over `length`.
static float wave(float x, float length) {
    float along = x - floorf(x / length) * length;
    return along < length * 0.5f ? along : length - along;
}

float TestEmesh_Height(float x, float y) {
    float hills = wave(x, 256.0f) * 0.3f + wave(y, 384.0f) * 0.25f;
    float ridge = 200.0f - fabsf(x - 512.0f);
    return ridge > 0.0f ? hills + ridge : hills;
}

/// Adds two triangles. They face the side from which a, b, c, d run counter-clockwise.
static void add_quad(int32_t (*indices)[3], int32_t *count, const int32_t corners[4]) {
    for (int32_t i = 0; i < 2; i++) {
        indices[*count][0] = corners[0];
        indices[*count][1] = corners[1 + i];
        indices[*count][2] = corners[2 + i];
        (*count)++;
    }
}

/// Returns the corner of the ground at n steps around its border, counter-clockwise from its
/// lowest.
static int32_t border(int32_t n) {
    const int32_t cells = TEST_TERRAIN_CELLS;
    int32_t along = n % cells;
    switch (n / cells % 4) {
    case 0:
        return along;
    case 1:
        return cells + along * SIDE;
    case 2:
        return SIDE * SIDE - 1 - along;
    default:
        return (cells - along) * SIDE;
    }
}

void TestEmesh_Terrain(built_mesh_t *mesh) {
    vec3_t *vertices = calloc(SIDE * SIDE + TEST_TERRAIN_CELLS * 4, sizeof *vertices);
    int32_t(*indices)[3] = calloc(NUM_GROUND + NUM_WALL, sizeof *indices);
    int32_t count = 0;
    must(vertices && indices, "no memory");
    const float middle = TEST_TERRAIN_CELLS * TEST_TERRAIN_STEP * 0.5f;
    for (int32_t i = 0; i < SIDE * SIDE; i++) {
        float x = (float)(i % SIDE) * TEST_TERRAIN_STEP - middle;
        float y = (float)(i / SIDE) * TEST_TERRAIN_STEP - middle;
        vertices[i] = Vector(x, y, TestEmesh_Height(x, y));
    }
    for (int32_t i = 0; i < SIDE * (SIDE - 1); i++) {
        if (i % SIDE != SIDE - 1) {
            add_quad(indices, &count, (int32_t[4]){i, i + 1, i + 1 + SIDE, i + SIDE});
        }
    }
    const int32_t length = TEST_TERRAIN_CELLS * 4;
    for (int32_t i = 0; i < length; i++) {
        vertices[SIDE * SIDE + i] = vertices[border(i)];
        vertices[SIDE * SIDE + i].z = WALL_HEIGHT;
    }
    for (int32_t i = 0; i < length; i++) {
        int32_t next = (i + 1) % length;
        add_quad(indices, &count,
                 (int32_t[4]){border(next), border(i), SIDE * SIDE + i, SIDE * SIDE + next});
    }
    build(mesh, &(mesh_source_t){.vertices = vertices,
                                 .indices = (const int32_t(*)[3])indices,
                                 .num_vertices = SIDE * SIDE + length,
                                 .num_triangles = count,
                                 .contents = CONTENTS_SOLID});
    free(vertices);
    free(indices);
}

void TestEmesh_Box(built_mesh_t *mesh, bounds_t box, uint32_t flags, contents_t contents) {
    // Corner n has the upper x with bit 0, y with bit 1, z with bit 2.
    static const int32_t sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    vec3_t vertices[8];
    int32_t indices[12][3];
    int32_t count = 0;
    for (int32_t i = 0; i < 8; i++) {
        vertices[i] = Vector((i & 1) ? box.maxs.x : box.mins.x, (i & 2) ? box.maxs.y : box.mins.y,
                             (i & 4) ? box.maxs.z : box.mins.z);
    }
    for (int32_t i = 0; i < 6; i++) {
        add_quad(indices, &count, sides[i]);
    }
    build(mesh, &(mesh_source_t){.vertices = vertices,
                                 .indices = (const int32_t(*)[3])indices,
                                 .num_vertices = 8,
                                 .num_triangles = count,
                                 .flags = flags,
                                 .contents = contents});
}

void TestEmesh_Write(const char *path, built_mesh_t *parts, int32_t count) {
    mesh_t meshes[MAX_EMESH_PARTS];
    size_t size = 0;
    err_t err = {{0}};
    must(count <= MAX_EMESH_PARTS, "too many parts");
    for (int32_t i = 0; i < count; i++) {
        meshes[i] = parts[i].mesh;
    }
    uint8_t *bytes = EMesh_MeshBytes(meshes, count, &size);
    must(bytes && File_Write(path, bytes, size, &err), err.text);
    free(bytes);
    for (int32_t i = 0; i < count; i++) {
        Mesh_Free(&parts[i]);
    }
}

void TestEmesh_WriteBoth(const char *path, built_mesh_t *mesh, const uint8_t *bones, size_t size) {
    emesh_section_t sections[MAX_EMESH_SECTIONS] = {{.kind = EMESH_COLLISION}};
    emesh_t file;
    err_t err = {{0}};
    uint8_t *triangles = EMesh_CollisionBytes(&mesh->mesh, &sections[0].bytes);
    must(triangles && EMesh_Parse(&file, path, bones, size, &err), err.text);
    sections[0].data = triangles;
    for (int32_t i = 0; i < file.num_sections; i++) {
        sections[1 + i] = file.sections[i];
    }
    uint8_t *bytes = EMesh_Bytes(sections, 1 + file.num_sections, &size);
    must(bytes && File_Write(path, bytes, size, &err), err.text);
    free(bytes);
    free(triangles);
    Mesh_Free(mesh);
}
