/// state/usercmd.h - what a player did over a stretch of time.
//
// Floor:   state. Written by the client, queued and run by the server, predicted by the client.
// Units:   as on the wire, so that client and server run the very same numbers.
// Memory:  plain data without padding.

#ifndef EDICTD_STATE_USERCMD_H
#define EDICTD_STATE_USERCMD_H

#include "base/types.h"

#define BUTTON_ATTACK 1u
#define BUTTON_JUMP   2u
#define BUTTON_USE    4u
#define BUTTON_DUCK   8u

#define MAX_WISH_SPEED 8191 // qu/s; largest |forward|, |side|, |up|

/// View and movement hold for all of `msec`. A command of tick T may run in tick T or later.
typedef struct {
    int64_t tick;       ///< server tick it is meant for
    int64_t view_tick;  ///< newest snapshot tick the player saw ...
    uint16_t view_frac; ///< ... and how far towards the next, 1/65536
    uint8_t msec;       ///< 1..MAX_CMD_MSEC
    uint8_t buttons;    ///< BUTTON_*
    uint16_t pitch;     ///< AngleToShort; roll is always 0
    uint16_t yaw;
    int16_t forward; ///< wished speed along the view, qu/s, +-MAX_WISH_SPEED
    int16_t side;    ///< to the right
    int16_t up;
    uint8_t impulse; ///< a one-shot number for the game
    uint8_t zero;    ///< always 0: no padding
} usercmd_t;

_Static_assert(sizeof(usercmd_t) == 32, "no padding");

#endif
