/// ops/fgd.h - the entities of a game for a map editor: an FGD file (TrenchBroom and others read it)
/// made from the game's own tables, so that it never differs from what the game does.
//
// Floor:   ops.

#ifndef EDICTD_OPS_FGD_H
#define EDICTD_OPS_FGD_H

#include "core/game_api.h"

#include <stdio.h>

/// Writes the definitions of a checked game.
void Fgd_Write(FILE *out, const game_export_t *game);

#endif
