/// ops/fgd.h - writes an FGD file: the entity classes of a game, for map editors such as
/// TrenchBroom.

#ifndef EDICTD_OPS_FGD_H
#define EDICTD_OPS_FGD_H

#include "core/game_api.h"

#include <stdio.h>

/// Writes the FGD file of a game. The game must have passed SV_CheckGame.
void Fgd_Write(FILE *out, const game_export_t *game);

#endif
