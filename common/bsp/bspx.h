/// bsp/bspx.h - what compilers append to a map file: a directory of further lumps, and of these the
/// brush lists.
//
// Floor:   bsp. Inside of bsp/ only.
// Memory:  views of the file's bytes; the brushes are malloc'ed (Brushes_Free).
// Errors:  "file: BSPX: reason", "file: BRUSHLIST: reason"; every offset, count and number is checked.
// Source:  the layout as the visible maps have it.
//
//   where the last lump ends, rounded up to 4; little-endian:
//   | "BSPX" | number of lumps | name[24] | offset | bytes | ...
//   BRUSHLIST, one after the other for each model that has one:
//   | version 1 | model | number of brushes | number of planes of all of them |
//   a brush: | mins | maxs | contents (i16) | planes (u16) | planes: normal, dist |
//   The six planes of mins and maxs are not written.

#ifndef EDICTD_BSP_BSPX_H
#define EDICTD_BSP_BSPX_H

#include "bsp/lumps.h"
#include "collide/brush/brush_build.h"

/// Most lumps of a directory.
#define MAX_BSPX_LUMPS 256

/// Largest |coordinate| and |dist| of a map's planes and boxes (qu): sixteen worlds wide. What is
/// computed from these stays finite.
#define MAX_PLANE_DIST 1048576.0f

/// A normal's squared length may be off by this much: compilers round unit normals to float.
#define MAX_NORMAL_ERROR 0.001f

/// The brush list of one model in the arrays.
typedef struct {
    bool exists;
    bool has_volumes;
    int32_t root; ///< of its tree
} bspx_list_t;

/// Finds a lump in the directory. True with lump->data NULL when there is no directory or no such
/// lump.
bool Bspx_Find(const bsp_file_t *file, const char *name, lump_t *lump);

/// Reads the brush lists of all models. A file without them leaves everything empty.
bool Bspx_ReadBrushes(const bsp_file_t *file, int32_t num_models, brushes_t *brushes,
                      bspx_list_t *lists);

#endif
