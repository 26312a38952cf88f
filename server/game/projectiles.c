/// game/projectiles.c - map entities that keep launching bouncing or flying projectiles.
//
// Keys:    velocity "x y z" at the start, wait = s between launches (default 2; -1 = only one).

#include "game/game.h"

#define DEFAULT_WAIT_S 2.0f
#define LIFE_MS        10000 // ms until a projectile is removed
#define FIRST_THROW_MS 500

edict_t *Game_SpawnProjectile(sv_context_t *sv, const edict_t *owner, const char *classname,
                              movetype_t movetype, int32_t life_ms) {
    edict_t *missile = sv->engine->spawn(sv);
    if (missile) {
        missile->classname = sv->engine->string(sv, classname);
        Game_SetModel(sv, missile, "missiles", classname);
        missile->movetype = (int32_t)movetype;
        missile->solid = SOLID_BBOX;
        missile->type = ENTITY_PROJECTILE;
        missile->owner = sv->engine->ref(sv, owner);
        Game_After(sv, missile, GAME_CALLBACK(sv, Game_RemoveThink), life_ms);
    }
    return missile;
}

static edict_t *throw_from(sv_context_t *sv, edict_t *source, movetype_t movetype) {
    const fields_t *fields = Game_Fields(source);
    if (fields->wait > 0.0f) {
        sv->engine->next_think(
            sv, source, sv->engine->time_ms(sv) + Q_ToInt(fields->wait * 1000.0f, 100, 1000000));
    }
    const char *name = movetype == MOVETYPE_BOUNCE ? "bouncing_projectile" : "flying_projectile";
    edict_t *missile = Game_SpawnProjectile(sv, source, name, movetype, LIFE_MS);
    if (missile) {
        missile->origin = source->origin;
        missile->velocity = fields->velocity;
    }
    return missile;
}

void Game_BounceSourceThink(sv_context_t *sv, edict_t *self) {
    edict_t *missile = throw_from(sv, self, MOVETYPE_BOUNCE);
    if (missile) {
        missile->avelocity = Vector(300.0f, 300.0f, 300.0f);
        missile->touch = GAME_CALLBACK(sv, Game_BounceTouch);
        sv->engine->link(sv, missile, false);
    }
}

void Game_FlySourceThink(sv_context_t *sv, edict_t *self) {
    edict_t *missile = throw_from(sv, self, MOVETYPE_FLYMISSILE);
    if (missile) {
        missile->touch = GAME_CALLBACK(sv, Game_FlyTouch);
        sv->engine->link(sv, missile, false);
    }
}

void Game_BounceTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)other, (void)trace;
    Game_Show(sv, self, self->origin, "bounce");
}

void Game_FlyTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    if (Game_VanishInSky(sv, self, other, trace)) {
        return;
    }
    Game_Show(sv, self, self->origin, "explode");
    if (sv->engine->client(sv, other)) {
        Game_Hurt(sv, other, 10, "was shot down");
    }
    sv->engine->remove(sv, self);
}

void Game_RemoveThink(sv_context_t *sv, edict_t *self) {
    sv->engine->remove(sv, self);
}

static void spawn_source(sv_context_t *sv, edict_t *self, int32_t think) {
    fields_t *fields = Game_Fields(self);
    fields->wait = fields->wait != 0.0f ? fields->wait : DEFAULT_WAIT_S;
    self->visibility = VISIBLE_NOBODY;
    Game_After(sv, self, think, FIRST_THROW_MS);
}

void Game_SpawnBounceSource(sv_context_t *sv, edict_t *self) {
    spawn_source(sv, self, GAME_CALLBACK(sv, Game_BounceSourceThink));
}

void Game_SpawnFlySource(sv_context_t *sv, edict_t *self) {
    spawn_source(sv, self, GAME_CALLBACK(sv, Game_FlySourceThink));
}
