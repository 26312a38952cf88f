/// game/traps.c - traps: spike shooters, balls of lava, lightning, exploding boxes.

#include "game/game.h"
#include "game/pushers.h"
#include "math/angles.h"

#define SPIKE_SPEED     500.0f
#define SPIKE_DAMAGE    9
#define SPIKE_LIFE_MS   6000
#define SUPER_SPIKE     1 // spawnflag: twice the damage
#define FIREBALL_SPEED  1000.0f
#define FIREBALL_HURT   20
#define FIREBALL_MS     5000
#define EXPLOBOX_MS     100
#define EXPLOBOX_DAMAGE 160.0f
#define EXPLOBOX_DROP   256.0f // qu
#define MAX_EXPLOSION   1000

void Game_SpikeTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    if (Game_VanishInSky(sv, self, other, trace)) {
        return;
    }
    edict_t *owner = sv->engine->deref(sv, self->owner);
    Game_Damage(sv, other, owner, Q_ToInt(Game_Fields(self)->damage, 0, 1000), "was spiked");
    Game_Show(sv, self, self->origin, "spike");
    sv->engine->remove(sv, self);
}

void Game_ShootSpike(sv_context_t *sv, edict_t *owner, vec3_t from, vec3_t direction) {
    edict_t *spike = Game_SpawnProjectile(sv, owner, "spike", MOVETYPE_FLYMISSILE, SPIKE_LIFE_MS);
    if (!spike) {
        return;
    }
    bool is_super = (Game_Fields(owner)->spawnflags & SUPER_SPIKE) != 0;
    spike->origin = from;
    spike->velocity = VectorScale(direction, SPIKE_SPEED);
    spike->angles = VectorAngles(direction);
    spike->touch = GAME_CALLBACK(sv, Game_SpikeTouch);
    Game_Fields(spike)->damage = (float)(SPIKE_DAMAGE * (is_super ? 2 : 1));
    sv->engine->link(sv, spike, false);
}

void Game_SpikeShooterUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    Game_Play(sv, self, "spike");
    Game_ShootSpike(sv, self, self->origin, Game_Fields(self)->movedir);
}

void Game_SpawnSpikeShooter(sv_context_t *sv, edict_t *self) {
    self->visibility = VISIBLE_NOBODY;
    Game_SetMovedir(self);
    self->use = GAME_CALLBACK(sv, Game_SpikeShooterUse);
}

void Game_ShooterThink(sv_context_t *sv, edict_t *self) {
    const fields_t *fields = Game_Fields(self);
    Game_ShootSpike(sv, self, self->origin, fields->movedir);
    int64_t wait_ms = Q_MaxI((int32_t)Game_Ms(fields->wait), 100);
    sv->engine->next_think(sv, self, sv->engine->time_ms(sv) + wait_ms);
}

void Game_SpawnShooter(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    Game_SpawnSpikeShooter(sv, self);
    fields->wait = fields->wait > 0.0f ? fields->wait : 1.0f;
    Game_After(sv, self, GAME_CALLBACK(sv, Game_ShooterThink), Game_Ms(fields->wait));
}

// ---- balls of lava ----

void Game_FireballTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    Game_Damage(sv, other, NULL, FIREBALL_HURT, "was hit by a ball of lava");
    sv->engine->remove(sv, self);
}

static float spread(sv_context_t *sv, float reach) {
    return (2.0f * sv->engine->random(sv) - 1.0f) * reach;
}

void Game_FireballThink(sv_context_t *sv, edict_t *self) {
    int32_t wait_ms = Q_ToInt(3000.0f + 5000.0f * sv->engine->random(sv), 3000, 8000);
    sv->engine->next_think(sv, self, sv->engine->time_ms(sv) + wait_ms);
    edict_t *ball = Game_SpawnProjectile(sv, self, "fireball", MOVETYPE_TOSS, FIREBALL_MS);
    if (!ball) {
        return; // the engine counts failed spawns
    }
    float speed = Game_Fields(self)->speed;
    ball->solid = SOLID_TRIGGER;
    ball->origin = self->origin;
    ball->velocity =
        Vector(spread(sv, 50.0f), spread(sv, 50.0f), speed + 200.0f * sv->engine->random(sv));
    ball->touch = GAME_CALLBACK(sv, Game_FireballTouch);
    sv->engine->link(sv, ball, false);
}

void Game_SpawnFireballs(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->speed = fields->speed > 0.0f ? fields->speed : FIREBALL_SPEED;
    self->visibility = VISIBLE_NOBODY;
    self->think = GAME_CALLBACK(sv, Game_FireballThink);
    int32_t first_ms = Q_ToInt(5000.0f * sv->engine->random(sv), 100, 5000);
    sv->engine->next_think(sv, self, sv->engine->time_ms(sv) + first_ms);
}

// ---- boxes that blow up ----

// Explodes the box EXPLOBOX_MS later, so that boxes in a chain do not nest calls.
void Game_ExploboxUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    fields_t *fields = Game_Fields(self);
    fields->max_health = 0; // the box cannot be hurt again
    fields->activator = Game_RefTo(sv, activator);
    self->use = 0;
    Game_After(sv, self, GAME_CALLBACK(sv, Game_ExploboxThink), EXPLOBOX_MS);
}

void Game_ExploboxThink(sv_context_t *sv, edict_t *self) {
    const fields_t *fields = Game_Fields(self);
    vec3_t middle = VectorScale(VectorAdd(self->absmin, self->absmax), 0.5f);
    edict_t *attacker = sv->engine->deref(sv, fields->activator);
    Game_Show(sv, self, middle, "explode");
    self->solid = SOLID_NOT;
    sv->engine->link(sv, self, false);
    Game_RadiusDamage(sv, self, attacker, NULL, Q_ToInt(fields->damage, 0, MAX_EXPLOSION),
                      "stood beside a box that blew up");
    sv->engine->remove(sv, self);
}

// Spawns an exploding box on the floor below the origin.
static void spawn_explobox(sv_context_t *sv, edict_t *self, float height, int32_t health) {
    fields_t *fields = Game_Fields(self);
    self->solid = SOLID_BBOX;
    self->movetype = MOVETYPE_NONE;
    Game_BeBox(self, vec3_zero, Vector(32.0f, 32.0f, height));
    Game_SetModel(sv, self, "misc", sv->engine->text(sv, self->classname));
    fields->damage = fields->damage > 0.0f ? fields->damage : EXPLOBOX_DAMAGE;
    fields->health = fields->health > 0 ? fields->health : health;
    fields->max_health = fields->health;
    self->use = GAME_CALLBACK(sv, Game_ExploboxUse);
    vec3_t above = VectorAdd(self->origin, Vector(0.0f, 0.0f, 2.0f));
    vec3_t below = VectorSubtract(self->origin, Vector(0.0f, 0.0f, EXPLOBOX_DROP));
    trace_t down = sv->engine->trace(sv, above, self->mins, self->maxs, below, false, self);
    if (!down.startsolid && down.fraction < 1.0f) {
        self->origin = down.endpos;
    }
    sv->engine->link(sv, self, false);
}

void Game_SpawnExplobox(sv_context_t *sv, edict_t *self) {
    spawn_explobox(sv, self, 64.0f, 20);
}

void Game_SpawnExplobox2(sv_context_t *sv, edict_t *self) {
    spawn_explobox(sv, self, 32.0f, 15);
}

// ---- decoration ----

void Game_LightningUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    Game_Show(sv, self, self->origin, "lightning");
}

void Game_SpawnLightning(sv_context_t *sv, edict_t *self) {
    self->visibility = VISIBLE_NOBODY;
    self->use = GAME_CALLBACK(sv, Game_LightningUse);
}

void Game_LightUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    if (!Game_Switches(sv, !(self->effects & 1))) {
        return;
    }
    self->effects ^= 1;
    Game_Show(sv, self, self->origin, (self->effects & 1) ? "light_off" : "light_on");
}

// Removes a light that nothing can fire, because only compilers use it.
void Game_SpawnLight(sv_context_t *sv, edict_t *self) {
    if (!self->targetname) {
        sv->engine->remove(sv, self);
        return;
    }
    self->visibility = VISIBLE_NOBODY;
    self->use = GAME_CALLBACK(sv, Game_LightUse);
}
