/// bsp/ibsp.h - what the loaders of Quake II's and Quake III's maps share: planes and brushes.
/// Inside of bsp/ only.
//
// Floor:   bsp.
// Units:   qu.
// Memory:  temporary arrays of its own, freed by Ibsp_Close; the answer goes into the map.
// Errors:  "file: lump: reason"; every offset, count, index and number is checked.
// Source:  the layouts as the visible maps have them.
//
// Both families have brushes with all their planes in lumps of their own, so there are no hulls:
// cmap_t.brushes_only is set, and points, too, ask the brushes. Nodes are walked for Quake II only,
// to learn which brushes belong to which model. Visibility and areas are not read.

#ifndef EDICTD_BSP_IBSP_H
#define EDICTD_BSP_IBSP_H

#include "bsp/bsp_local.h"

/// Contents of a brush as the files have them; the numbers are those of both families, but for
/// those with a game's name.
#define IBSP_SOLID       0x1u
#define IBSP_Q2_WINDOW   0x2u // stops all that moves, as solid does
#define IBSP_LAVA        0x8u
#define IBSP_SLIME       0x10u
#define IBSP_WATER       0x20u
#define IBSP_PLAYERCLIP  0x10000u
#define IBSP_MONSTERCLIP 0x20000u
#define IBSP_Q2_CURRENT  0x40000u    // along +x, and five more: +y, -x, -y, up, down
#define IBSP_LADDER      0x20000000u // Quake II; Quake III has it among its flags of surfaces

/// Flags of surfaces, the same in both families.
#define IBSP_SURFACE_SKY    0x4u
#define IBSP_SURFACE_NODRAW 0x80u

/// A map being read.
typedef struct {
    const bsp_file_t *file;
    int32_t planes_lump, brushes_lump, sides_lump;
    int32_t models_lump;
    int32_t surfaces_lump; ///< what sides name: flags and names of surfaces
    int32_t at_surface_name, at_surface_flags;
    brush_plane_t *planes; ///< all of the file's
    int32_t num_planes, num_models;
    brushes_t brushes;  ///< what is made
    bspx_list_t *lists; ///< one for each model
} ibsp_t;

/// Reads the planes and counts the models. The lumps' numbers and the file must be set. False with
/// the reason in the file's error; Ibsp_Close is due in any case.
bool Ibsp_Open(ibsp_t *ibsp);

/// Frees what was made for reading.
void Ibsp_Close(ibsp_t *ibsp);

/// Counts what is done for a record of a lump. False, with the reason, when that is more than a map
/// may cost (MAX_BRUSH_WORK): records may name the same others again and again.
bool Ibsp_Work(ibsp_t *ibsp, int32_t lump, int32_t number, int32_t work);

/// Adds one of the file's brushes, if anything of its contents (IBSP_* flags) is known here.
bool Ibsp_AddBrush(ibsp_t *ibsp, int32_t number, uint32_t flags);

/// Closes a model's list, which begins at brush `first`: makes its tree.
bool Ibsp_EndModel(ibsp_t *ibsp, int32_t model, int32_t first);

/// Makes the map of what was read: bounds of models, brushes, entities.
bool Ibsp_Finish(ibsp_t *ibsp, cmap_t *map);

/// The first of contents_t that the flags name, taken out of them; CONTENTS_EMPTY: none is left.
contents_t Ibsp_TakeContents(uint32_t *flags, bsp_family_t family);

#endif
