/// gltf_fixture.h - writes a model as glTF 2.0 text: examples/figure.gltf.
//
// Units:   the file uses metres of 32 qu with y up, as glTF requires.

#ifndef EDICTD_TESTS_GLTF_FIXTURE_H
#define EDICTD_TESTS_GLTF_FIXTURE_H

#include "model/model.h"

/// Returns a model as one glTF text with embedded data: bones as joints of a skin with a box per
/// hitbox, hitboxes as nodes "hit_GROUP.BONE", animations with their keys (NAME_once if they do not
/// loop). glTF has no controllers. Names are letters, digits, blanks and _ only. The caller frees
/// the text; NULL if memory runs out.
char *Gltf_OfModel(const model_t *model, size_t *size);

#endif
