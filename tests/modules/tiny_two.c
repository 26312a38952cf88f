// A build that gives another answer.
#define TINY_ANSWER  "the second build"
#define TINY_COMMAND "tiny_second"
#include "modules/tiny.h"
