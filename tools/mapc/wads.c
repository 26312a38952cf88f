#include "mapc/wads.h"

#include "base/file.h"
#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Opens a WAD. Warns if the file cannot be read or is no WAD.
static void load(mc_wads_t *wads, mc_report_t *report, int32_t line, const char *path) {
    if (wads->count == MC_MAX_WADS) {
        MC_Warn(report, line, "expected at most %d WAD files, found more; %s left out", MC_MAX_WADS,
                path);
        return;
    }
    err_t err;
    size_t size;
    int32_t i = wads->count;
    wads->bytes[i] = File_Read(path, MC_MAX_WAD_BYTES, &size, &err);
    wads->names[i] = wads->bytes[i] ? strdup(path) : NULL;
    bool good =
        wads->names[i] && MC_OpenWad(&wads->wads[i], wads->names[i], wads->bytes[i], size, &err);
    if (good && !wads->halflife && wads->wads[i].has_palettes) {
        good = Err_Set(&err, "%s: expected a WAD2 for a Quake map, found a WAD3", path);
    }
    if (good) {
        wads->palette = wads->palette ? wads->palette : wads->wads[i].palette;
        wads->count++;
        return;
    }
    free(wads->bytes[i]);
    free(wads->names[i]);
    MC_Warn(report, line, "%s; WAD file left out", err.text);
}

/// Writes "folder/file" to `path`. Returns true if that is a readable file.
static bool try_path(const char *folder, const char *file, char path[MAX_PATH_BYTES]) {
    int length = snprintf(path, MAX_PATH_BYTES, "%s%s%s", folder, *folder ? "/" : "", file);
    return length < MAX_PATH_BYTES && access(path, R_OK) == 0;
}

/// Loads a file of the key "wad".
static void load_named(mc_wads_t *wads, const mc_wad_places_t *places, mc_report_t *report,
                       const mc_pair_t *pair, const char *file) {
    char path[MAX_PATH_BYTES];
    const char *last = strrchr(file, '/');
    bool found = file[0] == '/' && try_path("", file, path);
    for (int32_t i = 0; i < places->num_folders && !found; i++) {
        found = try_path(places->folders[i], file, path) ||
                (last && try_path(places->folders[i], last + 1, path));
    }
    if (found) {
        load(wads, report, pair->line, path);
    } else {
        MC_Warn(report, pair->line,
                "WAD file \"%.100s\" not found; its textures become plain colours; give its folder "
                "with --wadpath",
                file);
    }
}

void MC_LoadWads(mc_wads_t *wads, const mc_wad_places_t *places, mc_report_t *report,
                 const mc_entity_t *worldspawn, bool halflife) {
    wads->halflife = halflife;
    for (int32_t i = 0; i < places->num_files; i++) {
        load(wads, report, 0, places->files[i]);
    }
    for (int32_t i = 0; i < worldspawn->num_pairs && places->num_folders > 0; i++) {
        const mc_pair_t *pair = &worldspawn->pairs[i];
        for (const char *at = pair->value; strcmp(pair->key, "wad") == 0 && *at;) {
            size_t length = strcspn(at, ";");
            char file[MAX_PATH_BYTES];
            snprintf(file, sizeof file, "%.*s", (int)length, at);
            for (char *slash = file; (slash = strchr(slash, '\\')) != NULL;) {
                *slash = '/'; // an editor on Windows wrote it
            }
            if (file[0]) {
                load_named(wads, places, report, pair, file);
            }
            at += length + (at[length] == ';');
        }
    }
}

void MC_FreeWads(mc_wads_t *wads) {
    for (int32_t i = 0; i < wads->count; i++) {
        free(wads->bytes[i]);
        free(wads->names[i]);
    }
    wads->count = 0;
}
