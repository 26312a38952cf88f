/// mesh/info.h - prints the contents of an .emesh file.

#ifndef EDICTD_TOOLS_MESH_INFO_H
#define EDICTD_TOOLS_MESH_INFO_H

#include "base/err.h"

#include <stdio.h>

/// Prints the contents of a file. Returns false if the file cannot be read or is no .emesh file.
bool ME_PrintInfo(FILE *to, const char *path, err_t *err);

#endif
