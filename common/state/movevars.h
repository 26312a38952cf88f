/// state/movevars.h - the movement cvars, which clients receive for prediction.
//
// Units:   qu, qu/s, qu/s^2, ms.

#ifndef EDICTD_STATE_MOVEVARS_H
#define EDICTD_STATE_MOVEVARS_H

#include "base/types.h"

/// The movement cvars: X(type, name, default, min, max, unit, help). Generates struct, cvars and
/// wire format. Defaults: the `quake` profile.
#define MOVEVARS(X)                                                                                \
    MOVEVARS_SPEEDS(X)                                                                             \
    MOVEVARS_RULES(X)                                                                              \
    MOVEVARS_BODY(X)                                                                               \
    MOVEVARS_SERVER(X)

#define MOVEVARS_SPEEDS(X)                                                                         \
    X(float, sv_gravity, 800, 0.0f, 8000.0f, "qu/s2", "downward acceleration")                     \
    X(float, sv_stopspeed, 100, 0.0f, 1000.0f, "qu/s",                                             \
      "friction brakes slower players as at this speed")                                           \
    X(float, sv_maxspeed, 320, 0.0f, 8000.0f, "qu/s", "maximum speed that input can request")      \
    X(float, sv_spectatormaxspeed, 500, 0.0f, 8000.0f, "qu/s",                                     \
      "sv_maxspeed for spectators, noclip")                                                        \
    X(float, sv_accelerate, 10, 0.0f, 1000.0f, "1/s", "ground acceleration")                       \
    X(float, sv_airaccelerate, 10, 0.0f, 1000.0f, "1/s", "air acceleration")                       \
    X(float, sv_wateraccelerate, 10, 0.0f, 1000.0f, "1/s", "swimming acceleration")                \
    X(float, sv_airspeedcap, 30, 0.0f, 8000.0f, "qu/s", "maximum wished speed in the air")         \
    X(float, sv_friction, 4, 0.0f, 100.0f, "1/s", "ground friction")                               \
    X(float, sv_waterfriction, 4, 0.0f, 100.0f, "1/s", "friction in water")                        \
    X(float, sv_edgefriction, 2, 1.0f, 10.0f, "", "friction factor at the edge of a drop")         \
    X(float, sv_jumpspeed, 270, 0.0f, 4000.0f, "qu/s", "upward speed of a jump")                   \
    X(float, sv_stepsize, 18, 0.0f, 256.0f, "qu", "maximum height of a climbed step")              \
    X(float, sv_maxvelocity, 2000, 100.0f, 10000.0f, "qu/s", "maximum speed along each axis")      \
    X(float, sv_climbspeed, 200, 0.0f, 4000.0f, "qu/s", "speed on ladders")                        \
    X(float, sv_swimscale, 0.7, 0.0f, 1.0f, "",                                                    \
      "swimming speed as a fraction of the wished speed")                                          \
    X(float, sv_currentspeed, 50, 0.0f, 4000.0f, "qu/s",                                           \
      "speed of flowing water in a waterlevel of 1; times 2 or 3 in deeper water")                 \
    X(float, sv_duckscale, 0.333, 0.0f, 1.0f, "",                                                  \
      "ducked speed as a fraction of the wished speed")                                            \
    X(float, sv_bunnycap, 0, 0.0f, 100.0f, "", "maximum speed of a jump / sv_maxspeed; 0 = none")

// Rules of movement, combined by profiles (common/move/profiles.c).
#define MOVEVARS_RULES(X)                                                                          \
    X(float, sv_overclip, 1, 1.0f, 1.1f, "",                                                       \
      "factor by which a slide removes velocity into a plane")                                     \
    X(float, sv_stopepsilon, 0.1, 0.0f, 10.0f, "qu/s",                                             \
      "slower velocity components become 0 after a bump")                                          \
    X(float, sv_groundprobe, 1, 0.01f, 16.0f, "qu",                                                \
      "maximum distance of the ground below a player")                                             \
    X(int32_t, sv_gravitymode, 0, 0, 1, "",                                                        \
      "adds gravity: 0 = before a move, 1 = half before, half after")                              \
    X(int32_t, sv_airmode, 0, 0, 1, "",                                                            \
      "speed limit in the air: 0 = sv_airspeedcap, 1 = sv_maxspeed")                               \
    X(int32_t, sv_frictionmode, 0, 0, 2, "",                                                       \
      "in water: 0 = water friction, 1 = water and ground friction, 2 = ground friction")          \
    X(int32_t, sv_jumpmode, 0, 0, 2, "",                                                           \
      "jump: 0 = adds sv_jumpspeed, 1 = the same, but at least sv_jumpspeed, 2 = sets it")         \
    X(int32_t, sv_waterjumpmode, 0, 0, 2, "",                                                      \
      "jumps out of water: 0 = as in QuakeWorld, 1 = Quake II, 2 = Half-Life")                     \
    X(int32_t, sv_duckmode, 0, 0, 2, "", "ducking: 0 = none, 1 = at once, 2 = within 0.4 s")       \
    X(int32_t, sv_laddermode, 1, 0, 2, "",                                                         \
      "climbing: 0 = none, 1 = along the view, 2 = by the pitch of the view")                      \
    X(int32_t, sv_slidemode, 0, 0, 1, "",                                                          \
      "slides clip: 0 = the velocity before the slide, 1 = the current velocity (article 000)")    \
    X(int32_t, sv_movemode, 0, 0, 2, "",                                                           \
      "walking and falling: 0 = slides and steps, 1 = sweep mover, 2 = drop mover")                \
    X(int32_t, sv_spectatorclip, 0, 0, 1, "", "1 = walls stop spectators")

// Heights of the player's box, relative to the origin. A player is 32 qu wide.
#define MOVEVARS_BODY(X)                                                                           \
    X(float, sv_standmins, -24, -128.0f, 0.0f, "qu", "standing player: feet above origin")         \
    X(float, sv_standmaxs, 32, 1.0f, 128.0f, "qu", "standing player: top above origin")            \
    X(float, sv_standview, 22, -128.0f, 128.0f, "qu", "standing player: eyes above origin")        \
    X(float, sv_duckmins, -24, -128.0f, 0.0f, "qu", "ducked player: feet above origin")            \
    X(float, sv_duckmaxs, 4, 1.0f, 128.0f, "qu", "ducked player: top above origin")                \
    X(float, sv_duckview, -2, -128.0f, 128.0f, "qu", "ducked player: eyes above origin")

#define MOVEVARS_SERVER(X)                                                                         \
    X(int32_t, sv_solids, 0, 0, 2, "",                                                             \
      "boxes collide with: 0 = hulls where one fits, else brushes; 1 = hulls; 2 = brushes")        \
    X(int32_t, sv_tossrules, 0, 0, 1, "", "tossed edicts: 0 = Quake's rules, 1 = Half-Life's")     \
    X(int32_t, sv_pushermomentum, 1, 0, 1, "",                                                     \
      "1 = a player that leaves a pusher keeps the pusher's velocity")                             \
    X(int32_t, pm_step_ms, 8, 0, 100, "ms",                                                        \
      "length of a player sub-step; 0 = a command is one step")

/// All movement cvars; see MOVEVARS.
typedef struct {
#define MOVEVAR_FIELD(type, name, def, min, max, unit, help) type name;
    MOVEVARS(MOVEVAR_FIELD)
#undef MOVEVAR_FIELD
} movevars_t;

/// Returns the `quake` profile.
static inline movevars_t MoveVars_Default(void) {
#define MOVEVAR_DEFAULT(type, name, def, min, max, unit, help) vars.name = (type)(def);
    movevars_t vars;
    MOVEVARS(MOVEVAR_DEFAULT)
    return vars;
#undef MOVEVAR_DEFAULT
}

#endif
