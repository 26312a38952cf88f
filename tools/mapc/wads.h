/// mapc/wads.h - loads the WAD files of a map.
//
// Memory:  free with MC_FreeWads.

#ifndef EDICTD_MAPC_WADS_H
#define EDICTD_MAPC_WADS_H

#include "mapc/mapfile.h"
#include "mapc/wad.h"

#define MC_MAX_WADS 64 // files of a map

/// Folders to search for WAD files, and WAD files that are used for every map. Without a folder,
/// the map's key "wad" is not read.
typedef struct {
    const char *const *folders;
    const char *const *files;
    int32_t num_folders, num_files;
} mc_wad_places_t;

typedef struct {
    mc_wad_t wads[MC_MAX_WADS];
    uint8_t *bytes[MC_MAX_WADS];
    char *names[MC_MAX_WADS];
    int32_t count;
    bool halflife;
    const uint8_t *palette; ///< of the WAD2 files; NULL if none has one
} mc_wads_t;

/// Loads the given files, then those of the key "wad" of worldspawn, which are separated by ";".
/// Searches each folder for the path in the key, and for its last part. Warns about each file that
/// is not found or is no WAD, and about a WAD3 for a Quake map, whose palette has other colours.
void MC_LoadWads(mc_wads_t *wads, const mc_wad_places_t *places, mc_report_t *report,
                 const mc_entity_t *worldspawn, bool halflife);

void MC_FreeWads(mc_wads_t *wads);

#endif
