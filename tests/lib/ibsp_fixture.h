/// ibsp_fixture.h - Quake II and Quake III maps made of boxes in memory, for tests without a file.

#ifndef EDICTD_TESTS_IBSP_FIXTURE_H
#define EDICTD_TESTS_IBSP_FIXTURE_H

#include "collide/cmap.h"

/// A box, or the part of it behind a slanted plane.
typedef struct {
    bounds_t box;
    uint32_t flags;    ///< contents bits as stored in the file
    int32_t model;     ///< brushes of one model are adjacent, models in order
    vec3_t cut_normal; ///< removes the part in front of this plane; zero normal = no cut
    float cut_dist;
    uint32_t surface; ///< surface flags of its sides
    int32_t plain;    ///< number of its seven sides without flags, which use `plain_surface`
    uint32_t plain_surface;
    const char *plain_name; ///< name of that surface; NULL = it has none
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
    const test_ibsp_patch_t *patches; ///< version 46 only
    int32_t num_patches;
    const char *entities; ///< NULL = a worldspawn and a start
} test_ibsp_t;

/// Returns the bytes of the map file, malloc'ed. It has every lump that the loader reads, in order
/// of number, at the offset in the header.
uint8_t *TestIbsp_Bytes(const test_ibsp_t *test, size_t *size);

/// Returns the offset of a lump in such a file.
size_t TestIbsp_Lump(const uint8_t *bytes, int32_t lump);

/// Builds and loads the map; prints errors to stderr.
bool TestIbsp_Build(cmap_t *map, const test_ibsp_t *test);

/// One wrong number: its offset in a lump (lump -1: in the file), and how the error message begins.
typedef struct {
    int lump;
    size_t at;
    uint32_t value;
    const char *reason;
} test_ibsp_lie_t;

/// Fails unless each wrong number alone makes the loader refuse the map with its reason.
void TestIbsp_CheckLies(const test_ibsp_t *test, const test_ibsp_lie_t *lies, size_t count);

#endif
