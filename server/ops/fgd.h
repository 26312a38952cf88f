/// ops/fgd.h - writes the entity definitions of a game for map editors such as TrenchBroom, as an
/// FGD file. The definitions come from the game's own tables, so they always match the game.

#ifndef EDICTD_OPS_FGD_H
#define EDICTD_OPS_FGD_H

#include "core/game_api.h"

#include <stdio.h>

/// Writes the definitions of a game that SV_CheckGame accepted.
void Fgd_Write(FILE *out, const game_export_t *game);

#endif
