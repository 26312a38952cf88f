/// swept_fixture.h - boxes swept against the brushes of a map in double, without an epsilon.
//
// Neither boxes nor model are turned. A brush is the hull of its corners. Only the directions of
// its planes are used, so bevels and plane distances have no effect. Two convex bodies are apart if
// they are separated along a face normal of either, or along a cross product of an edge of each.
// The sweep enters where no such direction separates them.

#ifndef EDICTD_TESTS_SWEPT_FIXTURE_H
#define EDICTD_TESTS_SWEPT_FIXTURE_H

#include "collide/brush/brush.h"

/// A swept box.
typedef struct {
    double start[3], delta[3]; ///< of the box centre
    double half[3];
} test_swept_t;

/// Makes a sweep. An axis narrower than `least` is widened to it.
test_swept_t TestSwept_Of(bounds_t box, vec3_t start, vec3_t end, double least);

/// Returns the fraction at which the box, grown by `grow` on all sides, first enters a solid brush;
/// 2 = never. Brushes that contain the start, and facets met from behind, do not count.
double TestSwept_Enter(const brush_list_t *list, const test_swept_t *swept, double grow);

/// Returns the distance of the box at its end from the nearest solid brush: the largest over the
/// directions above, a lower bound of the true one. Negative: the depth inside.
double TestSwept_Gap(const brush_list_t *list, const test_swept_t *swept);

#endif
