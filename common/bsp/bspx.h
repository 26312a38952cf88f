/// bsp/bspx.h - the BSPX directory that compilers append to a map file, and its brush lists.
//
// Private to bsp/.
// Memory:  views of the file's bytes; the brushes are malloc'ed (Brushes_Free).
// Errors:  "file: BSPX: reason", "file: BRUSHLIST: reason".
// Source:  the layout found in the maps of the test data.
//
//   after the last lump, at a multiple of 4; little-endian:
//   | "BSPX" | number of lumps | name[24] | offset | bytes | ...
//   BRUSHLIST, repeated for each model with a list:
//   | version 1 | model | number of brushes | number of planes of all of them |
//   a brush: | mins | maxs | contents (i16) | planes (u16) | planes: normal, dist |
//   The six planes of mins and maxs are not written.

#ifndef EDICTD_BSP_BSPX_H
#define EDICTD_BSP_BSPX_H

#include "bsp/lumps.h"
#include "collide/brush/brush_build.h"

#define MAX_BSPX_LUMPS 256

/// Maximum absolute coordinate or plane distance in a map file, qu: 16 times the world's size.
#define MAX_PLANE_DIST 1048576.0f

/// Maximum error of a normal's squared length; compilers round normals to float.
#define MAX_NORMAL_ERROR 0.001f

typedef struct {
    bool exists;
    int32_t root; ///< root of the tree of brushes
} bspx_list_t;

/// Finds a lump in the directory. If it is missing, returns true and sets lump->data to NULL.
bool Bspx_Find(const bsp_file_t *file, const char *name, lump_t *lump);

/// Reads the brush lists of all models. Without a BRUSHLIST lump, all lists stay empty.
bool Bspx_ReadBrushes(const bsp_file_t *file, int32_t num_models, brushes_t *brushes,
                      bspx_list_t *lists);

#endif
