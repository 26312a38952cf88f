/// test_solid.h - convex bodies in double, kept as half-spaces: what sweeps are checked against.
//
// Its way to an answer has nothing in common with the code under test: whether two bodies overlap is
// found by looking for a point that lies within all planes of both.

#ifndef EDICTD_TESTS_TEST_SOLID_H
#define EDICTD_TESTS_TEST_SOLID_H

#include "math/bounds.h"

#define TEST_SOLID_PLANES 24

/// The points p with dot(n, p) <= d for all planes (x, y, z, d); normals have length 1.
typedef struct {
    double planes[TEST_SOLID_PLANES][4];
    int32_t count;
} test_solid_t;

test_solid_t TestSolid_Box(bounds_t box);

void TestSolid_Cut(test_solid_t *solid, vec3_t normal, float dist);

/// Turns it by angles (pitch, yaw, roll; by libm, not by our own tables), then moves it.
test_solid_t TestSolid_Placed(const test_solid_t *solid, vec3_t origin, vec3_t angles);

/// True when the bodies, every plane moved out by `grow` (in when negative), share a point.
bool TestSolid_Overlap(const test_solid_t *a, const test_solid_t *b, double grow);

#endif
