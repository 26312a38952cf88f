/// state/movetype.h - how edicts move and stop others.

#ifndef EDICTD_STATE_MOVETYPE_H
#define EDICTD_STATE_MOVETYPE_H

/// Selects an edict's routine in server/physics. Other numbers are quarantined.
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

typedef enum {
    SOLID_NOT,      ///< stops and touches nothing
    SOLID_TRIGGER,  ///< stops nothing; calls touch
    SOLID_BBOX,     ///< its box stops others; calls touch
    SOLID_SLIDEBOX, ///< like SOLID_BBOX, but others slide along (players)
    SOLID_BSP,      ///< its brush model stops others
    SOLID_COUNT
} solid_t;

#endif
