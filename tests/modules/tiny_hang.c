// A game whose think function does not end.
static volatile int turns;
#define TINY_FAULT                                                                                 \
    for (;;) {                                                                                     \
        turns++;                                                                                   \
    }
#include "modules/tiny.h"
