/// spectate_fixture.h - the commands "spectate" and "play" of small games in tests.

#ifndef EDICTD_TESTS_SPECTATE_FIXTURE_H
#define EDICTD_TESTS_SPECTATE_FIXTURE_H

#include "core/game_api.h"

#include <string.h>

/// Makes a client a spectator or a player. Returns false for other commands.
static inline bool TestSpectate_Command(sv_context_t *sv, edict_t *player, const char *text) {
    bool spectates = strcmp(text, "spectate") == 0;
    if (!spectates && strcmp(text, "play") != 0) {
        return false;
    }
    sv->engine->set_spectator(sv, player, spectates);
    player->movetype = spectates ? MOVETYPE_NOCLIP : MOVETYPE_WALK;
    player->solid = spectates ? SOLID_NOT : SOLID_SLIDEBOX;
    player->visibility = spectates ? VISIBLE_NOBODY : VISIBLE_ALL;
    sv->engine->link(sv, player, false);
    return true;
}

#endif
