/// bsp/ibsp.h - planes and brushes of Quake II's and III's maps, for both loaders. Private to bsp/.
//
// Memory:  temporary arrays, freed by Ibsp_Close; the result is in the map's arena.
// Errors:  "file: lump: reason"; every offset, count, index and number is checked.
// Source:  the layouts found in the maps of the test data.
//
// Both families store brushes with all their planes and have no hulls. So cmap_t.brushes_only is
// set, and points query the brushes, too. Quake II's nodes are walked only to find the brushes of
// each model. Visibility and areas are not read.

#ifndef EDICTD_BSP_IBSP_H
#define EDICTD_BSP_IBSP_H

#include "bsp/bsp_local.h"
#include "collide/cmap.h"

/// Contents of a brush in the files. Both families use these numbers, except those with the name of
/// one game.
#define IBSP_SOLID       0x1u
#define IBSP_Q2_WINDOW   0x2u // stops everything, as solid does
#define IBSP_LAVA        0x8u
#define IBSP_SLIME       0x10u
#define IBSP_WATER       0x20u
#define IBSP_PLAYERCLIP  0x10000u
#define IBSP_MONSTERCLIP 0x20000u
#define IBSP_Q2_CURRENT  0x40000u    // along +x, and five more: +y, -x, -y, up, down
#define IBSP_LADDER      0x20000000u // Quake II; in Quake III a surface flag

/// Surface flags of both families.
#define IBSP_SURFACE_SKY    0x4u
#define IBSP_SURFACE_NODRAW 0x80u

/// A map being read.
typedef struct {
    const bsp_file_t *file;
    int32_t planes_lump, brushes_lump, sides_lump;
    int32_t models_lump;
    int32_t surfaces_lump; ///< flags and names of surfaces, which sides refer to
    int32_t at_surface_name, at_surface_flags;
    brush_plane_t *planes; ///< of the file
    int32_t num_planes, num_models;
    brushes_t brushes;  ///< the result
    bspx_list_t *lists; ///< of each model
} ibsp_t;

/// Reads the planes and counts the models. The lumps' numbers and the file must be set. False sets
/// the file's error. Call Ibsp_Close in either case.
bool Ibsp_Open(ibsp_t *ibsp);

/// Frees the temporary arrays.
void Ibsp_Close(ibsp_t *ibsp);

/// Adds the cost of reading a record. Returns false with an error beyond MAX_BRUSH_WORK, because
/// many records may refer to the same others.
bool Ibsp_Work(ibsp_t *ibsp, int32_t lump, int32_t number, int32_t work);

/// Adds a brush of the file if this engine uses one of its contents (IBSP_* flags).
bool Ibsp_AddBrush(ibsp_t *ibsp, int32_t number, uint32_t flags);

/// Finishes a model's list, which starts at brush `first`: builds its tree.
bool Ibsp_EndModel(ibsp_t *ibsp, int32_t model, int32_t first);

/// Fills the map: bounds of models, brushes, entities.
bool Ibsp_Finish(ibsp_t *ibsp, cmap_t *map);

/// Clears one of the flags and returns its contents_t, or CONTENTS_EMPTY if no flag is known.
contents_t Ibsp_TakeContents(uint32_t *flags, bsp_family_t family);

#endif
