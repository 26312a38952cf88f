/// world/names.h - the tables of models, sounds and effects that the game registers.
//
// Memory:  world_t.name_ids. A table only grows; a reload of the game keeps it.

#ifndef EDICTD_WORLD_NAMES_H
#define EDICTD_WORLD_NAMES_H

#include "base/err.h"
#include "world/world.h"

/// Returns the number of a name in a table of the game. Adds a new name. If that is not possible,
/// returns 0, counts it, and logs the name once a burst.
int32_t Names_Index(sv_context_t *sv, names_table_t table, const char *name);

uint64_t Names_Hash(const world_t *world);

/// Checks the tables of an untrusted block.
bool Names_Check(const world_t *world, err_t *err);

#endif
