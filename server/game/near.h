/// game/near.h - a walk over the solid edicts near a box.

#ifndef EDICTD_GAME_NEAR_H
#define EDICTD_GAME_NEAR_H

#include "core/game_api.h"

/// Edicts that one query of the area tree lists; with more, all edicts are visited.
#define NEAR_LISTED 512

/// A walk over the solid edicts near a box, by number.
typedef struct {
    bounds_t box;
    int32_t list[NEAR_LISTED];
    int32_t count, at;
    bool all; ///< visits every edict, not the list
} near_t;

near_t Game_NearStart(sv_context_t *sv, bounds_t box);
/// Returns the next edict that is solid and live at this moment, or NULL.
edict_t *Game_NearNext(sv_context_t *sv, near_t *near);

#endif
