/// brushes_fixture.h - a small world of convex brushes, to test pmove without a map.
//
// Boxes and prisms only (a box cut by planes parallel to one axis). For those, moving the planes
// out by the moving box is exact.

#ifndef EDICTD_TESTS_BRUSHES_FIXTURE_H
#define EDICTD_TESTS_BRUSHES_FIXTURE_H

#include "math/bounds.h"
#include "move/pmove.h"

#define TEST_MAX_BRUSHES 256
#define TEST_MAX_PLANES  10

typedef struct {
    bounds_t bounds;
    plane_t planes[TEST_MAX_PLANES];
    int32_t num_planes;
    contents_t contents;
    int32_t entnum;
} test_brush_t;

typedef struct {
    test_brush_t brushes[TEST_MAX_BRUSHES];
    int32_t num_brushes;
    int64_t num_traces, num_contents; ///< queries so far
} test_brushes_t;

/// Adds a box; it belongs to the world (entnum 0).
test_brush_t *TestBrushes_Box(test_brushes_t *world, vec3_t mins, vec3_t maxs, contents_t contents);

/// Cuts a box: removes the part in front of the plane through `point`.
void TestBrushes_Cut(test_brush_t *brush, vec3_t normal, vec3_t point);

/// A solid ramp that fills mins..maxs under a slope rising along +x from mins.z to maxs.z.
test_brush_t *TestBrushes_Ramp(test_brushes_t *world, vec3_t mins, vec3_t maxs);

/// Returns the world as pmove's interface.
pm_world_t TestBrushes_World(test_brushes_t *world);

#endif
