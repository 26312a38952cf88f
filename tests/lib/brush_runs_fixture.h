/// brush_runs_fixture.h - sweeps through brushes and turned models, printed in hex.
//
// Uses no test framework, so that tests/golden/across.sh can run it on other CPUs.

#ifndef EDICTD_TESTS_BRUSH_RUNS_FIXTURE_H
#define EDICTD_TESTS_BRUSH_RUNS_FIXTURE_H

#include "lib/golden_fixture.h"

/// Prints the text of tests/golden/brush.txt. Returns false if a map cannot be built.
bool TestBrushRuns_Print(test_golden_t *golden);

#endif
