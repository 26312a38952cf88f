/// game/monsters.c - three kinds of monsters: walking and biting, flying and spitting, swimming and
/// biting. Each monster class of Quake's maps is one of these kinds with its own health.
//
// Units:   qu, ms, qu a think.
//
// A monster thinks ten times a second. It looks for players, chases a player it has seen, or walks
// along its path_corners. Fields: `activator` = enemy, `chain` = path_corner, `state` = kind,
// `until_ms` = next attack; health 0 = dead.
//
// A monster with a model (of its kind, or named by the map) is hit at its hitboxes. It plays the
// animations "stand", "walk", "attack" and "die", if the model has them.

#include "game/figure_data.h"
#include "game/game.h"
#include "math/angles.h"

#include <string.h>

#define THINK_MS     100
#define SIGHT        1000.0f // qu
#define HEARING      160.0f  // qu; nearer players are noticed even behind the monster
#define EYES         20.0f   // qu above the origin
#define CORNER_REACH 40.0f
#define PAIN_MS      300 // ms without attacks after the monster was hurt
#define ATTACK_MS    300 // length of the attack animation
#define CORPSE_MS    8000
#define STEP_HEIGHT  18.0f // default of a mover, qu
#define KNOCK_DRAG   0.5f  // a knocked monster with a mover keeps this part of its speed per think
#define KNOCK_MIN    20.0f // qu/s; a slower knocked monster stops
#define GIB_HEALTH   (-35)
#define SPIT_SPEED   500.0f
#define SPIT_LIFE_MS 5000
#define BITE_REACH   24.0f // qu between the boxes

/// How a kind of monster moves and attacks.
typedef struct {
    uint32_t flags; ///< FL_FLY, FL_SWIM
    vec3_t mins, maxs;
    float walk, run; ///< qu a think
    float yaw_speed; ///< degrees a think
    int32_t bite;    ///< damage; 0 = it spits instead
    int32_t spit;    ///< damage of a spit
    int32_t refire_ms;
    int32_t model;   ///< number in the game's table; 0 = none: shots hit its box
    const char *why; ///< obituary text
} monster_kind_t;

enum { KIND_DOG, KIND_WIZARD, KIND_FISH };

static const monster_kind_t kinds[] = {
    [KIND_DOG] = {.mins = {-16, -16, -24},
                  .maxs = {16, 16, 24},
                  .walk = 8.0f,
                  .run = 24.0f,
                  .yaw_speed = 40.0f,
                  .bite = 12,
                  .refire_ms = 700,
                  .model = DOG_MODEL,
                  .why = "was bitten to death"},
    [KIND_WIZARD] = {.flags = FL_FLY,
                     .mins = {-16, -16, -24},
                     .maxs = {16, 16, 32},
                     .walk = 8.0f,
                     .run = 16.0f,
                     .yaw_speed = 30.0f,
                     .spit = 9,
                     .refire_ms = 1200,
                     .why = "was spat at"},
    [KIND_FISH] = {.flags = FL_SWIM,
                   .mins = {-16, -16, -16},
                   .maxs = {16, 16, 16},
                   .walk = 8.0f,
                   .run = 16.0f,
                   .yaw_speed = 40.0f,
                   .bite = 8,
                   .refire_ms = 800,
                   .why = "was fed to the fish"},
};

/// The kind and health of each monster class of the maps.
typedef struct {
    const char *classname;
    int32_t kind, health;
    uint32_t hazards; ///< HAZARD_* that hurt it
    const char *mover;
} monster_class_t;

static const monster_class_t classes[] = {
    {"monster_dog", KIND_DOG, 25, HAZARD_ALL, "step"},
    {"monster_wizard", KIND_WIZARD, 80, HAZARD_BURN | HAZARD_DROWN, "step"},
    {"monster_fish", KIND_FISH, 25, HAZARD_BURN, "step"},
    {"monster_army", KIND_DOG, 30, HAZARD_ALL, "step"},
    {"monster_boss", KIND_DOG, 500, 0, "step"},
    {"monster_demon1", KIND_DOG, 300, HAZARD_ALL, "step"},
    {"monster_enforcer", KIND_DOG, 80, HAZARD_ALL, "step"},
    {"monster_hell_knight", KIND_DOG, 250, HAZARD_ALL, "step"},
    {"monster_knight", KIND_DOG, 75, HAZARD_ALL, "step"},
    {"monster_ogre", KIND_DOG, 200, HAZARD_ALL, "step"},
    {"monster_oldone", KIND_DOG, 500, 0, "step"},
    {"monster_shalrath", KIND_DOG, 400, HAZARD_ALL, "step"},
    {"monster_shambler", KIND_DOG, 600, HAZARD_ALL, "step"},
    {"monster_tarbaby", KIND_DOG, 80, HAZARD_BURN | HAZARD_FALL, "step"},
    {"monster_zombie", KIND_DOG, 60, HAZARD_BURN | HAZARD_FALL, "step"},
    {"monster_ogre_marksman", KIND_DOG, 200, HAZARD_ALL, "step"},
    {"monster_crawler", KIND_DOG, 40, HAZARD_ALL, "ray"},
    {"monster_guard", KIND_DOG, 60, HAZARD_ALL, "sweep"},
    {"monster_golem", KIND_DOG, 200, HAZARD_BURN | HAZARD_FALL, "drop"},
};

static const monster_class_t *find_class(const char *name) {
    for (size_t i = 0; i < COUNTOF(classes); i++) {
        if (strcmp(classes[i].classname, name) == 0) {
            return &classes[i];
        }
    }
    return &classes[0];
}

static const monster_kind_t *kind_of(edict_t *self) {
    return &kinds[Q_ClampI(Game_Fields(self)->state, 0, (int32_t)COUNTOF(kinds) - 1)];
}

// Changes the animation, if the model has one of that name. Does not interrupt an attack.
static void play(sv_context_t *sv, edict_t *self, const char *name) {
    int64_t now = sv->engine->time_ms(sv);
    int32_t number = sv->engine->animation(sv, self->skeleton, name);
    int32_t attack = sv->engine->animation(sv, self->skeleton, "attack");
    bool attacks = attack >= 0 && self->animations[0] == attack;
    bool is_busy = attacks && now < self->anim_start_ms[0] + ATTACK_MS;
    if (number >= 0 && number != self->animations[0] && !is_busy) {
        self->animations[0] = number;
        self->anim_start_ms[0] = now;
    }
}

// Starts an animation at the first frame.
static void play_now(sv_context_t *sv, edict_t *self, const char *name) {
    int32_t number = sv->engine->animation(sv, self->skeleton, name);
    if (number >= 0) {
        self->animations[0] = number;
        self->anim_start_ms[0] = sv->engine->time_ms(sv);
    }
}

// ---- seeing ----

static vec3_t eyes_of(const edict_t *edict) {
    return VectorAdd(edict->origin, Vector(0.0f, 0.0f, EYES));
}

static bool has_sight(sv_context_t *sv, const edict_t *self, const edict_t *other) {
    trace_t trace = Game_Ray(sv, eyes_of(self), eyes_of(other), self);
    return trace.fraction == 1.0f;
}

static bool notices(sv_context_t *sv, const edict_t *self, const edict_t *player) {
    vec3_t to = VectorSubtract(player->origin, self->origin);
    float distance = VectorLength(to);
    vec3_t forward;
    AngleVectors(Vector(0.0f, self->angles.y, 0.0f), &forward, NULL, NULL);
    bool in_front = DotProduct(to, forward) > 0.0f;
    return distance < SIGHT && (in_front || distance < HEARING) && has_sight(sv, self, player);
}

static bool is_prey(sv_context_t *sv, const edict_t *player) {
    return Game_IsAlive(sv, player) && !(player->flags & FL_NOTARGET);
}

// Tests only four client slots in each think, so that crowds of monsters cost little.
static edict_t *look_around(sv_context_t *sv, edict_t *self) {
    int32_t slots = sv->engine->max_clients(sv);
    int64_t turn = sv->engine->time_ms(sv) / THINK_MS + sv->engine->number(sv, self);
    for (int32_t i = 0; i < 4; i++) {
        edict_t *player = sv->engine->edict(sv, 1 + (int32_t)((turn * 4 + i) % slots));
        if (player && is_prey(sv, player) && notices(sv, self, player)) {
            return player;
        }
    }
    return NULL;
}

static void take_enemy(sv_context_t *sv, edict_t *self, edict_t *enemy) {
    Game_Fields(self)->activator = sv->engine->ref(sv, enemy);
    Game_Play(sv, self, "sight");
}

static edict_t *enemy_of(sv_context_t *sv, edict_t *self) {
    edict_t *enemy = sv->engine->deref(sv, Game_Fields(self)->activator);
    if (enemy && is_prey(sv, enemy)) {
        return enemy;
    }
    Game_Fields(self)->activator = (edict_ref_t){0, 0};
    enemy = look_around(sv, self);
    if (enemy) {
        take_enemy(sv, self, enemy);
    }
    return enemy;
}

// ---- attacks ----

static bool in_reach(const edict_t *self, const edict_t *enemy) {
    const vec3_t reach = {BITE_REACH, BITE_REACH, BITE_REACH};
    bounds_t around = {VectorSubtract(self->absmin, reach), VectorAdd(self->absmax, reach)};
    return BoundsTouch(around, (bounds_t){enemy->absmin, enemy->absmax});
}

void Game_SpitTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    edict_t *owner = sv->engine->deref(sv, self->owner);
    Game_Damage(sv, other, owner, Q_ToInt(Game_Fields(self)->damage, 0, 1000),
                kinds[KIND_WIZARD].why);
    Game_Show(sv, self, self->origin, "spit");
    sv->engine->remove(sv, self);
}

static void spit_at(sv_context_t *sv, edict_t *self, const edict_t *enemy, int32_t damage) {
    edict_t *spit = Game_SpawnProjectile(sv, self, "spit", MOVETYPE_FLYMISSILE, SPIT_LIFE_MS);
    if (!spit) {
        return;
    }
    vec3_t from = eyes_of(self);
    vec3_t toward = VectorNormalize(VectorSubtract(enemy->origin, from), NULL);
    spit->origin = from;
    spit->velocity = VectorScale(toward, SPIT_SPEED);
    spit->angles = VectorAngles(toward);
    spit->touch = GAME_CALLBACK(sv, Game_SpitTouch);
    Game_Fields(spit)->damage = (float)damage;
    sv->engine->link(sv, spit, false);
    Game_Play(sv, self, "spit");
}

// Returns true if the monster attacked and so did not move.
static bool attack(sv_context_t *sv, edict_t *self, edict_t *enemy) {
    const monster_kind_t *kind = kind_of(self);
    fields_t *fields = Game_Fields(self);
    int64_t now = sv->engine->time_ms(sv);
    bool can = kind->bite > 0 ? in_reach(self, enemy) : has_sight(sv, self, enemy);
    if (!can || now < fields->until_ms) {
        return false;
    }
    fields->until_ms = now + kind->refire_ms;
    play_now(sv, self, "attack");
    if (kind->bite > 0) {
        Game_Damage(sv, enemy, self, kind->bite, kind->why);
        Game_Play(sv, self, "bite");
    } else {
        spit_at(sv, self, enemy, kind->spit);
    }
    return true;
}

// ---- life ----

static void patrol(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    edict_t *corner = sv->engine->deref(sv, fields->chain);
    if (!corner && self->target) {
        corner = sv->engine->find_target(sv, NULL, sv->engine->text(sv, self->target));
        fields->chain = Game_RefTo(sv, corner);
    }
    if (!corner) {
        return;
    }
    vec3_t to = VectorSubtract(corner->origin, self->origin);
    if (fabsf(to.x) < CORNER_REACH && fabsf(to.y) < CORNER_REACH) {
        self->target = corner->target;
        fields->chain = (edict_ref_t){0, 0};
        return;
    }
    sv->engine->move_to_goal(sv, self, corner, kind_of(self)->walk, NULL);
}

// Slows a knocked monster on the ground down. The engine does this only without a mover.
static void brake(edict_t *self) {
    if (self->mover != 0 && (self->flags & FL_ONGROUND)) {
        bool slow = VectorLength(self->velocity) < KNOCK_MIN;
        self->velocity = slow ? vec3_zero : VectorScale(self->velocity, KNOCK_DRAG);
    }
}

void Game_MonsterThink(sv_context_t *sv, edict_t *self) {
    sv->engine->next_think(sv, self, sv->engine->time_ms(sv) + THINK_MS);
    const char *name = sv->engine->text(sv, self->classname);
    if (!Game_MonsterHazards(sv, self, find_class(name)->hazards)) {
        return;
    }
    brake(self);
    vec3_t before = self->origin;
    edict_t *enemy = enemy_of(sv, self);
    if (!enemy) {
        patrol(sv, self);
    } else {
        vec3_t to = VectorSubtract(enemy->origin, self->origin);
        self->ideal_yaw = VectorAngles(Vector(to.x, to.y, 0.0f)).y;
        if (attack(sv, self, enemy)) {
            sv->engine->change_yaw(sv, self);
            return;
        }
        sv->engine->move_to_goal(sv, self, enemy, kind_of(self)->run, NULL);
    }
    play(sv, self, VectorCompare(before, self->origin) ? "stand" : "walk");
}

// Makes a monster that is fired as a target attack the player that fired it.
void Game_MonsterUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    if (activator && Game_IsAlive(sv, activator) && sv->engine->client(sv, activator)) {
        take_enemy(sv, self, activator);
    }
}

static void die(sv_context_t *sv, edict_t *self, edict_t *attacker) {
    fields_t *fields = Game_Fields(self);
    bool gibbed = fields->health < GIB_HEALTH;
    fields->max_health = 0;
    Game_Show(sv, self, self->origin, gibbed ? "gib" : "monster_death");
    Game_UseTargets(sv, self, attacker);
    if (gibbed) {
        sv->engine->remove(sv, self);
        return;
    }
    self->flags = (self->flags | FL_CORPSE) & ~(FL_MONSTER | FL_FLY | FL_SWIM);
    self->movetype = MOVETYPE_TOSS;
    self->solid = SOLID_NOT;
    self->use = 0;
    Game_SetModel(sv, self, "corpses", sv->engine->text(sv, self->classname));
    play_now(sv, self, "die");
    Game_After(sv, self, GAME_CALLBACK(sv, Game_RemoveThink), CORPSE_MS);
    sv->engine->link(sv, self, false);
}

void Game_HurtMonster(sv_context_t *sv, edict_t *self, edict_t *attacker, int32_t damage) {
    fields_t *fields = Game_Fields(self);
    if (fields->max_health <= 0 || damage <= 0) {
        return; // dead
    }
    fields->health -= Q_ClampI(damage, 0, 10000);
    if (fields->health <= 0) {
        die(sv, self, attacker);
        return;
    }
    int64_t calm_ms = sv->engine->time_ms(sv) + PAIN_MS;
    fields->until_ms = fields->until_ms > calm_ms ? fields->until_ms : calm_ms;
    Game_Show(sv, self, self->origin, "pain");
    if (attacker && attacker != self && sv->engine->client(sv, attacker)) {
        Game_Fields(self)->activator = sv->engine->ref(sv, attacker);
    }
}

// Sets the mover that the map or the class names. Movers walk: a flyer or swimmer keeps "step".
static void choose_mover(sv_context_t *sv, edict_t *self, const monster_class_t *class) {
    const fields_t *fields = Game_Fields(self);
    const char *name = fields->mover ? sv->engine->text(sv, fields->mover) : class->mover;
    if ((self->flags & (FL_FLY | FL_SWIM)) && strcmp(name, "step") != 0) {
        sv->engine->warn(sv, self,
                         "mover: expected step for a monster that flies or swims, "
                         "found \"%.40s\"",
                         name);
        name = "step";
    }
    float step = fields->step_height;
    if (step == 0.0f && strcmp(name, "step") != 0) {
        step = STEP_HEIGHT;
    }
    sv->engine->set_mover(
        sv, self, name,
        &(mover_limits_t){fields->max_pitch, fields->max_roll, step, fields->upright != 0});
}

void Game_SpawnMonster(sv_context_t *sv, edict_t *self) {
    if (Game_Vars(sv)->monsters == 0) { // g_monsters 0: no monsters
        Game_Vars(sv)->left_out++;
        sv->engine->remove(sv, self);
        return;
    }
    const monster_class_t *class = find_class(sv->engine->text(sv, self->classname));
    const monster_kind_t *kind = &kinds[class->kind];
    fields_t *fields = Game_Fields(self);
    fields->state = class->kind;
    fields->health = class->health;
    fields->max_health = class->health;
    self->movetype = MOVETYPE_STEP;
    self->solid = SOLID_SLIDEBOX;
    self->flags |= FL_MONSTER | kind->flags;
    Game_BeBox(self, kind->mins, kind->maxs);
    Game_SetModel(sv, self, "monsters", sv->engine->text(sv, self->classname));
    choose_mover(sv, self, class);
    self->skeleton = self->skeleton ? self->skeleton : kind->model;
    self->yaw_speed = kind->yaw_speed;
    self->ideal_yaw = self->angles.y;
    self->use = GAME_CALLBACK(sv, Game_MonsterUse);
    self->think = GAME_CALLBACK(sv, Game_MonsterThink);
    play_now(sv, self, "stand");
    // Spread the first thinks of monsters over several ticks.
    int32_t first_ms = 500 + sv->engine->number(sv, self) % 10 * 16;
    sv->engine->next_think(sv, self, sv->engine->time_ms(sv) + first_ms);
    sv->engine->link(sv, self, false);
}
