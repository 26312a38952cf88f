/// app/clock.h - the monotonic clock. The core receives its time as arguments from this folder.

#ifndef EDICTD_APP_CLOCK_H
#define EDICTD_APP_CLOCK_H

#include "base/types.h"

#include <time.h>

static inline int64_t Clock_Ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t Clock_Ms(void) {
    return Clock_Ns() / 1000000;
}

#endif
