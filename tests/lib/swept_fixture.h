/// test_swept.h - boxes swept against the brushes of a map in double, without an epsilon.
//
// The boxes are not turned, nor is the model. A brush is taken as the hull of its corners: of its
// planes only the directions are used, so its bevels and their distances have no say. Two convex
// bodies are apart when they are so along a face's normal of the one or the other, or along a cross
// of an edge of the one with an edge of the other; the sweep enters when it is apart along none.

#ifndef EDICTD_TESTS_TEST_SWEPT_H
#define EDICTD_TESTS_TEST_SWEPT_H

#include "collide/brush/brush.h"

/// A box on its way.
typedef struct {
    double start[3], way[3]; ///< of its middle
    double half[3];
} test_swept_t;

/// Boxes narrower than `least` on an axis are taken as wide as that.
test_swept_t TestSwept_Of(bounds_t box, vec3_t start, vec3_t end, double least);

/// Where the box, and `grow` on all sides, first enters a solid brush, as a share of its way; 2: it
/// never does. What it starts in, and facets that it meets from behind, are left out.
double TestSwept_Enter(const brush_list_t *list, const test_swept_t *swept, double grow);

/// How far the box, where it ends, is from the nearest solid brush: the largest distance along any of
/// the directions above, which is never more than the true one. Negative: that deep in it.
double TestSwept_Gap(const brush_list_t *list, const test_swept_t *swept);

#endif
