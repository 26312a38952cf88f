/// mapc/texinfo.h - texture axes of brush sides, and the names of the textures in use.
//
// Units:   texels; texel = dot(axis, point) + offset.
// Memory:  from the pool passed to MC_InitTexinfos.
// Source:  the map formats of Quake (Standard) and Worldcraft (Valve 220).

#ifndef EDICTD_MAPC_TEXINFO_H
#define EDICTD_MAPC_TEXINFO_H

#include "mapc/mapfile.h"

#define MC_TEXTURE_NAME 16 // bytes of a texture's name in a compiled map, with its NUL

typedef struct {
    dvec_t axes[2];
    double offset[2];
    int32_t texture; ///< number in the list of names
    bool special;    ///< sky or a liquid: has no light map, and so no limit of its extent
} mc_texinfo_t;

typedef char mc_texture_name_t[MC_TEXTURE_NAME];

/// All texture axes and texture names of a map, without duplicates, in the order of first use.
typedef struct {
    mc_pool_t *pool;
    mc_report_t *report;
    bool halflife;
    mc_texinfo_t *infos;
    int32_t *next; ///< next entry of the same hash bucket; -1 = none
    mc_texture_name_t *names;
    size_t count, num_names, room, next_room, name_room;
    int32_t buckets[1024];
} mc_texinfos_t;

void MC_InitTexinfos(mc_texinfos_t *table, mc_pool_t *pool, mc_report_t *report, bool halflife);

/// Finds or adds the axes of a side. `normal`: of the side, outward. `origin`: of the model.
int32_t MC_FindTexinfo(mc_texinfos_t *table, const mc_face_t *side, dvec_t normal, dvec_t origin);

/// Finds or adds the special copy of an entry.
int32_t MC_SpecialTexinfo(mc_texinfos_t *table, int32_t number);

/// Returns the number of a texture's name, or adds it. The name becomes lower-case; names longer
/// than MC_TEXTURE_NAME - 1 are cut.
int32_t MC_FindTextureName(mc_texinfos_t *table, const char *name);

/// Returns false for textures of tools, such as skip and trigger: their sides have no faces.
bool MC_IsDrawn(const char *texture);

#endif
