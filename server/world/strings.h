/// world/strings.h - what only world/ needs of the string table.
//
// Floor:   world.

#ifndef EDICTD_WORLD_STRINGS_H
#define EDICTD_WORLD_STRINGS_H

#include "world/world.h"

/// True the first time it is called for a string id (0 and ids out of range count as one): for
/// complaints that are made once per class name.
bool Strings_MarkOnce(world_t *world, int32_t id);

#endif
