/// mapc/miptex.h - writes the lump of textures.

#ifndef EDICTD_MAPC_MIPTEX_H
#define EDICTD_MAPC_MIPTEX_H

#include "mapc/bytes.h"
#include "mapc/texinfo.h"
#include "mapc/wads.h"

/// Adds the other frames of animated textures ("+0name"): those in WAD files, and those without
/// which engines refuse the map.
void MC_AddFrames(mc_texinfos_t *texinfos, const mc_wads_t *wads);

/// Writes all textures of a map. A texture that no WAD file has becomes a plain colour, which
/// depends only on its name; if there are WAD files, that is a warning. Half-Life maps get a
/// palette with each texture.
void MC_PutTextures(mc_bytes_t *bytes, const mc_texinfos_t *texinfos, const mc_wads_t *wads);

#endif
