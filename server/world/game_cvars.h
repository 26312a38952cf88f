/// world/game_cvars.h - the cvars that the simulation reads, in the world block. Only an input of
/// a tick may change a cvar.

#ifndef EDICTD_WORLD_GAME_CVARS_H
#define EDICTD_WORLD_GAME_CVARS_H

#include "base/limits.h"
#include "state/movevars.h"

/// X(type, name, default, min, max, unit, help). sv_tickrate and pm_step_ms change with the map.
#define SIM_CVARS(X)                                                                               \
    X(float, sv_tickrate, 62.5, 20, 128, "Hz", "ticks per second, rounded to 1/1000 Hz")           \
    X(int32_t, sv_maxcredit_ms, 250, 16, MAX_CREDIT_MS, "ms",                                      \
      "command time that a client can save up")                                                    \
    X(int32_t, sv_input_timeout_ms, 100, 0, 10000, "ms",                                           \
      "time without commands after which a player moves without input; 0 = never")                 \
    X(int32_t, sv_synchronousclients, 0, 0, 1, "",                                                 \
      "1 = missing command time is filled at once in each tick")                                   \
    X(int32_t, sv_maxunlag_ms, 250, 0, 400, "ms",                                                  \
      "oldest view of a client in which its shots are judged; 0 = all shots meet the present")     \
    X(int32_t, sv_cheats, 0, 0, 1, "",                                                             \
      "1 = clients may use noclip, fly, god, notarget, give and setpos")                           \
    X(int32_t, sv_spectate, 2, 0, 2, "",                                                           \
      "spectators: 0 = none join; 1 = follow players of their own team, else see only pushers; "   \
      "2 = follow and see all players; the dead follow their own team, except with 0")

/// The values of all simulation cvars: SIM_CVARS, then the movevars.
typedef struct {
#define GAME_CVAR_FIELD(type, name, def, min, max, unit, help) type name;
    SIM_CVARS(GAME_CVAR_FIELD)
#undef GAME_CVAR_FIELD
    movevars_t move;
} game_cvars_t;

/// Returns the table of cvars, with offsets into a game_cvars_t.
const struct cvar_def_s *GameCvars_Defs(int32_t *count);

#endif
