/// game/figure_data.h - hitboxes and animations of the player and the dog.
//
// The tool edict-figure (tools/figure) writes the arrays during the build.

#ifndef EDICTD_GAME_FIGURE_DATA_H
#define EDICTD_GAME_FIGURE_DATA_H

#include <stddef.h>
#include <stdint.h>

/// Sizes of the arrays, which contain .emesh files and are aligned to 16 bytes.
enum { GAME_FIGURE_BYTES = 12832, GAME_DOG_BYTES = 7648 };
extern const uint32_t game_figure[(GAME_FIGURE_BYTES + 3) / 4];
extern const uint32_t game_dog[(GAME_DOG_BYTES + 3) / 4];

/// Numbers of the two models in the game's table of models, counted from 1.
#define FIGURE_MODEL 1
#define DOG_MODEL    2

/// Numbers of the animations of the player's model. Animations of monsters are found by name.
enum { FIGURE_DO_STAND, FIGURE_DO_RUN, FIGURE_DO_CROUCH, FIGURE_DO_DIE };

#endif
