// It names a file that is not below its folder.
#define TINY_ANSWER "outside"
#define TINY_MODEL  "../ogre.emesh"
#include "modules/tiny.h"
