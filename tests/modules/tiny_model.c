// It names a file with a model.
#define TINY_ANSWER "a model"
#define TINY_MODEL  "models/ogre.emesh"
#include "modules/tiny.h"
