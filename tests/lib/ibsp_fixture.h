/// test_ibsp.h - Quake II and Quake III maps made of boxes in memory, for tests without a file.

#ifndef EDICTD_TESTS_TEST_IBSP_H
#define EDICTD_TESTS_TEST_IBSP_H

#include "collide/cmodel.h"

/// A box, or what a slanted plane leaves of it.
typedef struct {
    bounds_t box;
    uint32_t flags;    ///< contents as the file has them
    int32_t model;     ///< those of a model stand together, models in order
    vec3_t cut_normal; ///< what lies in front of this plane is cut off; no normal = no cut
    float cut_dist;
    uint32_t surface; ///< flags of its sides' surfaces
    int32_t plain;    ///< so many of its seven sides have none, but `plain_surface`
    uint32_t plain_surface;
    const char *plain_name; ///< of that surface; NULL = it has none
} test_ibsp_brush_t;

/// A curved patch of model 0: a grid of odd width and height, row after row.
typedef struct {
    const vec3_t *points;
    int32_t width, height;
    uint32_t flags;
} test_ibsp_patch_t;

typedef struct {
    int32_t version; ///< 38 or 46
    const test_ibsp_brush_t *brushes;
    int32_t num_brushes, num_models;
    const test_ibsp_patch_t *patches; ///< 46 only
    int32_t num_patches;
    const char *entities; ///< NULL: a worldspawn and a start
} test_ibsp_t;

/// The bytes of the map's file, malloc'ed. All lumps that are read are there, in order of their
/// numbers, each where the header says.
uint8_t *TestIbsp_Bytes(const test_ibsp_t *test, size_t *size);

/// Where a lump begins in such a file.
size_t TestIbsp_Lump(const uint8_t *bytes, int32_t lump);

/// Builds and loads; what goes wrong is printed to stderr.
bool TestIbsp_Build(cmap_t *map, const test_ibsp_t *test);

/// One wrong number: where it lies behind a lump's start, and how the reason begins. Lump -1:
/// behind the file's.
typedef struct {
    int lump;
    size_t at;
    uint32_t value;
    const char *reason;
} test_ibsp_lie_t;

/// Each of them alone must be refused, with its reason.
void TestIbsp_CheckLies(const test_ibsp_t *test, const test_ibsp_lie_t *lies, size_t count);

#endif
