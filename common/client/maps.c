#include "client/maps.h"

#include "bsp/map.h"
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

// File name extensions of maps, in the order in which the server tries them.
static const char *const endings[] = {".bsp", ".emesh"};

// Loads a file if its hash matches. Returns false with the reason; a missing file does not change
// it.
static bool load_file(const char *path, uint64_t hash, cmap_t *map, err_t *err) {
    if (access(path, R_OK) != 0 || !Map_Load(map, path, err)) {
        return false;
    }
    if (map->hash == hash) {
        return true;
    }
    Err_Set(err, "%s: expected hash %016llx of the server's map, found %016llx", path,
            (unsigned long long)hash, (unsigned long long)map->hash);
    CM_FreeMap(map);
    return false;
}

// Loads the first file of that name with a matching hash into `map`.
static bool load(const cl_maps_t *maps, const char *name, uint64_t hash, cmap_t *map, err_t *err) {
    char path[MAX_PATH_BYTES];
    Err_Set(err, "map %s: no such file in %s", name, maps->folders);
    for (const char *at = maps->folders; *at != '\0';) {
        int length = (int)strcspn(at, ":");
        for (size_t i = 0; length > 0 && i < COUNTOF(endings); i++) {
            int written = snprintf(path, sizeof path, "%.*s/%s%s", length, at, name, endings[i]);
            if (written > 0 && (size_t)written < sizeof path && load_file(path, hash, map, err)) {
                return true;
            }
        }
        at += length + (at[length] == ':' ? 1 : 0);
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
        Err_Set(err, "\"%s\" is not a valid map name", name);
        return NULL;
    }
    if (maps->count == MAX_CLIENT_MAPS) {
        Err_Set(err, "map %s: %d maps are already loaded, which is the maximum", name,
                MAX_CLIENT_MAPS);
        return NULL;
    }
    return load(maps, name, hash, &maps->maps[maps->count], err) ? &maps->maps[maps->count++]
                                                                 : NULL;
}
