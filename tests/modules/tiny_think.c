// It lacks a think function that a running world knows.
#define TINY_ANSWER      "another think"
#define TINY_OTHER_THINK 1
#include "modules/tiny.h"
