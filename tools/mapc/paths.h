/// mapc/paths.h - derives the names of the output files.

#ifndef EDICTD_MAPC_PATHS_H
#define EDICTD_MAPC_PATHS_H

#include "base/err.h"
#include "base/limits.h"

typedef struct {
    char bsp[MAX_PATH_BYTES];
    char pts[MAX_PATH_BYTES]; ///< path of a leak for editors, beside the .bsp
} mc_paths_t;

/// Computes the output paths. `output`: name of the .bsp file, or NULL for the name of the source.
/// Fails if `output` has another ending than .bsp.
bool MC_OutputPaths(const char *input, const char *output, mc_paths_t *paths, err_t *err);

#endif
