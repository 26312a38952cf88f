/// mapc/texture.h - determines the contents of brushes from texture names.
//
// The names are listed in texture.c and docs/maps.md.

#ifndef EDICTD_MAPC_TEXTURE_H
#define EDICTD_MAPC_TEXTURE_H

#include "base/types.h"
#include "state/contents.h"

/// Returns the contents that a texture name stands for; case is ignored. CONTENTS_EMPTY: a hint
/// brush, which only shapes the tree of other compilers. CONTENTS_ORIGIN: a brush that marks its
/// entity's origin. `halflife`: also knows Half-Life's names (liquids that start with '!').
contents_t MC_TextureContents(const char *name, bool halflife);

/// Returns the rank of contents: where brushes overlap, the higher rank wins. Contents that fill no
/// space have rank 0.
int32_t MC_ContentsRank(contents_t contents);

#endif
