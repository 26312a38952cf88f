/// bsp/bsp_local.h - functions that several loaders of map formats use. Private to bsp/.
//
// Memory:  the map's arenas.
// Errors:  "file: lump: reason".

#ifndef EDICTD_BSP_BSP_LOCAL_H
#define EDICTD_BSP_BSP_LOCAL_H

#include "bsp/bspx.h"

/// Sizes of the arrays that Bsp_Allocate makes.
typedef struct {
    int32_t planes, nodes, clipnodes, leafs, models;
    int32_t clusters;   ///< rows of the visibility; 0 = do not keep it
    int32_t visibility; ///< number of its lump
} map_sizes_t;

/// Allocates the memory of a map, and copies entities, visibility and brushes into it.
bool Bsp_Allocate(cmap_t *map, const bsp_file_t *file, const map_sizes_t *sizes,
                  const brushes_t *brushes);

/// Copies brushes into the map. Returns false if out of memory.
bool Bsp_KeepBrushes(cmap_t *map, const brushes_t *brushes);

/// Checks all rows of the map's visibility. If one lies, adds a remark and drops the visibility.
void Bsp_CheckVis(cmap_t *map, const bsp_file_t *file, int32_t lump);

/// Reads and checks a plane, whose record starts with normal and distance.
bool Bsp_ReadPlane(const bsp_file_t *file, int32_t lump, int32_t number, vec3_t *normal,
                   float *dist);

/// Checks that bounds and origin of a model are finite and within MAX_PLANE_DIST.
bool Bsp_CheckModel(const bsp_file_t *file, int32_t lump, int32_t number, bounds_t bounds,
                    vec3_t origin);

void Bsp_SetBrushLists(cmap_t *map, const bspx_list_t *lists);

/// Parse one family of formats. Set the map's name and format before.
bool Bsp_ParseQuake(cmap_t *map, const bsp_file_t *file);
bool Ibsp_ParseQuake2(cmap_t *map, const bsp_file_t *file);
bool Ibsp_ParseQuake3(cmap_t *map, const bsp_file_t *file);

#endif
