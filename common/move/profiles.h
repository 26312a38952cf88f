/// move/profiles.h - sets of movevars that make players move as in one of the field's games.
//
// Floor:   move.

#ifndef EDICTD_MOVE_PROFILES_H
#define EDICTD_MOVE_PROFILES_H

#include "state/movevars.h"

/// The movevars of `quake`, `quake2` or `halflife`; what is no matter of the game (pm_step_ms,
/// sv_solids) is the default, the body that of the game's own maps (PM_FitBody). False when there is no profile of that name; *vars is then untouched.
bool PM_Profile(const char *name, movevars_t *vars);

/// Gives players the box that a map's hulls are made for (Quake's, or Half-Life's with the origin in
/// the middle), standing and ducked. A body that is neither of the two was wanted so: it stays.
void PM_FitBody(movevars_t *vars, bool halflife_hulls);

/// The names, by number; NULL after the last.
const char *PM_ProfileName(int32_t number);

#endif
