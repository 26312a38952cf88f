// A build that names a file outside its folder.
#define TINY_ANSWER "outside"
#define TINY_MODEL  "../ogre.emesh"
#include "modules/tiny.h"
