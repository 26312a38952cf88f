/// core/map_file.h - finds a map by name or path: a compiled one, or a mesh that is a world.
//
// Floor:   core.

#ifndef EDICTD_CORE_MAP_FILE_H
#define EDICTD_CORE_MAP_FILE_H

#include "base/err.h"
#include "base/limits.h"

/// `name` with a '/' or ending in .bsp or .emesh is a path; else NAME.bsp, then NAME.emesh, is looked
/// for in the folders of `map_path` (joined by ':'), in order. False with where it was looked for.
bool MapFile_Find(const char *name, const char *map_path, char path[MAX_PATH_BYTES], err_t *err);

/// Finds NAME.map, the source of a map, in the folders of `map_path`. Returns false when there is
/// none.
bool MapFile_FindSource(const char *name, const char *map_path, char path[MAX_PATH_BYTES]);

#endif
