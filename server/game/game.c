/// game/game.c - the start of a map: what is checked, and what is joined once everything is there.
//
// Floor:   game.

#include "game/game.h"

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

// What a mapper forgot is said once, when the map starts.
static void check_map(sv_context_t *sv) {
    Game_CheckPads(sv);
    Game_CheckSpawns(sv);
    Game_CheckMonsters(sv);
}

void Game_MapStarted(sv_context_t *sv) {
    check_map(sv);
    Game_LinkDoors(sv);
    Game_JoinMovers(sv);
}
