#include "client/maps.h"

#include "base/file.h"
#include "bsp/map.h"
#include "bsp/map_pack.h"
#include "proto/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FOLDERS_BYTES 4096
#define MAX_STORED_BYTES  (INT64_C(1) << 30) // of all downloads of a list

struct cl_maps_s {
    char folders[MAX_FOLDERS_BYTES];
    cl_storage_t storage;           ///< instead of folders, if `open` is set
    char downloads[MAX_PATH_BYTES]; ///< folder of downloaded maps; "" = none
    cl_store_t *store;              ///< instead of that folder
    void *store_context;
    int64_t stored_bytes;
    bool was_found;                ///< the storage had a file since the last search began
    cmap_t *maps[MAX_CLIENT_MAPS]; ///< oldest first
    int32_t num_users[MAX_CLIENT_MAPS];
    int32_t count;
};

cl_maps_t *CL_MapsCreate(const char *folders) {
    cl_maps_t *maps = calloc(1, sizeof *maps);
    if (maps) {
        snprintf(maps->folders, sizeof maps->folders, "%s", folders);
    }
    return maps;
}

cl_maps_t *CL_MapsCreateFrom(const cl_storage_t *storage) {
    cl_maps_t *maps = CL_MapsCreate("the program's storage");
    if (maps) {
        maps->storage = *storage;
    }
    return maps;
}

void CL_MapsDestroy(cl_maps_t *maps) {
    for (int32_t i = 0; maps && i < maps->count; i++) {
        Map_Free(maps->maps[i]);
    }
    free(maps);
}

// Endings of maps, in the server's order.
static const char *const endings[] = {".bsp", ".emesh"};

/// Copies a file of the storage, as File_Read does.
static uint8_t *read_stored(void *context, const char *path, size_t max_bytes, size_t *size,
                            err_t *err) {
    cl_maps_t *maps = context;
    const cl_storage_t *storage = &maps->storage;
    const void *data = storage->open(storage->context, path, size);
    if (!data) {
        Err_Set(err, "%s: the program's storage has no such file", path);
        return NULL;
    }
    maps->was_found = true;
    size_t room = (*size / FILE_ALIGN + 1) * FILE_ALIGN;
    uint8_t *block = *size <= max_bytes ? aligned_alloc(FILE_ALIGN, room) : NULL;
    if (block) {
        memcpy(block, data, *size);
        block[*size] = 0;
    } else {
        Err_Set(err, "%s: %zu bytes are more than %zu, or than the memory", path, *size, max_bytes);
    }
    if (storage->close) {
        storage->close(storage->context, data);
    }
    return block;
}

/// Loads a map from the disk or the storage. A missing file leaves *err.
static cmap_t *read_map(cl_maps_t *maps, const char *path, err_t *err) {
    err_t why;
    if (!maps->storage.open) {
        return File_Exists(path) ? Map_Load(path, err) : NULL;
    }
    maps->was_found = false;
    const file_reader_t files = {read_stored, maps};
    cmap_t *map = Map_LoadFrom(&files, path, &why);
    if (!map && maps->was_found) {
        *err = why;
    }
    return map;
}

// Loads a file if its hash matches, otherwise returns NULL. A missing file leaves *err.
static cmap_t *load_file(cl_maps_t *maps, const char *path, uint64_t hash, err_t *err) {
    cmap_t *map = read_map(maps, path, err);
    if (!map || CM_Info(map).hash == hash) {
        return map;
    }
    Err_Set(err, "%s: expected the server's map, hash %016llx, found hash %016llx", path,
            (unsigned long long)hash, (unsigned long long)CM_Info(map).hash);
    Map_Free(map);
    return NULL;
}

// Writes the path of a file of a downloaded map: FOLDER/HASH/PATH, or HASH/PATH of a storage.
static bool download_path(const cl_maps_t *maps, uint64_t hash, const char *file,
                          char path[MAX_PATH_BYTES]) {
    const int length = snprintf(path, MAX_PATH_BYTES, "%s%s%016llx/%s", maps->downloads,
                                maps->store ? "" : "/", (unsigned long long)hash, file);
    return length > 0 && length < MAX_PATH_BYTES;
}

// Loads a map that was downloaded before.
static cmap_t *load_downloaded(cl_maps_t *maps, const char *name, uint64_t hash, err_t *err) {
    char path[MAX_PATH_BYTES];
    char file[MAX_MAP_NAME_BYTES + 8];
    cmap_t *map = NULL;
    for (size_t i = 0; CL_MapsCanStore(maps) && i < COUNTOF(endings) && !map; i++) {
        snprintf(file, sizeof file, "%s%s", name, endings[i]);
        map = download_path(maps, hash, file, path) ? load_file(maps, path, hash, err) : NULL;
    }
    return map;
}

// Loads NAME.bsp or NAME.emesh from the first folder with the right hash.
static cmap_t *load(cl_maps_t *maps, const char *name, uint64_t hash, err_t *err) {
    char path[MAX_PATH_BYTES];
    const bool is_stored = maps->storage.open != NULL;
    Err_Set(err, "map %s: no file %s.bsp or %s.emesh in %s", name, name, name, maps->folders);
    for (const char *at = maps->folders; *at != '\0';) {
        int length = (int)strcspn(at, ":");
        for (size_t i = 0; length > 0 && i < COUNTOF(endings); i++) {
            int written = snprintf(path, sizeof path, "%.*s%s%s%s", is_stored ? 0 : length, at,
                                   is_stored ? "" : "/", name, endings[i]);
            bool fits = written > 0 && (size_t)written < sizeof path;
            cmap_t *map = fits ? load_file(maps, path, hash, err) : NULL;
            if (map) {
                return map;
            }
        }
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return load_downloaded(maps, name, hash, err);
}

const cmap_t *CL_MapsFind(cl_maps_t *maps, const char *name, uint64_t hash) {
    for (int32_t i = 0; i < maps->count; i++) {
        cm_info_t info = CM_Info(maps->maps[i]);
        if (info.hash == hash && strcmp(info.name, name) == 0) {
            maps->num_users[i]++;
            return maps->maps[i];
        }
    }
    return NULL;
}

/// Makes room for a map. Returns false if all maps are in use.
static bool make_room(cl_maps_t *maps) {
    int32_t i = 0;
    while (i < maps->count && maps->num_users[i] > 0) {
        i++;
    }
    if (maps->count < MAX_CLIENT_MAPS || i == maps->count) {
        return maps->count < MAX_CLIENT_MAPS;
    }
    Map_Free(maps->maps[i]);
    for (maps->count--; i < maps->count; i++) {
        maps->maps[i] = maps->maps[i + 1];
        maps->num_users[i] = maps->num_users[i + 1];
    }
    return true;
}

const cmap_t *CL_MapsLoad(cl_maps_t *maps, const char *name, uint64_t hash, err_t *err) {
    if (!CTL_MapNameIsSafe(name)) {
        Err_Set(err, "the server's map name \"%s\" could leave the maps folder", name);
        return NULL;
    }
    cmap_t *map = load(maps, name, hash, err);
    return map ? CL_MapsAdd(maps, map, err) : NULL;
}

const cmap_t *CL_MapsAdd(cl_maps_t *maps, cmap_t *map, err_t *err) {
    if (!make_room(maps)) {
        Err_Set(err, "map %s: other clients use all %d maps of the list", CM_Info(map).name,
                MAX_CLIENT_MAPS);
        Map_Free(map);
        return NULL;
    }
    maps->num_users[maps->count] = 1;
    maps->maps[maps->count++] = map;
    return map;
}

void CL_MapsRelease(cl_maps_t *maps, const cmap_t *map) {
    for (int32_t i = 0; map && i < maps->count; i++) {
        maps->num_users[i] -= maps->maps[i] == map;
    }
}

// ---- downloads ----

bool CL_MapsCanStore(const cl_maps_t *maps) {
    return maps->downloads[0] != '\0' || maps->store;
}

bool CL_MapsDownload(cl_maps_t *maps, const char *folder, err_t *err) {
    struct stat info;
    if (maps->storage.open) {
        return Err_Set(err, "maps of a storage: pass CL_MapsDownloadTo the function that stores");
    }
    if (folder[0] == '\0' || strlen(folder) >= sizeof maps->downloads) {
        return Err_Set(err, "folder for maps: expected 1 to %zu bytes", sizeof maps->downloads - 1);
    }
    if (mkdir(folder, 0755) != 0 && errno != EEXIST) {
        return Err_Set(err, "%s: %s", folder, strerror(errno));
    }
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || access(folder, W_OK) != 0) {
        return Err_Set(err, "%s: expected a folder that this program may write to", folder);
    }
    snprintf(maps->downloads, sizeof maps->downloads, "%s", folder);
    return true;
}

void CL_MapsDownloadTo(cl_maps_t *maps, cl_store_t *store, void *context) {
    maps->store = store;
    maps->store_context = context;
    maps->downloads[0] = '\0';
}

// Makes the folders of a path below the folder of downloads.
static bool make_folders(const cl_maps_t *maps, char *path, err_t *err) {
    for (char *at = path + strlen(maps->downloads) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        const bool good = mkdir(path, 0755) == 0 || errno == EEXIST;
        if (!good) {
            Err_Set(err, "%s: %s", path, strerror(errno));
        }
        *at = '/';
        if (!good) {
            return false;
        }
    }
    return true;
}

static bool store_file(cl_maps_t *maps, uint64_t hash, const packed_file_t *file, err_t *err) {
    char path[MAX_PATH_BYTES];
    if (!download_path(maps, hash, file->path, path)) {
        return Err_Set(err, "%s: the path is too long", file->path);
    }
    if (maps->store) {
        return maps->store(maps->store_context, path, file->data, file->size) ||
               Err_Set(err, "%s: the program did not store it", path);
    }
    return make_folders(maps, path, err) && File_Write(path, file->data, file->size, err);
}

bool CL_MapsStore(cl_maps_t *maps, uint64_t hash, const uint8_t *pack, size_t size, err_t *err) {
    packed_file_t first, file;
    size_t at = 0;
    if ((int64_t)size > MAX_STORED_BYTES - maps->stored_bytes) {
        return Err_Set(err, "not stored: this program has stored %lld bytes of maps",
                       (long long)maps->stored_bytes);
    }
    if (!MapPack_Next(pack, size, &at, &first)) {
        return Err_Set(err, "not stored: no file");
    }
    while (at < size) {
        if (!MapPack_Next(pack, size, &at, &file) || !store_file(maps, hash, &file, err)) {
            return false;
        }
    }
    maps->stored_bytes += (int64_t)size;
    return store_file(maps, hash, &first, err); // last: a search then finds all files
}
