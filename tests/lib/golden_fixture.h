/// test_golden.h - compares what a test computes with a readable file in tests/golden/. Run with the
/// environment variable GOLDEN=1, the test writes the file instead.

#ifndef EDICTD_TESTS_TEST_GOLDEN_H
#define EDICTD_TESTS_TEST_GOLDEN_H

#include "math/vec3.h"

/// A text that grows.
typedef struct {
    char *text;
    size_t bytes, room;
} test_golden_t;

/// Adds formatted text. Write floats with %a: every bit shows.
void TestGolden_Print(test_golden_t *golden, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Adds " name x y z" in hex.
void TestGolden_Vector(test_golden_t *golden, const char *name, vec3_t v);

/// Compares with tests/golden/NAME and frees the text. The first line that differs is printed.
bool TestGolden_Check(test_golden_t *golden, const char *name);

#endif
