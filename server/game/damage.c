/// game/damage.c - damage to players, monsters, and every entity with health.

#include "game/game.h"
#include "game/near.h"

#define KNOCK     8.0f // qu/s for each point of damage
#define MAX_KNOCK 250

// Calls the use callback of a target whose health reached 0. Restores the health first, because the
// callback may hurt the target again.
static void set_off(sv_context_t *sv, edict_t *target, edict_t *attacker) {
    fields_t *fields = Game_Fields(target);
    fields->health = fields->max_health;
    sv->engine->use(sv, target, attacker ? attacker : target, attacker);
}

void Game_Damage(sv_context_t *sv, edict_t *target, edict_t *attacker, int32_t damage,
                 const char *why) {
    if (sv->engine->client(sv, target)) {
        Game_HurtBy(sv, target, attacker, damage, why);
        return;
    }
    if (target->flags & FL_MONSTER) {
        Game_HurtMonster(sv, target, attacker, damage);
        return;
    }
    fields_t *fields = Game_Fields(target);
    edict_t *master = sv->engine->deref(sv, fields->master);
    if (master && master != target) { // a leaf of a door group shares the health of its first leaf
        target = master;
        fields = Game_Fields(target);
    }
    if (fields->max_health <= 0 || damage <= 0) {
        return; // cannot be hurt
    }
    fields->health -= Q_ClampI(damage, 0, fields->health);
    if (fields->health <= 0) {
        set_off(sv, target, attacker);
    }
}

void Game_Knock(sv_context_t *sv, edict_t *target, vec3_t from, int32_t damage) {
    if (!Game_IsAlive(sv, target)) {
        return;
    }
    vec3_t middle = VectorScale(VectorAdd(target->absmin, target->absmax), 0.5f);
    vec3_t away = VectorSubtract(middle, from);
    float distance = VectorLength(away);
    if (distance > 0.0f) {
        float push = KNOCK * (float)Q_ClampI(damage, 0, MAX_KNOCK);
        target->velocity = VectorMA(target->velocity, push / distance, away);
        target->flags &= ~FL_ONGROUND;
    }
}

// ---- explosions ----

#define BEYOND     40.0f // qu; an explosion reaches as many qu as points of damage, plus this
#define HURT_SHARE 0.5f  // points of damage lost for each qu of distance

typedef struct {
    edict_t *source, *attacker;
    vec3_t from;
    float reach; ///< qu
    int32_t damage;
    const char *why;
} blast_t;

static bool sees(sv_context_t *sv, const edict_t *source, vec3_t from, edict_t *target, vec3_t to) {
    trace_t trace = Game_Ray(sv, from, to, source);
    return trace.fraction == 1.0f || trace.entnum == sv->engine->number(sv, target);
}

static void blast_one(sv_context_t *sv, const blast_t *blast, edict_t *target) {
    vec3_t middle = VectorScale(VectorAdd(target->absmin, target->absmax), 0.5f);
    float distance = VectorLength(VectorSubtract(middle, blast->from));
    int32_t hurt = Q_ToInt((float)blast->damage - HURT_SHARE * distance, 0, blast->damage);
    if (distance <= blast->reach && hurt > 0 &&
        sees(sv, blast->source, blast->from, target, middle)) {
        Game_Knock(sv, target, blast->from, hurt);
        Game_Damage(sv, target, blast->attacker, hurt, blast->why);
    }
}

void Game_RadiusDamage(sv_context_t *sv, edict_t *source, edict_t *attacker, const edict_t *spared,
                       int32_t damage, const char *why) {
    const vec3_t from = VectorScale(VectorAdd(source->absmin, source->absmax), 0.5f);
    const blast_t blast = {source, attacker, from, (float)damage + BEYOND, damage, why};
    const vec3_t around = {blast.reach, blast.reach, blast.reach};
    bounds_t box = {VectorSubtract(from, around), VectorAdd(from, around)};
    near_t near = Game_NearStart(sv, box);
    edict_t *target;
    while ((target = Game_NearNext(sv, &near)) != NULL) {
        if (target != source && target != spared) {
            blast_one(sv, &blast, target);
        }
    }
}
