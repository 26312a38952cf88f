/// mapc/miptex.h - writes the lump of textures.

#ifndef EDICTD_MAPC_MIPTEX_H
#define EDICTD_MAPC_MIPTEX_H

#include "mapc/bytes.h"
#include "mapc/texinfo.h"

/// Writes all textures of a map. A texture that no WAD file has becomes a plain colour, which
/// depends only on its name. Half-Life maps get a palette with each texture.
void MC_PutTextures(mc_bytes_t *bytes, const mc_texinfos_t *texinfos);

#endif
