/// mapc/paths.h - which files a compilation writes.
//
// Floor:   tools.

#ifndef EDICTD_MAPC_PATHS_H
#define EDICTD_MAPC_PATHS_H

#include "base/err.h"
#include "base/limits.h"

typedef struct {
    char bsp[MAX_PATH_BYTES];
    char pts[MAX_PATH_BYTES]; ///< of a leak: beside the .bsp, where editors look for it
} mc_paths_t;

/// The files for a source and what -o says (NULL: beside the source, .bsp for .map). A name without
/// ending gets .bsp. False with the reason for any other ending: servers and clients find maps by
/// that one, and what is named .map is a source that somebody would miss.
bool MC_OutputPaths(const char *input, const char *output, mc_paths_t *paths, err_t *err);

#endif
