// A build that gives another answer.
#define TINY_ANSWER "the second build"
#include "modules/tiny.h"
