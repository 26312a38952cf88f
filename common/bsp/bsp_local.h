/// bsp/bsp_local.h - functions shared by the loaders of the map formats. Private to bsp/.
//
// Memory:  the map's one arena.
// Errors:  "file: lump: reason".

#ifndef EDICTD_BSP_BSP_LOCAL_H
#define EDICTD_BSP_BSP_LOCAL_H

#include "bsp/bspx.h"

/// Counts that Bsp_Allocate needs; entities, visibility and brushes are allocated as well.
typedef struct {
    int32_t planes, nodes, clipnodes, leafs, models;
    int32_t visibility; ///< number of the lump; 0 = keep none
} map_sizes_t;

/// Allocates all memory of a map at once, and copies entities, visibility and brushes into it.
bool Bsp_Allocate(cmap_t *map, const bsp_file_t *file, const map_sizes_t *sizes,
                  const brushes_t *brushes);

/// Sets the brush list of each model.
void Bsp_SetBrushLists(cmap_t *map, const bspx_list_t *lists);

/// Returns the parsers of the format families. The caller has set the map's name and format.
bool Bsp_ParseQuake(cmap_t *map, const bsp_file_t *file);
bool Ibsp_ParseQuake2(cmap_t *map, const bsp_file_t *file);
bool Ibsp_ParseQuake3(cmap_t *map, const bsp_file_t *file);

#endif
