/// state/movevars.h - the numbers and modes that pmove depends on. Sent to clients at join, so
/// that they predict with the server's own.
//
// Floor:   state.
// Units:   qu, qu/s, qu/s^2, ms.

#ifndef EDICTD_STATE_MOVEVARS_H
#define EDICTD_STATE_MOVEVARS_H

#include "base/types.h"

/// Every movevar: X(type, name, default, min, max, unit, help). One table for the struct, the
/// cvars, the wire and `cvarlist`; defaults are the `quake` profile (QuakeWorld's numbers).
#define MOVEVARS(X)                                                                                \
    MOVEVARS_SPEEDS(X)                                                                             \
    MOVEVARS_RULES(X)                                                                              \
    MOVEVARS_BODY(X)                                                                               \
    MOVEVARS_SERVER(X)

#define MOVEVARS_SPEEDS(X)                                                                         \
    X(float, sv_gravity, 800, 0.0f, 8000.0f, "qu/s2", "downward acceleration")                     \
    X(float, sv_stopspeed, 100, 0.0f, 1000.0f, "qu/s", "friction acts as if at least this fast")   \
    X(float, sv_maxspeed, 320, 0.0f, 8000.0f, "qu/s", "highest wished speed")                      \
    X(float, sv_spectatormaxspeed, 500, 0.0f, 8000.0f, "qu/s", "the same for spectators")          \
    X(float, sv_accelerate, 10, 0.0f, 1000.0f, "1/s", "ground acceleration")                       \
    X(float, sv_airaccelerate, 10, 0.0f, 1000.0f, "1/s", "air acceleration")                       \
    X(float, sv_wateraccelerate, 10, 0.0f, 1000.0f, "1/s", "swimming acceleration")                \
    X(float, sv_airspeedcap, 30, 0.0f, 8000.0f, "qu/s", "wished speed that counts in the air")     \
    X(float, sv_friction, 4, 0.0f, 100.0f, "1/s", "ground friction")                               \
    X(float, sv_waterfriction, 4, 0.0f, 100.0f, "1/s", "friction when swimming")                   \
    X(float, sv_edgefriction, 2, 1.0f, 10.0f, "", "friction factor at the edge of a drop")         \
    X(float, sv_jumpspeed, 270, 0.0f, 4000.0f, "qu/s", "upward speed of a jump")                   \
    X(float, sv_stepsize, 18, 0.0f, 256.0f, "qu", "highest step that is climbed")                  \
    X(float, sv_maxvelocity, 2000, 100.0f, 10000.0f, "qu/s", "highest speed along an axis")        \
    X(float, sv_climbspeed, 200, 0.0f, 4000.0f, "qu/s", "on ladders")                              \
    X(float, sv_swimscale, 0.7, 0.0f, 1.0f, "", "share of the wished speed that is swum")          \
    X(float, sv_currentspeed, 50, 0.0f, 4000.0f, "qu/s", "of moving water, for each waterlevel")   \
    X(float, sv_duckscale, 0.333, 0.0f, 1.0f, "", "share of the wished speed that is crept")       \
    X(float, sv_bunnycap, 0, 0.0f, 100.0f, "", "speed over sv_maxspeed that a jump allows; 0 = any")

// How, not how fast. common/move/profiles.c has the sets of them that belong together.
#define MOVEVARS_RULES(X)                                                                          \
    X(float, sv_overclip, 1, 1.0f, 1.1f, "", "how much of a velocity into a plane is taken away")  \
    X(float, sv_stopepsilon, 0.1, 0.0f, 10.0f, "qu/s", "what is slower after a bump stands")       \
    X(float, sv_groundprobe, 1, 0.01f, 16.0f, "qu", "ground so far below still carries")           \
    X(int32_t, sv_gravitymode, 0, 0, 1, "", "0 = before a move, 1 = half before and half after")   \
    X(int32_t, sv_airmode, 0, 0, 1, "", "in the air: 0 = sv_airspeedcap counts, 1 = sv_maxspeed")  \
    X(int32_t, sv_frictionmode, 0, 0, 2, "",                                                       \
      "0 = of water instead of ground, 1 = of both, 2 = of ground, in water too")                  \
    X(int32_t, sv_jumpmode, 0, 0, 2, "", "a jump: 0 = adds, 1 = adds to at least, 2 = sets")       \
    X(int32_t, sv_waterjumpmode, 0, 0, 2, "", "0 = QuakeWorld's, 1 = Quake II's, 2 = Half-Life's") \
    X(int32_t, sv_duckmode, 0, 0, 2, "", "0 = none, 1 = at once, 2 = within 0.4 s")                \
    X(int32_t, sv_laddermode, 1, 0, 2, "", "0 = none, 1 = along the view, 2 = by its pitch")       \
    X(int32_t, sv_spectatorclip, 0, 0, 1, "", "1 = spectators do not fly through walls")

// Heights above and below the origin; a player is 32 wide.
#define MOVEVARS_BODY(X)                                                                           \
    X(float, sv_standmins, -24, -128.0f, 0.0f, "qu", "feet of who stands")                         \
    X(float, sv_standmaxs, 32, 1.0f, 128.0f, "qu", "top of who stands")                            \
    X(float, sv_standview, 22, -128.0f, 128.0f, "qu", "eyes of who stands")                        \
    X(float, sv_duckmins, -24, -128.0f, 0.0f, "qu", "feet of who ducks")                           \
    X(float, sv_duckmaxs, 4, 1.0f, 128.0f, "qu", "top of who ducks")                               \
    X(float, sv_duckview, -2, -128.0f, 128.0f, "qu", "eyes of who ducks")

#define MOVEVARS_SERVER(X)                                                                         \
    X(int32_t, sv_solids, 0, 0, 2, "",                                                             \
      "what boxes collide with: 0 = hulls where they fit, else brushes; 1 = hulls; 2 = brushes")   \
    X(int32_t, sv_tossrules, 0, 0, 1, "", "thrown things: 0 = Quake's rules, 1 = Half-Life's")     \
    X(int32_t, sv_pushermomentum, 1, 0, 1, "", "who leaves a pusher keeps its speed")              \
    X(int32_t, pm_step_ms, 8, 0, 100, "ms",                                                        \
      "fixed player sub-step; must divide sv_tick_ms; 0 = a command is one step")

/// See MOVEVARS for each.
typedef struct {
#define MOVEVAR_FIELD(type, name, def, min, max, unit, help) type name;
    MOVEVARS(MOVEVAR_FIELD)
#undef MOVEVAR_FIELD
} movevars_t;

/// The defaults: the `quake` profile.
static inline movevars_t MoveVars_Default(void) {
#define MOVEVAR_DEFAULT(type, name, def, min, max, unit, help) .name = (type)(def),
    return (movevars_t){MOVEVARS(MOVEVAR_DEFAULT)};
#undef MOVEVAR_DEFAULT
}

#endif
