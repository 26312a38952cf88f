/// mapc/texture.h - contents of brushes by texture name.
//
// The names are listed in texture.c and docs/maps.md.

#ifndef EDICTD_MAPC_TEXTURE_H
#define EDICTD_MAPC_TEXTURE_H

#include "base/types.h"
#include "state/contents.h"

/// Returns the contents of a texture name; case does not matter. CONTENTS_EMPTY: a hint brush,
/// which only shapes the tree of other compilers. CONTENTS_ORIGIN: marks its entity's origin.
/// `halflife` adds Half-Life's names (liquids that begin with '!').
contents_t MC_TextureContents(const char *name, bool halflife);

/// Returns the rank of contents: where brushes overlap, the higher rank wins. 0 for contents that
/// fill no space.
int32_t MC_ContentsRank(contents_t contents);

#endif
