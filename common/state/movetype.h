/// state/movetype.h - how an edict moves, and what it is to others' traces.
//
// Floor:   state.

#ifndef EDICTD_STATE_MOVETYPE_H
#define EDICTD_STATE_MOVETYPE_H

/// Only the movetypes that server/physics has a routine for are here; anything else in an edict is
/// quarantined.
typedef enum {
    MOVETYPE_NONE,          ///< thinks, never moves
    MOVETYPE_NOCLIP,        ///< moves through everything
    MOVETYPE_WALK,          ///< a player, moved by usercmds
    MOVETYPE_TOSS,          ///< gravity, comes to rest on floors
    MOVETYPE_BOUNCE,        ///< gravity, bounces
    MOVETYPE_FLY,           ///< no gravity
    MOVETYPE_FLYMISSILE,    ///< no gravity, a bigger box against monsters and players
    MOVETYPE_BOUNCEMISSILE, ///< no gravity, bounces without loss
    MOVETYPE_STEP,          ///< monsters and crates: gravity, friction, water; walks by SV_MoveStep
    MOVETYPE_PUSH,          ///< a pusher: its motion record says where it is; pushes and carries
    MOVETYPE_FOLLOW,        ///< is where its leader is
    MOVETYPE_COUNT
} movetype_t;

typedef enum {
    SOLID_NOT,      ///< neither stops nor touches
    SOLID_TRIGGER,  ///< is told when something touches it, stops nothing
    SOLID_BBOX,     ///< its box stops others and touches
    SOLID_SLIDEBOX, ///< as BBOX, but others slide along it (players)
    SOLID_BSP,      ///< its brush model stops others
    SOLID_COUNT
} solid_t;

#endif
