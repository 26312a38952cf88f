/// testing.h - cmocka with the headers it needs, and helpers for most tests.

#ifndef EDICTD_TESTS_TESTING_H
#define EDICTD_TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/// Returns true if large counts are wanted: EDICTD_LONG=1, as `make test-long` sets it.
static inline bool Test_IsLong(void) {
    const char *value = getenv("EDICTD_LONG");
    return value && value[0] == '1';
}

/// Returns true in the build with sanitizers and VALIDATE. It is about ten times slower, so it uses
/// smaller counts of tests that the other builds run in full.
static inline bool Test_IsSlow(void) {
    return VALIDATE != 0 && !Test_IsLong();
}

/// Returns the folder of the build, with maps/ and tests/modules/.
static inline const char *Test_BuildFolder(void) {
    const char *folder = getenv("BUILD");
    return folder && folder[0] ? folder : "build";
}

#endif
