/// game/brushes.c - brush entities that stand still, and the setup that all triggers share.

#include "game/game.h"

#include <stdio.h>
#include <string.h>

bool Game_HasModel(sv_context_t *sv, edict_t *self) {
    if (self->model > 0) {
        return true;
    }
    sv->engine->warn(sv, self, "has no model of brushes or triangles and is left out");
    sv->engine->remove(sv, self);
    return false;
}

void Game_BeBox(edict_t *self, vec3_t mins, vec3_t maxs) {
    self->model = 0;
    self->type = ENTITY_GENERAL;
    self->mins = mins;
    self->maxs = maxs;
}

void Game_SetModel(sv_context_t *sv, edict_t *self, const char *folder, const char *classname) {
    char name[MAX_TEXT_BYTES];
    const char *word = strchr(classname, '_');
    snprintf(name, sizeof name, "%s/%s", folder, word ? word + 1 : classname);
    self->modelindex = sv->engine->model_index(sv, name);
}

bool Game_InitTrigger(sv_context_t *sv, edict_t *self) {
    if (!Game_HasModel(sv, self)) {
        return false;
    }
    self->solid = SOLID_TRIGGER;
    self->movetype = MOVETYPE_NONE;
    self->visibility = VISIBLE_NOBODY;
    return true;
}

void Game_WallUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)sv, (void)other, (void)activator;
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

#define WALL_HIDDEN 1 // spawnflag: starts invisible

static void show_wall(edict_t *self, bool shows) {
    self->visibility = shows ? VISIBLE_ALL : VISIBLE_NOBODY;
    self->solid = shows ? SOLID_BSP : SOLID_NOT;
}

void Game_WallToggleUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    if (Game_Switches(sv, self->solid != SOLID_NOT)) {
        show_wall(self, self->solid == SOLID_NOT);
        sv->engine->link(sv, self, false); // wakes what rests on it
    }
}

void Game_SpawnWallToggle(sv_context_t *sv, edict_t *self) {
    if (Game_HasModel(sv, self)) {
        self->use = GAME_CALLBACK(sv, Game_WallToggleUse);
        self->movetype = MOVETYPE_NONE;
        show_wall(self, !(Game_Fields(self)->spawnflags & WALL_HIDDEN));
        sv->engine->link(sv, self, false);
    }
}

// Spawns an .emesh model that the map places. A model with triangles collides by them. A model that
// has only bones collides as the box around its hitboxes. A model with the key health can be
// broken.
void Game_SpawnModel(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    bounds_t box;
    if (self->model > 0) {
        Game_SpawnWall(sv, self);
    } else if (sv->engine->skeleton_box(sv, self, &box)) {
        self->use = GAME_CALLBACK(sv, Game_WallUse);
        self->solid = SOLID_BBOX;
        self->movetype = MOVETYPE_NONE;
        self->mins = box.mins;
        self->maxs = box.maxs;
        Game_SetModel(sv, self, "misc", "misc_model");
        sv->engine->link(sv, self, false);
    } else {
        sv->engine->remove(sv, self);
        return;
    }
    if (fields->health > 0) {
        fields->max_health = fields->health;
        self->use = GAME_CALLBACK(sv, Game_BreakableUse);
    }
}

// Spawns a brush that stops only monsters. It cannot ride, because a pusher pushes players, too.
void Game_SpawnMonsterClip(sv_context_t *sv, edict_t *self) {
    if (Game_HasModel(sv, self)) {
        Game_Fields(self)->movewith = 0;
        self->contents = CONTENTS_MONSTERCLIP;
        self->solid = SOLID_BSP;
        self->movetype = MOVETYPE_NONE;
        self->visibility = VISIBLE_NOBODY;
        sv->engine->link(sv, self, false);
    }
}

// Spawns a brush without collision. With the key skin, it is a volume of a liquid or ladder.
void Game_SpawnIllusionary(sv_context_t *sv, edict_t *self) {
    if (Game_HasModel(sv, self)) {
        int32_t skin = Game_Fields(self)->skin;
        bool is_liquid = skin <= CONTENTS_WATER && skin >= CONTENTS_LAVA;
        self->contents = is_liquid || skin == CONTENTS_LADDER ? skin : 0;
        self->solid = self->contents ? SOLID_TRIGGER : SOLID_NOT;
        self->movetype = MOVETYPE_NONE;
        sv->engine->link(sv, self, false);
    }
}
