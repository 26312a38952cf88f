/// mapc/paths.h - the names of the output files.

#ifndef EDICTD_MAPC_PATHS_H
#define EDICTD_MAPC_PATHS_H

#include "base/err.h"
#include "base/limits.h"

typedef struct {
    char bsp[MAX_PATH_BYTES];
    char pts[MAX_PATH_BYTES]; ///< path of a leak, beside the .bsp for editors
} mc_paths_t;

/// Computes the output files from the source and the value of -o (NULL: beside the source, .bsp for
/// .map). A name without ending gets .bsp. Any other ending is an error, because servers find maps
/// by .bsp and a .map is a source.
bool MC_OutputPaths(const char *input, const char *output, mc_paths_t *paths, err_t *err);

#endif
