/// range_fixture.h - a shooter, and a target that moves past it, for tests of shots in the past.

#ifndef EDICTD_TESTS_RANGE_FIXTURE_H
#define EDICTD_TESTS_RANGE_FIXTURE_H

#include "lib/sim_fixture.h"
#include "world/move.h"

#define TEST_RANGE_HALF 16.0f // qu, half the side of the target

typedef struct {
    test_sim_t sim;
    edict_t *shooter, *target;
} test_range_t;

/// Builds a shooter at x -500, and a target at x 100 that moves along y.
void TestRange_Init(test_range_t *range, int32_t max_edicts);

/// Puts an edict at a position.
void TestRange_Link(test_range_t *range, edict_t *edict, vec3_t origin);

/// Runs ticks in which the target moves 8 qu along y. Its y is 8 * tick.
void TestRange_Run(test_range_t *range, int32_t ticks);

/// Sets the view of the shooter's client: between snapshots `tick` and the next one.
void TestRange_Look(test_range_t *range, int64_t tick, uint16_t frac);

/// Shoots along x over the place of the target, at `y`.
trace_t TestRange_Shoot(test_range_t *range, float y, move_type_t type);

/// Expects the target between y - 16 and y + 16, with both edges.
void TestRange_ExpectAt(test_range_t *range, float y);

#endif
