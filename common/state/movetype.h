/// state/movetype.h - how edicts move and stop others.

#ifndef EDICTD_STATE_MOVETYPE_H
#define EDICTD_STATE_MOVETYPE_H

#include "base/types.h"

/// Selects an edict's routine in server/physics. Other numbers are quarantined. Usercmds move a
/// client's edict (common/move).
typedef enum {
    MOVETYPE_NONE,          ///< thinks, but never moves
    MOVETYPE_NOCLIP,        ///< moves through everything
    MOVETYPE_WALK,          ///< a player, moved by usercmds
    MOVETYPE_TOSS,          ///< falls, rests on floors
    MOVETYPE_BOUNCE,        ///< gravity, bounces
    MOVETYPE_FLY,           ///< no gravity
    MOVETYPE_FLYMISSILE,    ///< no gravity; larger box against monsters and players
    MOVETYPE_BOUNCEMISSILE, ///< no gravity, bounces without loss
    MOVETYPE_STEP,          ///< monsters, crates: gravity, friction, water, SV_MoveStep
    MOVETYPE_PUSH,          ///< a pusher: follows a motion record, pushes, carries
    MOVETYPE_FOLLOW,        ///< copies a leader's position
    MOVETYPE_COUNT
} movetype_t;

/// Returns true if a client's edict may have this movetype.
static inline bool MoveType_FitsClient(int32_t movetype) {
    return movetype == MOVETYPE_NONE || movetype == MOVETYPE_NOCLIP || movetype == MOVETYPE_WALK ||
           movetype == MOVETYPE_TOSS || movetype == MOVETYPE_FLY || movetype == MOVETYPE_FOLLOW;
}

/// Returns true if pushers carry and push such edicts. A client whose movetype
/// returns false also touches no triggers.
static inline bool MoveType_IsPushed(int32_t movetype) {
    return movetype != MOVETYPE_NONE && movetype != MOVETYPE_NOCLIP && movetype != MOVETYPE_PUSH &&
           movetype != MOVETYPE_FOLLOW;
}

typedef enum {
    SOLID_NOT,      ///< stops and touches nothing
    SOLID_TRIGGER,  ///< stops nothing; calls touch
    SOLID_BBOX,     ///< its box stops others; calls touch
    SOLID_SLIDEBOX, ///< like SOLID_BBOX, but others slide along (players)
    SOLID_BSP,      ///< its brush model stops others
    SOLID_COUNT
} solid_t;

#endif
