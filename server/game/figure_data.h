/// game/figure_data.h - the player model: what he is hit by, and what he does.
//
// Floor:   game. The bytes are made by tools/figure; tests/unit/tools/figure sees that they still are.

#ifndef EDICTD_GAME_FIGURE_DATA_H
#define EDICTD_GAME_FIGURE_DATA_H

#include <stddef.h>
#include <stdint.h>

/// An .emesh file.
enum { GAME_FIGURE_BYTES = 12768 };
extern const uint32_t game_figure[(GAME_FIGURE_BYTES + 3) / 4];

/// Its number in the game's table of models, counted from 1.
#define FIGURE_MODEL 1

/// Its animations.
enum { FIGURE_DO_STAND, FIGURE_DO_RUN, FIGURE_DO_CROUCH, FIGURE_DO_DIE };

#endif
