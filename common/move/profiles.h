/// move/profiles.h - sets of movevars with which players move as in Quake, Quake II or Half-Life.

#ifndef EDICTD_MOVE_PROFILES_H
#define EDICTD_MOVE_PROFILES_H

#include "state/movevars.h"

/// Writes the movevars of the profile "quake", "quake2" or "halflife". Movevars that no game has
/// (pm_step_ms, sv_solids) get their defaults. If the name is unknown, returns false.
bool PM_Profile(const char *name, movevars_t *vars);

/// Sets the player's standing and ducked box to the boxes of the map's hulls, which are Quake's or,
/// with the origin in the middle, Half-Life's. Keeps any other box, because an operator set it.
void PM_FitBody(movevars_t *vars, bool halflife_hulls);

/// Returns the name of profile `number`, or NULL if there is none.
const char *PM_ProfileName(int32_t number);

#endif
