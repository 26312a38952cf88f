// A game whose think callback fails an ASSERT.
#include "base/assert.h"
#define TINY_FAULT ASSERT(self == NULL)
#include "modules/tiny.h"
