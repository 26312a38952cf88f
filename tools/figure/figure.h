/// figure/figure.h - our player model: a figure of boxes that stands, runs, crouches and dies.
//
// Floor:   tool.
// Units:   qu; the model's origin is that of a player: his feet are at z -24. He faces +x.

#ifndef EDICTD_TOOLS_FIGURE_H
#define EDICTD_TOOLS_FIGURE_H

#include "model/model.h"

/// Numbers of the animations, in the order of the file: server/game knows them, too.
typedef enum { FIGURE_STAND, FIGURE_RUN, FIGURE_CROUCH, FIGURE_DIE, FIGURE_ANIMATIONS } figure_do_t;

/// The model as an .emesh file: malloc'ed bytes. NULL: no memory.
uint8_t *Figure_Bytes(size_t *size);

#endif
