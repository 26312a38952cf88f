// A game whose think callback writes to unmapped memory.
#include <stdint.h>

static volatile uintptr_t nowhere = 8; // volatile: the compiler must not know the address
#define TINY_FAULT (*(volatile int *)nowhere = 1)
#include "modules/tiny.h"
