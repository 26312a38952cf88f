/// golden_fixture.h - compares a test's results with a readable file in tests/golden/. If the
/// environment variable GOLDEN is 1, the test writes the file instead.

#ifndef EDICTD_TESTS_GOLDEN_FIXTURE_H
#define EDICTD_TESTS_GOLDEN_FIXTURE_H

#include "math/vec3.h"

/// A growing text.
typedef struct {
    char *text;
    size_t bytes, room;
} test_golden_t;

/// Adds formatted text. Write floats with %a: every bit shows.
void TestGolden_Print(test_golden_t *golden, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Adds " name x y z" in hex.
void TestGolden_Vector(test_golden_t *golden, const char *name, vec3_t v);

/// Compares with tests/golden/NAME and frees the text. Prints the first line that differs.
bool TestGolden_Check(test_golden_t *golden, const char *name);

#endif
