/// world/strings.h - the part of the string table that only world/ uses.

#ifndef EDICTD_WORLD_STRINGS_H
#define EDICTD_WORLD_STRINGS_H

#include "world/world.h"

/// Returns true at the first call for a string id (0 and ids out of range count as one). For
/// warnings that are logged once per class name.
bool Strings_MarkOnce(world_t *world, int32_t id);

#endif
