/// state/movetype.h - how edicts move, and how they stop others.

#ifndef EDICTD_STATE_MOVETYPE_H
#define EDICTD_STATE_MOVETYPE_H

/// An edict's movetype selects its routine in server/physics. Any other number is quarantined.
typedef enum {
    MOVETYPE_NONE,          ///< thinks, but never moves
    MOVETYPE_NOCLIP,        ///< moves through everything
    MOVETYPE_WALK,          ///< a player, moved by usercmds
    MOVETYPE_TOSS,          ///< falls and comes to rest on floors
    MOVETYPE_BOUNCE,        ///< gravity, bounces
    MOVETYPE_FLY,           ///< no gravity
    MOVETYPE_FLYMISSILE,    ///< no gravity; a larger box against monsters and players
    MOVETYPE_BOUNCEMISSILE, ///< no gravity, bounces without loss
    MOVETYPE_STEP,          ///< monsters and crates: gravity, friction, water; walks by SV_MoveStep
    MOVETYPE_PUSH,          ///< a pusher: follows its motion record, pushes and carries
    MOVETYPE_FOLLOW,        ///< copies the position of its leader
    MOVETYPE_COUNT
} movetype_t;

typedef enum {
    SOLID_NOT,      ///< stops nothing and touches nothing
    SOLID_TRIGGER,  ///< stops nothing; its touch callback runs
    SOLID_BBOX,     ///< its box stops others, and touch callbacks run
    SOLID_SLIDEBOX, ///< like SOLID_BBOX, but others slide along it (players)
    SOLID_BSP,      ///< its brush model stops others
    SOLID_COUNT
} solid_t;

#endif
