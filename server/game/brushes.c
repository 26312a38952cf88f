/// game/brushes.c - brush entities that stand still, and what all triggers have in common.
//
// Floor:   game.

#include "game/game.h"

#include <stdio.h>

bool Game_HasModel(sv_context_t *sv, edict_t *self) {
    if (self->model > 0) {
        return true;
    }
    char line[128];
    snprintf(line, sizeof line, "%s %d has no brush model: left out",
             sv->engine->text(sv, self->classname), sv->engine->number(sv, self));
    sv->engine->log(sv, LOG_WARN, line);
    sv->engine->remove(sv, self);
    return false;
}

bool Game_InitTrigger(sv_context_t *sv, edict_t *self) {
    if (!Game_HasModel(sv, self)) {
        return false;
    }
    self->solid = SOLID_TRIGGER;
    self->movetype = MOVETYPE_NONE;
    self->hidden = 1;
    return true;
}

void Game_WallUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)sv;
    (void)other;
    (void)activator;
    self->effects ^= 1;
}

void Game_SpawnWall(sv_context_t *sv, edict_t *self) {
    if (Game_HasModel(sv, self)) {
        self->use = GAME_CALLBACK(sv, Game_WallUse);
        self->solid = SOLID_BSP;
        self->movetype = MOVETYPE_NONE;
        sv->engine->link(sv, self, false);
    }
}

// Most are only something to look at, for clients.
void Game_SpawnModel(sv_context_t *sv, edict_t *self) {
    if (self->model > 0) {
        Game_SpawnWall(sv, self);
    } else {
        sv->engine->remove(sv, self);
    }
}

void Game_SpawnIllusionary(sv_context_t *sv, edict_t *self) {
    if (Game_HasModel(sv, self)) {
        self->solid = SOLID_NOT;
        self->movetype = MOVETYPE_NONE;
        sv->engine->link(sv, self, false);
    }
}
