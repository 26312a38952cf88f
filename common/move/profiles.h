/// move/profiles.h - sets of movevars with which players move as in Quake, Quake II or Half-Life.

#ifndef EDICTD_MOVE_PROFILES_H
#define EDICTD_MOVE_PROFILES_H

#include "state/movevars.h"

/// Writes the movevars of the profile `quake`, `quake2` or `halflife`. Movevars that no game
/// defines (pm_step_ms, sv_solids) get their defaults. Returns false for an unknown name; *vars is
/// unchanged.
bool PM_Profile(const char *name, movevars_t *vars);

/// Sets the player's standing and ducked box to the box of the map's hulls: Quake's, or Half-Life's
/// with the origin in the middle. Keeps a box that is neither, because an operator chose it.
void PM_FitBody(movevars_t *vars, bool halflife_hulls);

/// Returns the name of profile `number`, NULL after the last.
const char *PM_ProfileName(int32_t number);

#endif
