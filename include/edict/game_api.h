/// edict/game_api.h - what a game module and edictd know of each other.
//
// Compile with the flags of `pkg-config edict_game`.

#ifndef EDICT_GAME_API_H
#define EDICT_GAME_API_H

#include "base/version.h"
#include "core/game_api.h"

#endif
