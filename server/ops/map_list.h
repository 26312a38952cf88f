/// ops/map_list.h - which maps there are.
//
// Floor:   ops.
// Memory:  none is kept; a folder's names while it is read.

#ifndef EDICTD_OPS_MAP_LIST_H
#define EDICTD_OPS_MAP_LIST_H

#include <stdint.h>

/// Takes a line, without a newline.
typedef void (*map_list_line_fn)(void *context, const char *line);

/// A line "NAME (FOLDER/FILE)" for each map of the folders (joined by ':') whose name begins with the
/// prefix, by name within a folder. Returns how many; a folder that cannot be read has none.
int32_t MapList_Print(const char *folders, const char *prefix, map_list_line_fn line_fn,
                      void *context);

#endif
