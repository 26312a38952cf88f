// A build with different world fields.
#define TINY_ANSWER      "other fields"
#define TINY_EXTRA_FIELD 1
#include "modules/tiny.h"
