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
    X(float, sv_gravity, 800, 0.0f, 8000.0f, "qu/s2", "downward acceleration")                     \
    X(float, sv_stopspeed, 100, 0.0f, 1000.0f, "qu/s", "friction acts as if at least this fast")   \
    X(float, sv_maxspeed, 320, 0.0f, 8000.0f, "qu/s", "highest wished speed")                      \
    X(float, sv_spectatormaxspeed, 500, 0.0f, 8000.0f, "qu/s", "the same for spectators")          \
    X(float, sv_accelerate, 10, 0.0f, 1000.0f, "1/s", "ground acceleration")                       \
    X(float, sv_wateraccelerate, 10, 0.0f, 1000.0f, "1/s", "swimming acceleration")                \
    X(float, sv_airspeedcap, 30, 0.0f, 8000.0f, "qu/s", "wished speed that counts in the air")     \
    X(float, sv_friction, 4, 0.0f, 100.0f, "1/s", "ground friction")                               \
    X(float, sv_waterfriction, 4, 0.0f, 100.0f, "1/s", "friction when swimming")                   \
    X(float, sv_edgefriction, 2, 1.0f, 10.0f, "", "friction factor at the edge of a drop")         \
    X(float, sv_jumpspeed, 270, 0.0f, 4000.0f, "qu/s", "upward speed of a jump")                   \
    X(float, sv_stepsize, 18, 0.0f, 256.0f, "qu", "highest step that is climbed")                  \
    X(float, sv_maxvelocity, 2000, 100.0f, 10000.0f, "qu/s", "highest speed along an axis")        \
    X(int32_t, sv_solids, 0, 0, 2, "",                                                             \
      "what boxes collide with: 0 = hulls where they fit, else brushes; 1 = hulls; 2 = brushes")   \
    X(int32_t, sv_tossrules, 0, 0, 1, "", "thrown things: 0 = Quake's rules, 1 = Half-Life's")     \
    X(int32_t, sv_movermomentum, 1, 0, 1, "", "who leaves a mover keeps its speed")                \
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
#define MOVEVAR_DEFAULT(type, name, def, min, max, unit, help) .name = (def),
    return (movevars_t){MOVEVARS(MOVEVAR_DEFAULT)};
#undef MOVEVAR_DEFAULT
}

#endif
