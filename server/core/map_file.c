#include "core/map_file.h"

#include "base/near_name.h"
#include "bsp/map.h"
#include "collide/occluder.h"
#include "proto/control.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Endings of map files. If a folder has both files, the first ending wins.
static const char *const endings[] = {".bsp", ".emesh"};

static bool ends_with(const char *name, const char *ending) {
    size_t length = strlen(name);
    return length > strlen(ending) && strcmp(name + length - strlen(ending), ending) == 0;
}

// Returns true if the text is a path, not a map's name: it contains '/' or ends in .bsp, .emesh or
// .map. A .map file cannot be loaded, but the reader's error then says how to compile it.
static bool is_path(const char *name) {
    bool has_ending = ends_with(name, ".map");
    for (size_t i = 0; i < COUNTOF(endings); i++) {
        has_ending = has_ending || ends_with(name, endings[i]);
    }
    return has_ending || strchr(name, '/');
}

// Finds the file of a name in a folder, with any of the endings.
static bool find_in(const char *folder, int length, const char *name, char path[MAX_PATH_BYTES]) {
    for (size_t i = 0; i < COUNTOF(endings); i++) {
        int written = snprintf(path, MAX_PATH_BYTES, "%.*s/%s%s", length, folder, name, endings[i]);
        if (written > 0 && written < MAX_PATH_BYTES && access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

// Compares the names of the maps of a folder and copies the nearest to `best`.
static void look_in(const char *folder, near_name_t *near, char best[NAME_MAX + 1]) {
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort); // -1: no such folder
    for (int i = 0; i < count; i++) {
        char *name = entries[i]->d_name;
        for (size_t k = 0; k < COUNTOF(endings); k++) {
            if (ends_with(name, endings[k])) {
                name[strlen(name) - strlen(endings[k])] = '\0';
                NearName_Look(near, name);
                break;
            }
        }
        if (near->name == name) {
            strlcpy(best, name, NAME_MAX + 1);
            near->name = best;
        }
        free(entries[i]);
    }
    free(entries);
}

bool MapFile_FindSource(const char *name, const char *map_path, char path[MAX_PATH_BYTES]) {
    for (const char *at = map_path; *at != '\0';) {
        size_t length = strcspn(at, ":");
        int written = snprintf(path, MAX_PATH_BYTES, "%.*s/%s.map", (int)length, at, name);
        if (length > 0 && written < MAX_PATH_BYTES && access(path, R_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return false;
}

// Writes a hint for a missing map: a source with that name, or a map with a similar name.
static void make_hint(const char *name, const char *map_path, char *hint, size_t bytes) {
    char best[NAME_MAX + 1];
    char folder[MAX_PATH_BYTES];
    char source[MAX_PATH_BYTES];
    near_name_t near = NearName_Start(name);
    if (MapFile_FindSource(name, map_path, source)) {
        snprintf(hint, bytes, "; %.400s is its source: compile it with edict-mapc", source);
        return;
    }
    for (const char *at = map_path; *at != '\0';) {
        size_t length = strcspn(at, ":");
        snprintf(folder, sizeof folder, "%.*s", (int)length, at);
        look_in(folder, &near, best);
        at += length + (at[length] == ':' ? 1 : 0);
    }
    NearName_Hint(&near, hint, bytes);
}

bool MapFile_Find(const char *name, const char *map_path, char path[MAX_PATH_BYTES], err_t *err) {
    if (name[0] == '\0') {
        return Err_Set(err, "map: expected a name or a path, found nothing");
    }
    if (is_path(name)) {
        if (snprintf(path, MAX_PATH_BYTES, "%s", name) >= MAX_PATH_BYTES) {
            return Err_Set(err, "map: the path is longer than %d bytes", MAX_PATH_BYTES - 1);
        }
        return access(path, R_OK) == 0 || Err_Set(err, "map %s: %s", name, strerror(errno));
    }
    for (const char *at = map_path; *at != '\0';) {
        size_t length = strcspn(at, ":");
        if (length > 0 && find_in(at, (int)length, name, path)) {
            return true;
        }
        at += length + (at[length] == ':' ? 1 : 0);
    }
    char hint[512];
    make_hint(name, map_path, hint, sizeof hint);
    return Err_Set(err, "map %s: no %s.bsp or %s.emesh in the folders of sv_mappath (%s)%s", name,
                   name, name, map_path, hint);
}

cmap_t *MapFile_Load(const char *name, const char *map_path, map_pack_t *pack, err_t *err) {
    char path[MAX_PATH_BYTES];
    const file_reader_t recorder = MapPack_Recorder(pack);
    cmap_t *map = MapFile_Find(name, map_path, path, err)
                      ? Map_LoadFrom(pack ? &recorder : NULL, path, err)
                      : NULL;
    if (!map) {
        return NULL;
    }
    if (pack && pack->unread.text[0] != '\0') {
        *err = pack->unread;
        Map_Free(map);
        return NULL;
    }
    if (!CM_Info(map).stops_boxes) {
        Err_Set(err,
                "map %s: has no clip hulls and no brush lists, so players would fall through it; "
                "recompile it with a compiler that writes hulls (edict-mapc does)",
                CM_Info(map).name);
        Map_Free(map);
        return NULL;
    }
    if (!CTL_MapNameIsSafe(CM_Info(map).name)) {
        Err_Set(err,
                "map \"%s\": expected a name of fewer than %d letters, digits, _ - + and dots, "
                "without a leading dot; rename the file",
                CM_Info(map).name, MAX_MAP_NAME_BYTES);
        Map_Free(map);
        return NULL;
    }
    CM_GrowOccluders(map);
    return map;
}
