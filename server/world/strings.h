/// world/strings.h - the part of the string table that only world/ uses.

#ifndef EDICTD_WORLD_STRINGS_H
#define EDICTD_WORLD_STRINGS_H

#include "world/world.h"

/// Returns true for the first call with a string id, false for later calls. All invalid ids count
/// as id 0.
bool Strings_MarkOnce(world_t *world, int32_t id);

#endif
