#include "core/map_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// What maps end in; of two files in one folder the first counts.
static const char *const endings[] = {".bsp", ".emesh"};

static bool ends_with(const char *name, const char *ending) {
    size_t length = strlen(name);
    return length > strlen(ending) && strcmp(name + length - strlen(ending), ending) == 0;
}

static bool is_path(const char *name) {
    bool has_ending = false;
    for (size_t i = 0; i < COUNTOF(endings); i++) {
        has_ending = has_ending || ends_with(name, endings[i]);
    }
    return has_ending || strchr(name, '/');
}

// The file of that name in a folder, with any of the endings.
static bool find_in(const char *folder, int length, const char *name, char path[MAX_PATH_BYTES]) {
    for (size_t i = 0; i < COUNTOF(endings); i++) {
        int written = snprintf(path, MAX_PATH_BYTES, "%.*s/%s%s", length, folder, name, endings[i]);
        if (written > 0 && written < MAX_PATH_BYTES && access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
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
    return Err_Set(err, "map %s: no %s.bsp or %s.emesh in the folders of sv_mappath (%s)", name,
                   name, name, map_path);
}
