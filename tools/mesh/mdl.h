/// mesh/mdl.h - reads studio models of Half-Life (.mdl, "IDST", version 10).
//
// Memory:  ME_ReadMdl allocates the keys of the rig; ME_FreeRig frees them.
// Errors:  "file: byte N: object: expected, found".
// Repeat:  the same bytes and options give the same rig.
//
//   bones        As in the file. A controller that turns about the y or z axis, or moves a bone,
//                acts before the bone's own rotation: an extra bone BONE.z or BONE.y carries it.
//   controllers  The first four for games, in the order of their numbers: BONE.turn_x, ...
//   hitboxes     With their groups. Groups of mods (8 and up) become "generic".
//   animations   One for each blend of a sequence: walk, walk.2, ... A game plays two of them at
//                once and sets the weight of the second (edict->anim_blend).

#ifndef EDICTD_TOOLS_MESH_MDL_H
#define EDICTD_TOOLS_MESH_MDL_H

#include "mesh/rig.h"

/// The content of a file. `name`: prefix of the errors.
typedef struct {
    const char *name;
    const uint8_t *bytes;
    size_t size;
} me_source_t;

/// Reads a model. `root`: transform from the file's space to model space.
bool ME_ReadMdl(me_rig_t *rig, const me_source_t *source, const similar_t *root,
                const me_rig_options_t *options, err_t *err);

#endif
