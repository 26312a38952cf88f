/// edict/model.h - models with bones: read an .emesh file, evaluate poses, place hitboxes.
//
// Link with the flags of `pkg-config edict_client`.

#ifndef EDICT_MODEL_H
#define EDICT_MODEL_H

#include "model/emesh.h"
#include "model/hitbox.h"
#include "model/model.h"
#include "model/pose.h"

#endif
