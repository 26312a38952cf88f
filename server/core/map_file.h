/// core/map_file.h - finds the file of a map by name or path.

#ifndef EDICTD_CORE_MAP_FILE_H
#define EDICTD_CORE_MAP_FILE_H

#include "base/err.h"
#include "base/limits.h"
#include "bsp/map_pack.h"

/// Finds NAME.bsp, or else NAME.emesh, in the folders of `map_path` (separated by ':'). A name with
/// '/', .bsp or .emesh is a path. Returns false with the searched folders.
bool MapFile_Find(const char *name, const char *map_path, char path[MAX_PATH_BYTES], err_t *err);

/// Finds the source of a map, NAME.map, in the folders of `map_path`.
bool MapFile_FindSource(const char *name, const char *map_path, char path[MAX_PATH_BYTES]);

/// Finds and loads a map that players can stand on and clients can name. `pack` records its files;
/// NULL = none. Returns NULL with the reason.
cmap_t *MapFile_Load(const char *name, const char *map_path, map_pack_t *pack, err_t *err);

#endif
