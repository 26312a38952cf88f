// Built anew: it answers another thing.
#define TINY_ANSWER "the second build"
#include "modules/tiny.h"
