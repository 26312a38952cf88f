/// game/triggers.c - touched triggers: multiple, once, secret, hurt, monsterjump, gravity.
/// Pushes and teleporters are in pads.c, exits in levels.c.

#include "game/game.h"
#include "game/pushers.h"
#include "math/angles.h"

#define MULTIPLE_NOTOUCH 1 // spawnflag: fires only as a target
#define HURT_EVERY_MS    1000

// ---- multiple and once ----

static void fire_trigger(sv_context_t *sv, edict_t *self, edict_t *activator) {
    fields_t *fields = Game_Fields(self);
    int64_t now = sv->engine->time_ms(sv);
    if (now < fields->until_ms || Game_IsLocked(sv, self)) {
        return; // still waiting
    }
    Game_Show(sv, self, VectorScale(VectorAdd(self->absmin, self->absmax), 0.5f), "trigger");
    Game_Vars(sv)->found_secrets += fields->state;
    if (fields->wait < 0.0f) {
        fields->until_ms = INT64_MAX; // the targets must not fire the trigger again
        Game_UseTargets(sv, self, activator);
        sv->engine->remove(sv, self);
        return;
    }
    fields->until_ms = now + Game_Ms(fields->wait) + 1;
    Game_UseTargets(sv, self, activator);
}

// Returns true if the player looks along the trigger's angle, if it has one.
static bool looks_along(const edict_t *self, const client_t *client) {
    const fields_t *fields = Game_ConstFields(self);
    vec3_t forward;
    AngleVectors(client->player.angles, &forward, NULL, NULL);
    return DotProduct(forward, fields->movedir) >= 0.0f;
}

void Game_MultipleTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    const client_t *client = sv->engine->client(sv, other);
    if (client && client->player.health > 0 && looks_along(self, client)) {
        fire_trigger(sv, self, other);
    }
}

void Game_InteractTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    const client_t *client = sv->engine->client(sv, other);
    if (client && client->player.health > 0 && (client->last_cmd.buttons & BUTTON_USE)) {
        fire_trigger(sv, self, other);
    }
}

void Game_MultipleUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    fire_trigger(sv, self, activator);
}

void Game_SpawnMultiple(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    if (!Game_InitTrigger(sv, self)) {
        return;
    }
    Game_CheckTarget(sv, self);
    fields->wait = fields->wait != 0.0f ? fields->wait : 0.2f;
    fields->max_health = fields->health;
    if (self->angles.x != 0.0f || self->angles.y != 0.0f) { // 0 = none; 360 = along x
        Game_SetMovedir(self);
    }
    if (fields->max_health > 0) { // fires when shot, not when touched
        self->solid = SOLID_BBOX;
    } else if (!(fields->spawnflags & MULTIPLE_NOTOUCH)) {
        self->touch = GAME_CALLBACK(sv, Game_MultipleTouch);
    }
    self->use = GAME_CALLBACK(sv, Game_MultipleUse);
    sv->engine->link(sv, self, false);
}

void Game_SpawnInteract(sv_context_t *sv, edict_t *self) {
    Game_SpawnMultiple(sv, self);
    if (self->touch != 0) {
        self->touch = GAME_CALLBACK(sv, Game_InteractTouch);
    }
}

void Game_SpawnOnce(sv_context_t *sv, edict_t *self) {
    Game_Fields(self)->wait = -1.0f;
    Game_SpawnMultiple(sv, self);
}

void Game_SpawnSecretTrigger(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    Game_Vars(sv)->total_secrets++;
    fields->state = 1; // counted by fire_trigger
    if (!fields->message) {
        fields->message = sv->engine->string(sv, "You found a secret");
    }
    Game_SpawnOnce(sv, self);
}

// ---- hurt ----

// Hurts an edict. If several trigger_hurts overlap, the largest damage counts, once a second.
void Game_HurtTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    if (!sv->engine->client(sv, other) && !(other->flags & FL_MONSTER)) {
        return;
    }
    fields_t *hurt = Game_Fields(other);
    int64_t now = sv->engine->time_ms(sv);
    if (now >= hurt->hurt_ms) {
        hurt->hurt_ms = now + HURT_EVERY_MS;
        hurt->hurt_taken = 0;
    }
    int32_t damage = Q_ToInt(Game_Fields(self)->damage, 0, 1000000);
    int32_t more = damage - hurt->hurt_taken;
    if (more > 0) {
        hurt->hurt_taken = damage;
        // Damage that passes armour is not reduced by the damage of another trigger.
        Game_Damage(sv, other, NULL, damage >= PASSES_ALL ? damage : more, "died in a trap");
    }
}

void Game_SpawnHurt(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    if (!Game_InitTrigger(sv, self)) {
        return;
    }
    fields->damage = fields->damage != 0.0f ? fields->damage : 5.0f;
    self->touch = GAME_CALLBACK(sv, Game_HurtTouch);
    sv->engine->link(sv, self, false);
}

// ---- monsterjump, gravity ----

void Game_MonsterJumpTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    const fields_t *fields = Game_Fields(self);
    if (!(other->flags & FL_MONSTER) || (other->flags & (FL_FLY | FL_SWIM))) {
        return;
    }
    vec3_t velocity = VectorScale(fields->movedir, fields->speed);
    other->velocity.x = velocity.x;
    other->velocity.y = velocity.y;
    if (!(other->flags & FL_ONGROUND)) {
        return; // already in the air
    }
    other->velocity.z = fields->height;
    other->flags &= ~FL_ONGROUND;
    other->groundentity = (edict_ref_t){0, 0};
    sv->engine->link(sv, other, false);
}

void Game_SpawnMonsterJump(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    if (!Game_InitTrigger(sv, self)) {
        return;
    }
    fields->speed = fields->speed != 0.0f ? fields->speed : 200.0f;
    fields->height = fields->height != 0.0f ? fields->height : 200.0f;
    Game_SetMovedir(self);
    self->touch = GAME_CALLBACK(sv, Game_MonsterJumpTouch);
    sv->engine->link(sv, self, false);
}

void Game_GravityTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace, (void)sv;
    other->gravity = Game_Fields(self)->gravity;
}

void Game_SpawnGravity(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    if (!Game_InitTrigger(sv, self)) {
        return;
    }
    fields->gravity = fields->gravity > 0.0f && fields->gravity < 100.0f ? fields->gravity : 1.0f;
    self->touch = GAME_CALLBACK(sv, Game_GravityTouch);
    sv->engine->link(sv, self, false);
}

void Game_SpawnTriggerNothing(sv_context_t *sv, edict_t *self) {
    sv->engine->remove(sv, self);
}
