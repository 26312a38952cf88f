/// world/game_cvars.h - the cvars that the simulation reads. They live in the world block; a change
/// is an input of a tick, so that a replay sees it in the same tick.
//
// Floor:   world.

#ifndef EDICTD_WORLD_GAME_CVARS_H
#define EDICTD_WORLD_GAME_CVARS_H

#include "base/limits.h"
#include "state/movevars.h"

/// X(type, name, default, min, max, unit, help). sv_tick_ms and pm_step_ms are latched: a change
/// acts at the next map.
#define SIM_CVARS(X)                                                                               \
    X(int32_t, sv_tick_ms, 16, 8, 100, "ms", "length of a tick")                                   \
    X(int32_t, sv_maxcredit_ms, 250, 16, MAX_CREDIT_MS, "ms",                                      \
      "unused command time a client may keep")                                                     \
    X(int32_t, sv_input_timeout_ms, 100, 0, 10000, "ms",                                           \
      "no command for so long: the player goes on without input; 0 = never")                       \
    X(int32_t, sv_synchronousclients, 0, 0, 1, "",                                                 \
      "1 = missing command time is filled in each tick at once")

/// All of them: SIM_CVARS, then the movevars.
typedef struct {
#define GAME_CVAR_FIELD(type, name, def, min, max, unit, help) type name;
    SIM_CVARS(GAME_CVAR_FIELD)
#undef GAME_CVAR_FIELD
    movevars_t move;
} game_cvars_t;

/// The table over a game_cvars_t (offsets into it).
const struct cvar_def_s *GameCvars_Defs(int32_t *count);

#endif
