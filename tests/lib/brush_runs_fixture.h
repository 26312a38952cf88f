/// test_brush_runs.h - sweeps through brushes and turned models, printed in hex.
//
// Not linked with a test framework: tests/golden/across.sh runs it on other CPUs, too.

#ifndef EDICTD_TESTS_TEST_BRUSH_RUNS_H
#define EDICTD_TESTS_TEST_BRUSH_RUNS_H

#include "lib/golden_fixture.h"

/// What tests/golden/brush.txt holds. False when a map cannot be built.
bool TestBrushRuns_Print(test_golden_t *golden);

#endif
