/// tests/lib/testing.h - cmocka with the headers it wants, and what most tests need.

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

/// True when the big counts are wanted: EDICTD_LONG=1, as `make test-long` sets it.
static inline bool Test_IsLong(void) {
    const char *value = getenv("EDICTD_LONG");
    return value && value[0] == '1';
}

/// True in the build with sanitizers and VALIDATE, which is some ten times slower: it takes smaller
/// counts of what the other builds do in full.
static inline bool Test_IsSlow(void) {
    return VALIDATE != 0 && !Test_IsLong();
}

#endif
