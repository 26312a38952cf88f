/// ops/map_list.h - lists the maps in folders.
//
// Memory:  the names of one folder while it is read.

#ifndef EDICTD_OPS_MAP_LIST_H
#define EDICTD_OPS_MAP_LIST_H

#include <stdint.h>

/// Receives one line without newline.
typedef void (*map_list_line_fn)(void *context, const char *line);

/// Passes a line "NAME (FOLDER/FILE)" to `line_fn` for each map whose name begins with `prefix`, by
/// folder (separated by ':') and name. Skips unreadable folders. Returns the number of lines.
int32_t MapList_Print(const char *folders, const char *prefix, map_list_line_fn line_fn,
                      void *context);

#endif
