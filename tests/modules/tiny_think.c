// A build that lacks a think callback that a running world uses.
#define TINY_ANSWER      "another think"
#define TINY_OTHER_THINK 1
#include "modules/tiny.h"
