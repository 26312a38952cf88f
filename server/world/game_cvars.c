#include "world/game_cvars.h"

#include "base/cvar.h"
#include "base/limits.h"

/// Returns true for the cvars that change only with the map, because player states store time that
/// depends on the cvars.
#define IS_LATCHED(field)                                                                          \
    (offsetof(game_cvars_t, field) == offsetof(game_cvars_t, sv_tickrate) ||                       \
     offsetof(game_cvars_t, field) == offsetof(game_cvars_t, move.pm_step_ms))

#define CVAR_ROW(value_type, field, text, value_def, value_min, value_max, value_unit, value_help) \
    {.name = text,                                                                                 \
     .type = _Generic((value_type)0, int32_t                                                       \
                      : CVAR_INT, float                                                            \
                      : CVAR_FLOAT),                                                               \
     .flags = IS_LATCHED(field) ? CVAR_LATCH : 0u,                                                 \
     .def = #value_def,                                                                            \
     .min = (double)(value_min),                                                                   \
     .max = (double)(value_max),                                                                   \
     .unit = value_unit,                                                                           \
     .help = value_help,                                                                           \
     .offset = offsetof(game_cvars_t, field)},

#define SIM_CVAR_ROW(type, name, def, min, max, unit, help)                                        \
    CVAR_ROW(type, name, #name, def, min, max, unit, help)
#define MOVEVAR_ROW(type, name, def, min, max, unit, help)                                         \
    CVAR_ROW(type, move.name, #name, def, min, max, unit, help)

const struct cvar_def_s *GameCvars_Defs(int32_t *count) {
    static const cvar_def_t defs[] = {SIM_CVARS(SIM_CVAR_ROW) MOVEVARS(MOVEVAR_ROW)};
    *count = (int32_t)COUNTOF(defs);
    return defs;
}
