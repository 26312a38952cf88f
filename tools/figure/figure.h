/// figure/figure.h - makes the game's models from boxes: a player and a dog.
//
// Units:   qu. The feet are at z -24. The models face +x.

#ifndef EDICTD_TOOLS_FIGURE_H
#define EDICTD_TOOLS_FIGURE_H

#include "model/model.h"

/// Animation numbers, in the order of the file.
typedef enum { FIGURE_STAND, FIGURE_RUN, FIGURE_CROUCH, FIGURE_DIE, FIGURE_ANIMATIONS } figure_do_t;

/// Return the player and the dog as .emesh files. The caller frees the bytes. NULL = out of memory.
uint8_t *Figure_Bytes(size_t *size);
uint8_t *Figure_DogBytes(size_t *size);

#endif
