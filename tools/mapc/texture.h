/// mapc/texture.h - what a texture's name says about the brush that wears it.
//
// Floor:   tool.
// The table of names is in texture.c and, for people, in README.md.

#ifndef EDICTD_MAPC_TEXTURE_H
#define EDICTD_MAPC_TEXTURE_H

#include "base/types.h"
#include "state/contents.h"

/// The contents that a texture name stands for; case does not matter. CONTENTS_EMPTY: the brush
/// only shapes the tree of other compilers (hint). CONTENTS_ORIGIN: it marks its entity's origin.
/// `halflife` adds Half-Life's names (liquids that begin with '!').
contents_t MC_TextureContents(const char *name, bool halflife);

/// How strongly contents claim a place that several brushes share: the higher rank has it. 0 for
/// contents that claim none.
int32_t MC_ContentsRank(contents_t contents);

#endif
