/// state/usercmd.h - one command of a player: its input during `msec` ms.
//
// Floor:   state. Written by the client, queued and run by the server, predicted by the client.
// Units:   as on the wire, so that client and server compute with equal numbers.
// Memory:  plain data without padding.

#ifndef EDICTD_STATE_USERCMD_H
#define EDICTD_STATE_USERCMD_H

#include "base/types.h"

#define BUTTON_ATTACK 1u
#define BUTTON_JUMP   2u
#define BUTTON_USE    4u
#define BUTTON_DUCK   8u

#define MAX_WISH_SPEED 8191 // maximum of |forward|, |side| and |up|, qu/s

/// View and movement apply to all of `msec`. A command for tick T runs in tick T or later.
typedef struct {
    int64_t tick;       ///< server tick in which the command should run
    int64_t view_tick;  ///< tick that the client showed to the player
    uint16_t view_frac; ///< fraction of the next tick that was shown, in 1/65536
    uint8_t msec;       ///< 1..MAX_CMD_MSEC
    uint8_t buttons;    ///< BUTTON_*
    uint16_t pitch;     ///< in AngleToShort's units; roll is always 0
    uint16_t yaw;
    int16_t forward; ///< wished speed along the view, qu/s, +-MAX_WISH_SPEED
    int16_t side;    ///< to the right
    int16_t up;
    uint8_t impulse; ///< a number for the game; 0 = none
    uint8_t zero;    ///< always 0, instead of padding
} usercmd_t;

static_assert(sizeof(usercmd_t) == 32, "usercmd_t must have no padding");

#endif
