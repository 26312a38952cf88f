// A game whose think callback never returns.
static volatile int turns;
#define TINY_FAULT                                                                                 \
    for (;;) {                                                                                     \
        turns++;                                                                                   \
    }
#include "modules/tiny.h"
