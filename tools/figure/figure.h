/// figure/figure.h - the game's models of boxes: a player and a dog.
//
// Units:   qu. The origin is that of a player or monster: the feet are at z -24. Both face +x.

#ifndef EDICTD_TOOLS_FIGURE_H
#define EDICTD_TOOLS_FIGURE_H

#include "model/model.h"

/// Animation numbers, in the order of the file. server/game uses them, too.
typedef enum { FIGURE_STAND, FIGURE_RUN, FIGURE_CROUCH, FIGURE_DIE, FIGURE_ANIMATIONS } figure_do_t;

/// Returns a model as an .emesh file, freed by the caller; NULL if memory runs out.
uint8_t *Figure_Bytes(size_t *size);
uint8_t *Figure_DogBytes(size_t *size);

#endif
