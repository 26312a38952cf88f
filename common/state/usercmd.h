/// state/usercmd.h - one command of a player: input for `msec` ms.
//
// Units:   as on the wire.
// Memory:  plain data without padding.

#ifndef EDICTD_STATE_USERCMD_H
#define EDICTD_STATE_USERCMD_H

#include "base/types.h"

#define BUTTON_ATTACK 1u
#define BUTTON_JUMP   2u
#define BUTTON_USE    4u
#define BUTTON_DUCK   8u

#define MAX_WISH_SPEED 8191 // maximum of |forward|, |side| and |up|, qu/s

/// One command. If `tick` has not begun, the command waits.
typedef struct {
    int64_t tick;       ///< server tick in which to run
    int64_t view_tick;  ///< tick shown to the player
    uint16_t view_frac; ///< fraction of the next tick, in 1/65536
    uint8_t msec;       ///< 1..MAX_CMD_MSEC
    uint8_t buttons;    ///< BUTTON_*
    uint16_t pitch;     ///< AngleToShort's units; roll is 0
    uint16_t yaw;
    int16_t forward; ///< wished speed, qu/s, +-MAX_WISH_SPEED
    int16_t side;    ///< to the right
    int16_t up;
    uint8_t impulse;   ///< a number for the game; 0 = none
    uint8_t view_span; ///< snapshots around the view: UserCmd_Span
} usercmd_t;

/// Returns a view_span. `age`, `gap`: ticks from the first snapshot to view_tick, and to the
/// second; 0 without a second.
static inline uint8_t UserCmd_Span(int64_t age, int64_t gap) {
    const bool is_valid = age >= 0 && age < 16 && gap >= 0 && gap < 16;
    return (uint8_t)(is_valid ? age | gap << 4 : 0);
}

static_assert(sizeof(usercmd_t) == 32, "usercmd_t must have no padding");

#endif
