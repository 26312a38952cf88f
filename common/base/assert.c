#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void Q_AssertFail(const char *condition, const char *file, int line) {
    fprintf(stderr, "edictd: bug: %s:%d: ASSERT(%s) failed\n", file, line, condition);
    abort();
}
