/// mesh/info.h - what is in an .emesh file, in words.
//
// Floor:   tool.

#ifndef EDICTD_TOOLS_MESH_INFO_H
#define EDICTD_TOOLS_MESH_INFO_H

#include "base/err.h"

#include <stdio.h>

/// Prints triangles, bones, controllers, hitboxes and animations of a file. Lengths in qu, angles
/// in degrees. False: the file cannot be read, or is none.
bool ME_PrintInfo(FILE *to, const char *path, err_t *err);

#endif
