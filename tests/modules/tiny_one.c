// The first build.
#define TINY_ANSWER "the first build"
#include "modules/tiny.h"
