// A build that names a model file.
#define TINY_ANSWER "a model"
#define TINY_MODEL  "models/ogre.emesh"
#include "modules/tiny.h"
