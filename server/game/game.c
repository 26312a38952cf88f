/// game/game.c - the start of a map: what is checked, and what is joined once everything is there.
//
// Floor:   game.

#include "game/game.h"

#include <stdio.h>

// Spawn points and destinations are looked up by name: they keep their edict.
void Game_SpawnPoint(sv_context_t *sv, edict_t *self) {
    (void)sv;
    self->hidden = 1;
}

// Where another game lets a certain player appear: here any player may.
void Game_SpawnStart(sv_context_t *sv, edict_t *self) {
    self->classname = sv->engine->string(sv, "info_player_deathmatch");
    Game_SpawnPoint(sv, self);
}

void Game_SpawnWorld(sv_context_t *sv, edict_t *self) {
    (void)sv;
    self->solid = SOLID_BSP;
    self->hidden = 1;
}

static void check_teleporter(sv_context_t *sv, const edict_t *edict) {
    char line[MAX_TEXT_BYTES];
    const char *name = sv->engine->text(sv, edict->target);
    if (!sv->engine->find_target(sv, NULL, name)) {
        snprintf(line, sizeof line, "trigger_teleport %d: no entity has the targetname \"%.64s\"",
                 sv->engine->number(sv, edict), name);
        sv->engine->log(sv, LOG_WARN, line);
    }
}

// What a mapper forgot is said once, when the map starts.
static void check_map(sv_context_t *sv) {
    const edict_t *edict = NULL;
    while ((edict = sv->engine->find_class(sv, edict, "trigger_teleport")) != NULL) {
        check_teleporter(sv, edict);
    }
    Game_CheckSpawns(sv);
}

void Game_MapStarted(sv_context_t *sv) {
    check_map(sv);
    Game_LinkDoors(sv);
    Game_JoinMovers(sv);
}
