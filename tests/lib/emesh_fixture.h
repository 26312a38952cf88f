/// emesh_fixture.h - small meshes as the bytes of .emesh files, for tests without a tool.

#ifndef EDICTD_TESTS_EMESH_FIXTURE_H
#define EDICTD_TESTS_EMESH_FIXTURE_H

#include "collide/mesh/mesh_build.h"
#include "model/emesh_write.h"

/// Number of terrain cells along an axis, and the size of one (qu).
#define TEST_TERRAIN_CELLS 32
#define TEST_TERRAIN_STEP  64.0f

/// Returns the terrain's height at a corner of its cells: gentle hills, a steep ridge at x = 512.
float TestEmesh_Height(float x, float y);

/// Builds hilly ground centred at 0 0, TEST_TERRAIN_CELLS wide, with a wall around it. Like all
/// functions here, aborts if out of memory.
void TestEmesh_Terrain(built_mesh_t *mesh);

/// Builds a closed box; triangles face out.
void TestEmesh_Box(built_mesh_t *mesh, bounds_t box, uint32_t flags, contents_t contents);

/// Writes meshes as one .emesh file and frees them.
void TestEmesh_Write(const char *path, built_mesh_t *parts, int32_t count);

/// Writes one file from a mesh, which it frees, and the bones of another file's bytes.
void TestEmesh_WriteBoth(const char *path, built_mesh_t *mesh, const uint8_t *bones, size_t size);

#endif
