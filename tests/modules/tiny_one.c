// A build that the other modules differ from.
#define TINY_ANSWER  "the first build"
#define TINY_COMMAND "tiny_first"
#include "modules/tiny.h"
