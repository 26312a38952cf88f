/// bsp/map_pack.h - all files of a map in one block, to send it to clients.
//
// Memory:  a builder owns its block; a reader points into the caller's bytes.
// Errors:  outside bytes are checked: names, sizes, endings, the end.
//
//   | u16 length | name | u32 size | bytes | the next file ...      little-endian
//
// The first file is the map, NAME.bsp or NAME.emesh. Then follow the files that it names, by paths
// relative to the map's folder, and NAME.ent.

#ifndef EDICTD_BSP_MAP_PACK_H
#define EDICTD_BSP_MAP_PACK_H

#include "base/file.h"
#include "base/limits.h"
#include "collide/cmodel.h"

#define MAP_PACK_MAX_PATH 256 // a path in a pack with its NUL

/// Records the files that a map consists of. Zero it first; MapPack_Free ends it.
typedef struct {
    uint8_t *data;
    size_t size, room;
    size_t folder; ///< bytes of the map's folder in paths; known after the first file
    int32_t num_files;
    const char *fault; ///< why the map cannot be sent; NULL = it can
    err_t unread;      ///< error of a file that exists but cannot be read; "" = none
} map_pack_t;

/// Returns a reader of files of the disk that appends each to the pack. A pack that fails does not
/// fail the reading.
file_reader_t MapPack_Recorder(map_pack_t *pack);

/// Appends a file. `path`: relative to the map's folder, or, for the recorder, any path of the disk
/// below the folder of the first file.
void MapPack_Add(map_pack_t *pack, const char *path, const uint8_t *data, size_t size);

void MapPack_Free(map_pack_t *pack);

/// A file in a pack.
typedef struct {
    char path[MAP_PACK_MAX_PATH];
    const uint8_t *data;
    size_t size;
} packed_file_t;

/// Reads the file at *at and moves *at behind it. Returns false if it is not valid.
bool MapPack_Next(const uint8_t *pack, size_t size, size_t *at, packed_file_t *file);

/// Checks all files of a pack. The first must be the map `name`.
bool MapPack_Check(const uint8_t *pack, size_t size, const char *name, err_t *err);

/// Loads the map from a pack that was checked. Returns NULL with the reason.
cmap_t *MapPack_Load(const uint8_t *pack, size_t size, err_t *err);

#endif
