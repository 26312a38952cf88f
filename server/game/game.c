/// game/game.c - the start of a map: what is checked, and what is joined once everything is there.
//
// Floor:   game.

#include "game/game.h"

#include <stdio.h>

#define MAX_TOLD 8 // in walls, one by one; more are only counted

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

void Game_CheckStuck(sv_context_t *sv) {
    char line[MAX_TEXT_BYTES];
    const int32_t drives = GAME_CALLBACK(sv, Game_BuggyThink);
    int32_t stuck = 0;
    for (int32_t i = 1; i < sv->world->num_edicts; i++) {
        const edict_t *self = sv->engine->edict(sv, i);
        if (!self || !(self->flags & FL_MONSTER || self->think == drives) ||
            !sv->engine->trace(sv, self->origin, self->mins, self->maxs, self->origin, false, self)
                 .startsolid ||
            stuck++ >= MAX_TOLD) {
            continue;
        }
        snprintf(line, sizeof line, "%s at %g %g %g: something solid is in its box: it cannot move",
                 sv->engine->text(sv, self->classname), (double)self->origin.x,
                 (double)self->origin.y, (double)self->origin.z);
        sv->engine->log(sv, LOG_WARN, line);
    }
    if (stuck > MAX_TOLD) {
        snprintf(line, sizeof line, "%d more monsters or buggies in something solid",
                 stuck - MAX_TOLD);
        sv->engine->log(sv, LOG_WARN, line);
    }
}

// What a mapper forgot is said once, when the map starts.
static void check_map(sv_context_t *sv) {
    Game_CheckPads(sv);
    Game_CheckSpawns(sv);
    Game_CheckStuck(sv);
}

void Game_MapStarted(sv_context_t *sv) {
    check_map(sv);
    Game_LinkDoors(sv);
    Game_JoinPushers(sv);
}
