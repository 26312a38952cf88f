/// bsp/bsp_local.h - what the loaders of the map formats share. Inside of bsp/ only.
//
// Floor:   bsp.
// Memory:  everything goes into the map's one arena.
// Errors:  "file: lump: reason".

#ifndef EDICTD_BSP_BSP_LOCAL_H
#define EDICTD_BSP_BSP_LOCAL_H

#include "bsp/bspx.h"

/// What a map gets memory for, as counts; entities, visibility and brushes come with it.
typedef struct {
    int32_t planes, nodes, clipnodes, leafs, models;
    int32_t visibility; ///< number of the lump; 0 = none is kept
} map_sizes_t;

/// Gets all memory of a map at once, and copies entities, visibility and brushes into it.
bool Bsp_Allocate(cmap_t *map, const bsp_file_t *file, const map_sizes_t *sizes,
                  const brushes_t *brushes);

/// Gives each model its list.
void Bsp_SetBrushLists(cmap_t *map, const bspx_list_t *lists);

/// One for each family of formats. The map has its name and format.
bool Bsp_ParseQuake(cmap_t *map, const bsp_file_t *file);
bool Ibsp_ParseQuake2(cmap_t *map, const bsp_file_t *file);
bool Ibsp_ParseQuake3(cmap_t *map, const bsp_file_t *file);

#endif
