// A build that the other modules differ from.
#define TINY_ANSWER "the first build"
#include "modules/tiny.h"
