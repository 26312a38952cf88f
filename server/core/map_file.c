#include "core/map_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_path(const char *name) {
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 4 && strcmp(name + length - 4, ".bsp") == 0);
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
        int written = snprintf(path, MAX_PATH_BYTES, "%.*s/%s.bsp", (int)length, at, name);
        if (length > 0 && written > 0 && written < MAX_PATH_BYTES && access(path, R_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return Err_Set(err, "map %s: no %s.bsp in the folders of sv_mappath (%s)", name, name,
                   map_path);
}
