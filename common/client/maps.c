#include "client/maps.h"

#include "bsp/bsp.h"
#include "proto/control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FOLDERS_BYTES 4096

struct cl_maps_s {
    char folders[MAX_FOLDERS_BYTES];
    cmap_t maps[MAX_CLIENT_MAPS];
    int32_t count;
};

cl_maps_t *CL_MapsCreate(const char *folders) {
    cl_maps_t *maps = calloc(1, sizeof *maps);
    if (maps) {
        snprintf(maps->folders, sizeof maps->folders, "%s", folders);
    }
    return maps;
}

void CL_MapsDestroy(cl_maps_t *maps) {
    for (int32_t i = 0; maps && i < maps->count; i++) {
        CM_FreeMap(&maps->maps[i]);
    }
    free(maps);
}

// The next folder of the list, *at behind it. False at the end, or for a path that is too long.
static bool next_path(const char **at, const char *name, char path[MAX_PATH_BYTES]) {
    while (**at != '\0') {
        int length = (int)strcspn(*at, ":");
        const char *folder = *at;
        *at += length + ((*at)[length] == ':' ? 1 : 0);
        int written = snprintf(path, MAX_PATH_BYTES, "%.*s/%s.bsp", length, folder, name);
        if (length > 0 && written > 0 && written < MAX_PATH_BYTES) {
            return true;
        }
    }
    return false;
}

// Loads the first file of that name whose hash is right into `map`.
static bool load(const cl_maps_t *maps, const char *name, uint64_t hash, cmap_t *map, err_t *err) {
    char path[MAX_PATH_BYTES];
    const char *at = maps->folders;
    Err_Set(err, "map %s: no such file in %s", name, maps->folders);
    while (next_path(&at, name, path)) {
        if (access(path, R_OK) != 0) {
            continue;
        }
        if (!BSP_Load(map, path, err)) {
            continue;
        }
        if (map->hash == hash) {
            return true;
        }
        Err_Set(err, "%s: expected hash %016llx of the server's map, found %016llx", path,
                (unsigned long long)hash, (unsigned long long)map->hash);
        CM_FreeMap(map);
    }
    return false;
}

const cmap_t *CL_MapsFind(cl_maps_t *maps, const char *name, uint64_t hash, err_t *err) {
    for (int32_t i = 0; i < maps->count; i++) {
        if (maps->maps[i].hash == hash && strcmp(maps->maps[i].name, name) == 0) {
            return &maps->maps[i];
        }
    }
    if (!CTL_MapNameIsSafe(name)) {
        Err_Set(err, "\"%s\" is no map name", name);
        return NULL;
    }
    if (maps->count == MAX_CLIENT_MAPS) {
        Err_Set(err, "map %s: %d maps are loaded already", name, MAX_CLIENT_MAPS);
        return NULL;
    }
    return load(maps, name, hash, &maps->maps[maps->count], err) ? &maps->maps[maps->count++]
                                                                 : NULL;
}
