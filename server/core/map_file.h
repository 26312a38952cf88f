/// core/map_file.h - finds a map by name or path: a compiled map, or a mesh used as a world.

#ifndef EDICTD_CORE_MAP_FILE_H
#define EDICTD_CORE_MAP_FILE_H

#include "base/err.h"
#include "base/limits.h"

/// Finds the file of a map. `name` with a '/' or ending in .bsp or .emesh is a path. Any other name
/// is searched as NAME.bsp, then NAME.emesh, in the folders of `map_path` (separated by ':') in
/// order. Returns false with the folders that were searched.
bool MapFile_Find(const char *name, const char *map_path, char path[MAX_PATH_BYTES], err_t *err);

/// Finds the source of a map, NAME.map, in the folders of `map_path`.
bool MapFile_FindSource(const char *name, const char *map_path, char path[MAX_PATH_BYTES]);

#endif
