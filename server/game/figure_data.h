/// game/figure_data.h - the player and the dog: what they are hit by, and what they do.
//
// Floor:   game. The bytes are made by tools/figure; tests/unit/tools/figure sees that they still are.

#ifndef EDICTD_GAME_FIGURE_DATA_H
#define EDICTD_GAME_FIGURE_DATA_H

#include <stddef.h>
#include <stdint.h>

/// .emesh files.
enum { GAME_FIGURE_BYTES = 12832, GAME_DOG_BYTES = 7648 };
extern const uint32_t game_figure[(GAME_FIGURE_BYTES + 3) / 4];
extern const uint32_t game_dog[(GAME_DOG_BYTES + 3) / 4];

/// Their numbers in the game's table of models, counted from 1.
#define FIGURE_MODEL 1
#define DOG_MODEL    2

/// What a player does: his animations. Monsters' are found by name.
enum { FIGURE_DO_STAND, FIGURE_DO_RUN, FIGURE_DO_CROUCH, FIGURE_DO_DIE };

#endif
