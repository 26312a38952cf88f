/// trace_fixture.h - compares two trace results.
#ifndef EDICTD_TESTS_TRACE_FIXTURE_H
#define EDICTD_TESTS_TRACE_FIXTURE_H

#include "state/trace.h"

#include <string.h>

/// Returns true if both are equal to the bit.
static inline bool Test_SameTrace(const trace_t *a, const trace_t *b) {
    return memcmp(&a->fraction, &b->fraction, sizeof a->fraction) == 0 &&
           memcmp(&a->endpos, &b->endpos, sizeof a->endpos) == 0 &&
           memcmp(&a->plane, &b->plane, sizeof a->plane) == 0 && a->contents == b->contents &&
           a->entnum == b->entnum && a->startsolid == b->startsolid && a->allsolid == b->allsolid;
}

#endif
