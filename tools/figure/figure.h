/// figure/figure.h - our models of boxes: a player who stands, runs, crouches and dies, and a dog,
/// which stands, walks, attacks and dies.
//
// Floor:   tool.
// Units:   qu; a model's origin is that of a player or monster: the feet are at z -24. Both face +x.

#ifndef EDICTD_TOOLS_FIGURE_H
#define EDICTD_TOOLS_FIGURE_H

#include "model/model.h"

/// Numbers of the animations, in the order of the file: server/game knows them, too.
typedef enum { FIGURE_STAND, FIGURE_RUN, FIGURE_CROUCH, FIGURE_DIE, FIGURE_ANIMATIONS } figure_do_t;

/// A model as an .emesh file: malloc'ed bytes. NULL: no memory.
uint8_t *Figure_Bytes(size_t *size);
uint8_t *Figure_DogBytes(size_t *size);

#endif
