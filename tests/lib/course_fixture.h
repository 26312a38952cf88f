/// course_fixture.h - a world on a small course: a step, a push pad, a pool, a teleporter,
/// triggers.

#ifndef EDICTD_TESTS_COURSE_FIXTURE_H
#define EDICTD_TESTS_COURSE_FIXTURE_H

#include "lib/world_fixture.h"

#define COURSE_TICK_MS 16 // tick of a world with default cvars

/// Builds a room of 1000 x 1000 qu centred at 0, the floor at 0, with three spawn points at x -400.
/// Along +x: a step, a push pad, a pool, and a teleporter across the far end. Also a trigger across
/// x -325 and a hurt field at (-400, 350). Four client slots. One entity has an unknown class.
void TestCourse_Init(test_world_t *test);

/// Like TestCourse_Init. Client 0, "ann", has joined and stands on the floor.
void TestCourse_Open(test_world_t *test);

/// Returns a usercmd: forward at 400 qu/s for `msec`, yaw 0.
usercmd_t TestCourse_Forward(int32_t msec);

/// Puts the player of slot 0 at `origin`, at rest.
void TestCourse_Put(test_world_t *test, vec3_t origin);

#endif
