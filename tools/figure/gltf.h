/// figure/gltf.h - a model as glTF 2.0 text, as a modeller would make it.
//
// Floor:   tool.
// Units:   the file counts metres of 32 qu with y up, as glTF does.

#ifndef EDICTD_TOOLS_FIGURE_GLTF_H
#define EDICTD_TOOLS_FIGURE_GLTF_H

#include "model/model.h"

/// One file of text with its numbers inside: bones as joints of a skin that has a box for each
/// hitbox, hitboxes as nodes "hit_GROUP.BONE", animations with their keys ("NAME_once" those that
/// do not loop). Controllers have no place in glTF. Names are letters, digits, blanks and _ only.
/// Malloc'ed, NUL behind it; NULL: no memory.
char *Gltf_OfModel(const model_t *model, size_t *size);

#endif
