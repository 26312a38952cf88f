/// ops/map_list.h - lists the maps in folders.
//
// Memory:  the names of one folder while it is read.

#ifndef EDICTD_OPS_MAP_LIST_H
#define EDICTD_OPS_MAP_LIST_H

#include <stdint.h>

/// Receives one line without newline.
typedef void (*map_list_line_fn)(void *context, const char *line);

/// Calls `line_fn` with "NAME (FOLDER/FILE)" for each map that begins with `prefix`. `folders`:
/// separated by ':'. Skips unreadable folders. Returns the number of maps.
int32_t MapList_Print(const char *folders, const char *prefix, map_list_line_fn line_fn,
                      void *context);

#endif
