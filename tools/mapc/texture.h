/// mapc/texture.h - finds the contents of a brush (solid, water, ...) by a texture name.
//
// The names are listed in texture.c and docs/maps.md.

#ifndef EDICTD_MAPC_TEXTURE_H
#define EDICTD_MAPC_TEXTURE_H

#include "base/types.h"
#include "state/contents.h"

/// Returns the contents of a texture name. Ignores case. A hint texture gives CONTENTS_EMPTY.
/// `halflife`: also accepts Half-Life's names, such as "!water".
contents_t MC_TextureContents(const char *name, bool halflife);

/// Returns the rank of contents. Where brushes overlap, the higher rank wins.
int32_t MC_ContentsRank(contents_t contents);

#endif
