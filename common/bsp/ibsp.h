/// bsp/ibsp.h - reads planes and brushes of Quake II's and III's maps. Private to bsp/.
//
// Memory:  Ibsp_Close frees the temporary arrays; the map's arena owns the result.
// Errors:  "file: lump: reason".
// Source:  the layouts found in the maps of the test data.
//
// Both families store brushes with all planes, and no hulls. So boxes and points query the brushes.
// The nodes give the brushes of each model in Quake II, and the cluster of a point. Areas are not
// read.

#ifndef EDICTD_BSP_IBSP_H
#define EDICTD_BSP_IBSP_H

#include "bsp/bsp_local.h"
#include "collide/cmap.h"

/// Contents flags of brushes, for both families unless a name or comment says otherwise.
#define IBSP_SOLID          0x1u
#define IBSP_Q2_WINDOW      0x2u // stops everything, like solid
#define IBSP_LAVA           0x8u
#define IBSP_SLIME          0x10u
#define IBSP_WATER          0x20u
#define IBSP_PLAYERCLIP     0x10000u
#define IBSP_MONSTERCLIP    0x20000u
#define IBSP_Q2_CURRENT     0x40000u    // along +x; the next five bits: +y, -x, -y, up, down
#define IBSP_LADDER         0x20000000u // Quake II; in Quake III a surface flag
#define IBSP_SEE_THROUGH    0x10000000u // Quake II; in Quake III IBSP_Q3_SEE_THROUGH
#define IBSP_Q3_SEE_THROUGH 0x20000000u

/// Surface flags, equal in both families.
#define IBSP_SURFACE_SKY    0x4u
#define IBSP_SURFACE_NODRAW 0x80u

typedef struct {
    const bsp_file_t *file;
    int32_t planes_lump, brushes_lump, sides_lump;
    int32_t models_lump;
    int32_t surfaces_lump; ///< flags and names of surfaces
    int32_t at_surface_name, at_surface_flags;
    brush_plane_t *planes; ///< all planes of the file
    int32_t num_planes, num_models;
    brushes_t brushes;  ///< the resulting brushes
    bspx_list_t *lists; ///< brush list of each model
} ibsp_t;

/// Reads the planes and counts the models. Set the file and lump numbers before. Always call
/// Ibsp_Close afterwards.
bool Ibsp_Open(ibsp_t *ibsp);

void Ibsp_Close(ibsp_t *ibsp);

/// Marks the solid brushes from number `first` on as glass or grates.
void Ibsp_MarkSeeThrough(ibsp_t *ibsp, int32_t first);

/// Adds `work` to the work of the map. If the sum exceeds MAX_BRUSH_WORK, sets an error that names
/// record `number` of the lump, and returns false.
bool Ibsp_Work(ibsp_t *ibsp, int32_t lump, int32_t number, int32_t work);

/// Adds a brush of the file. Skips it if none of the contents `flags` is used.
bool Ibsp_AddBrush(ibsp_t *ibsp, int32_t number, uint32_t flags);

/// Finishes the brush list of a model and builds its tree. `first`: first brush of the list.
bool Ibsp_EndModel(ibsp_t *ibsp, int32_t model, int32_t first);

/// Writes brushes, entities, models and visibility to the map.
bool Ibsp_Finish(ibsp_t *ibsp, cmap_t *map);

/// Sets the sizes of the visibility and its tree. If the map has none, they stay 0. If a number
/// lies, adds a remark.
void Ibsp_SizeVis(const ibsp_t *ibsp, map_sizes_t *sizes);

/// Fills the visibility and its tree. If it lies, adds a remark, and the map has no visibility.
void Ibsp_ReadVis(const ibsp_t *ibsp, const map_sizes_t *sizes, cmap_t *map);

/// Returns the contents_t of the most important flag, or CONTENTS_EMPTY. Clears that flag and
/// flags without effect beside it.
contents_t Ibsp_TakeContents(uint32_t *flags, bsp_family_t family);

#endif
