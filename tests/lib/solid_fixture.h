/// solid_fixture.h - convex bodies in double, kept as half-spaces: the reference for sweeps.
//
// The method has nothing in common with the code under test: two bodies overlap if some point lies
// behind all planes of both.

#ifndef EDICTD_TESTS_SOLID_FIXTURE_H
#define EDICTD_TESTS_SOLID_FIXTURE_H

#include "math/bounds.h"

#define TEST_SOLID_PLANES 24

/// The points p with dot(n, p) <= d for all planes (x, y, z, d); normals have length 1.
typedef struct {
    double planes[TEST_SOLID_PLANES][4];
    int32_t count;
} test_solid_t;

test_solid_t TestSolid_Box(bounds_t box);

void TestSolid_Cut(test_solid_t *solid, vec3_t normal, float dist);

/// Turns the body by angles (pitch, yaw, roll; by libm, not by the project's tables), then moves
/// it.
test_solid_t TestSolid_Placed(const test_solid_t *solid, vec3_t origin, vec3_t angles);

/// Returns true if the bodies share a point, with every plane moved out by `grow` (in, if
/// negative).
bool TestSolid_Overlap(const test_solid_t *a, const test_solid_t *b, double grow);

#endif
