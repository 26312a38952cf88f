/// move/profiles.h - sets of movevars: players move as in Quake, Quake II or Half-Life.

#ifndef EDICTD_MOVE_PROFILES_H
#define EDICTD_MOVE_PROFILES_H

#include "state/movevars.h"

/// Writes the profile "quake", "quake2", "halflife", "sweep" or "drop". Returns false for another
/// name.
bool PM_Profile(const char *name, movevars_t *vars);

/// Fits the player's boxes to the hulls of Quake or Half-Life, unless the operator has set other
/// sizes.
void PM_FitBody(movevars_t *vars, bool halflife_hulls);

/// Returns the name of a profile by its index, from 0 on. Returns NULL after the last.
const char *PM_ProfileName(int32_t number);

#endif
