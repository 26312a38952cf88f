/// move/profiles.h - sets of movevars with which players move as in Quake, Quake II or Half-Life.

#ifndef EDICTD_MOVE_PROFILES_H
#define EDICTD_MOVE_PROFILES_H

#include "state/movevars.h"

/// Writes the movevars of the profile "quake", "quake2" or "halflife". Returns false if the name is
/// unknown.
bool PM_Profile(const char *name, movevars_t *vars);

/// Sets the boxes of the standing and the ducked player to the sizes of Quake's or Half-Life's
/// hulls. Does nothing if the operator has set other sizes.
void PM_FitBody(movevars_t *vars, bool halflife_hulls);

/// Returns the name of a profile by its index, from 0 on. Returns NULL after the last.
const char *PM_ProfileName(int32_t number);

#endif
