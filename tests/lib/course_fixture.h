/// test_course.h - a world on a small course: a step, a push pad, a pool, a teleporter, triggers.

#ifndef EDICTD_TESTS_TEST_COURSE_H
#define EDICTD_TESTS_TEST_COURSE_H

#include "lib/world_fixture.h"

#define COURSE_TICK_MS 16 // of a world with default cvars

/// A room of 1000 x 1000 qu with its middle at 0, the floor at 0 and three spawn points at x -400.
/// Along +x: a step, a push pad, a pool; a teleporter across the far end; a trigger across x -325, a
/// hurt field at (-400, 350). Four client slots. One entity is of an unknown class.
void TestCourse_Init(test_world_t *test);

/// Forward at 400 qu/s for `msec`, yaw 0.
usercmd_t TestCourse_Forward(int32_t msec);

/// Puts the player of slot 0 somewhere, at rest.
void TestCourse_Put(test_world_t *test, vec3_t origin);

#endif
