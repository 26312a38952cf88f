/// ops/fgd.h - writes the entity classes of a game as an FGD file for map editors.

#ifndef EDICTD_OPS_FGD_H
#define EDICTD_OPS_FGD_H

#include "core/game_api.h"

#include <stdio.h>

/// Writes the FGD file of a game. The game must have passed SV_CheckGame.
void Fgd_Write(FILE *out, const game_export_t *game);

#endif
