/// game/weapons.c - weapons: one table of numbers, and how each kind hits.
//
// Units:   qu, qu/s, ms.
// Repeat:  sub-steps count refire times, so how input is split into commands changes no result.

#include "game/game.h"
#include "game/players.h"
#include "math/angles.h"

#include <string.h>

typedef enum { KIND_NONE, KIND_SHOT, KIND_ROCKET, KIND_GRENADE, KIND_NAIL } weapon_kind_t;

typedef struct {
    weapon_kind_t kind;
    ammo_t ammo;
    int32_t uses;    ///< ammo per shot
    int32_t damage;  ///< damage of a pellet or nail, or at the centre of an explosion
    int32_t direct;  ///< damage to the edict that an explosive hits directly, instead of `damage`
    int32_t pellets; ///< pellets per shot
    int32_t refire_ms;
    float spread; ///< maximum deviation of a pellet at a distance of 1
    float reach;  ///< qu
    float speed;  ///< qu/s of a projectile
    const char *sound;
    const char *why;
} weapon_t;

static const weapon_t weapons[WEAPON_COUNT] = {
    [WEAPON_AXE] = {KIND_SHOT, AMMO_NONE, 0, 20, 0, 1, 500, 0.0f, 64.0f, 0.0f, "axe", "was axed"},
    [WEAPON_SHOTGUN] = {KIND_SHOT, AMMO_SHELLS, 1, 4, 0, 6, 500, 0.04f, 2048.0f, 0.0f, "shotgun",
                        "was shot"},
    [WEAPON_SUPER_SHOTGUN] = {KIND_SHOT, AMMO_SHELLS, 2, 4, 0, 14, 700, 0.12f, 2048.0f, 0.0f,
                              "supershotgun", "was shot to bits"},
    [WEAPON_NAILGUN] = {KIND_NAIL, AMMO_NAILS, 1, 9, 0, 0, 100, 0.0f, 0.0f, 1000.0f, "nailgun",
                        "was nailed"},
    [WEAPON_SUPER_NAILGUN] = {KIND_NAIL, AMMO_NAILS, 2, 18, 0, 0, 100, 0.0f, 0.0f, 1000.0f,
                              "supernailgun", "was nailed to the wall"},
    [WEAPON_GRENADES] = {KIND_GRENADE, AMMO_ROCKETS, 1, 120, 0, 0, 600, 0.0f, 0.0f, 600.0f,
                         "grenadelauncher", "was blown up"},
    [WEAPON_ROCKETS] = {KIND_ROCKET, AMMO_ROCKETS, 1, 120, 110, 0, 800, 0.0f, 0.0f, 1000.0f,
                        "rocketlauncher", "was rocketed"},
    [WEAPON_LIGHTNING] = {KIND_SHOT, AMMO_CELLS, 1, 30, 0, 1, 100, 0.0f, 600.0f, 0.0f, "lightning",
                          "was struck by lightning"},
};

#define QUAD         4
#define START_SHELLS 25
#define MISSILE_MS   6000
#define FUSE_MS      2500
#define GRENADE_LIFT 200.0f // qu/s upwards
#define MUZZLE       8.0f   // qu in front of the eye
#define SKY_BEHIND   0.5f   // qu behind the surface at which a missile stops

ammo_t Game_WeaponAmmo(int32_t weapon) {
    return weapons[Q_ClampI(weapon, 0, WEAPON_COUNT - 1)].ammo;
}

const char *Game_WeaponName(const char *why) {
    for (int32_t i = WEAPON_NONE + 1; i < WEAPON_COUNT; i++) {
        if (strcmp(weapons[i].why, why) == 0) {
            return weapons[i].sound;
        }
    }
    return "";
}

void Game_GiveStart(player_fields_t *fields) {
    int64_t waits_ms = fields->respawn_ms;
    player_fields_t fresh = {.respawn_ms = waits_ms,
                             .weapon = WEAPON_SHOTGUN,
                             .weapons = 1 << WEAPON_AXE | 1 << WEAPON_SHOTGUN,
                             .frags = fields->frags,
                             .deaths = fields->deaths,
                             .team = fields->team};
    fresh.ammo[AMMO_SHELLS] = START_SHELLS;
    *fields = fresh;
}

// ---- projectiles ----

static edict_t *shooter_of(sv_context_t *sv, const edict_t *missile) {
    return sv->engine->deref(sv, missile->owner);
}

// Explodes a missile. `hit` (may be NULL) takes direct damage, everything near takes radius damage.
static void explode(sv_context_t *sv, edict_t *self, edict_t *hit) {
    const fields_t *fields = Game_Fields(self);
    const weapon_t *weapon = &weapons[fields->state];
    edict_t *shooter = shooter_of(sv, self);
    int32_t direct = weapon->direct * fields->count;
    bool is_direct = hit && direct > 0 && sv->engine->number(sv, hit) != EDICT_WORLD;
    Game_Show(sv, self, self->origin, "explode");
    sv->engine->remove(sv, self); // first, so that the damage cannot set it off again
    if (is_direct) {
        Game_Knock(sv, hit, self->origin, direct);
        Game_Damage(sv, hit, shooter, direct, weapon->why);
    }
    Game_RadiusDamage(sv, self, shooter, is_direct ? hit : NULL, Q_ToInt(fields->damage, 0, 1000),
                      weapon->why);
}

bool Game_VanishInSky(sv_context_t *sv, edict_t *self, const edict_t *other, const trace_t *trace) {
    if (sv->engine->number(sv, other) != EDICT_WORLD) {
        return false;
    }
    // In Quake's maps a missile enters SKY contents. In maps of other games it stops before the
    // sky.
    bool in_sky = sv->engine->contents(sv, self->origin) == CONTENTS_SKY;
    if (!in_sky && trace) {
        vec3_t behind = VectorMA(self->origin, -SKY_BEHIND, trace->plane.normal);
        in_sky = sv->engine->contents(sv, behind) == CONTENTS_SKY;
    }
    if (in_sky) {
        sv->engine->remove(sv, self);
    }
    return in_sky;
}

void Game_RocketTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    if (Game_VanishInSky(sv, self, other, trace)) {
        return;
    }
    explode(sv, self, other);
}

void Game_GrenadeThink(sv_context_t *sv, edict_t *self) {
    explode(sv, self, NULL);
}

void Game_GrenadeTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    if (sv->engine->client(sv, other) || Game_Fields(other)->max_health > 0) {
        explode(sv, self, other);
        return;
    }
    Game_Play(sv, self, "bounce");
}

void Game_NailTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    if (Game_VanishInSky(sv, self, other, trace)) {
        return;
    }
    int32_t damage = Q_ToInt(Game_Fields(self)->damage, 0, 1000);
    Game_Knock(sv, other, self->origin, damage);
    Game_Damage(sv, other, shooter_of(sv, self), damage, weapons[Game_Fields(self)->state].why);
    sv->engine->remove(sv, self);
}

static int32_t quad_of(sv_context_t *sv, const edict_t *player) {
    const player_fields_t *fields = Game_PlayerFields(sv->engine->client(sv, player));
    return fields->power_ms[POWER_QUAD] > sv->engine->time_ms(sv) ? QUAD : 1;
}

static void launch(sv_context_t *sv, edict_t *player, int32_t number, vec3_t eye, vec3_t forward) {
    const weapon_t *weapon = &weapons[number];
    bool bounces = weapon->kind == KIND_GRENADE;
    movetype_t movetype = bounces                     ? MOVETYPE_BOUNCE
                          : weapon->kind == KIND_NAIL ? MOVETYPE_FLY
                                                      : MOVETYPE_FLYMISSILE;
    const char *name = bounces ? "grenade" : weapon->kind == KIND_NAIL ? "nail" : "rocket";
    edict_t *missile =
        Game_SpawnProjectile(sv, player, name, movetype, bounces ? FUSE_MS : MISSILE_MS);
    if (!missile) {
        return;
    }
    vec3_t muzzle = VectorMA(eye, MUZZLE, forward);
    trace_t path = Game_Ray(sv, eye, muzzle, player);
    missile->origin = path.endpos;
    missile->velocity = VectorScale(forward, weapon->speed);
    missile->velocity.z += bounces ? GRENADE_LIFT : 0.0f;
    missile->angles = VectorAngles(forward);
    missile->touch = bounces                     ? GAME_CALLBACK(sv, Game_GrenadeTouch)
                     : weapon->kind == KIND_NAIL ? GAME_CALLBACK(sv, Game_NailTouch)
                                                 : GAME_CALLBACK(sv, Game_RocketTouch);
    missile->think = bounces ? GAME_CALLBACK(sv, Game_GrenadeThink) : missile->think;
    Game_Fields(missile)->state = number;
    Game_Fields(missile)->count = quad_of(sv, player);
    Game_Fields(missile)->damage = (float)(weapon->damage * Game_Fields(missile)->count);
    sv->engine->link(sv, missile, false);
    const edict_ref_t ref = sv->engine->ref(sv, missile);
    const int32_t flown_ms =
        sv->engine->fly_unlagged(sv, missile, player, Game_Vars(sv)->projectile_unlag);
    if (flown_ms > 0 && sv->engine->deref(sv, ref)) {
        sv->engine->next_think(sv, missile, missile->nextthink_ms - flown_ms);
    }
}

// ---- hitscan weapons ----

/// Damage factor of each hit group, in quarters. An edict without a skeleton counts as HIT_GENERIC.
static const int32_t quarters[NUM_HIT_GROUPS] = {
    [HIT_GENERIC] = 4,  [HIT_HEAD] = 8,      [HIT_CHEST] = 4,    [HIT_STOMACH] = 4,
    [HIT_LEFT_ARM] = 3, [HIT_RIGHT_ARM] = 3, [HIT_LEFT_LEG] = 3, [HIT_RIGHT_LEG] = 3};

static int32_t damage_at(int32_t damage, const trace_t *trace) {
    return damage * quarters[Q_ClampI(trace->hitgroup, 0, NUM_HIT_GROUPS - 1)] / 4;
}

static void shoot(sv_context_t *sv, edict_t *player, const weapon_t *weapon, vec3_t eye,
                  const vec3_t axes[3]) {
    int32_t times = quad_of(sv, player);
    for (int32_t i = 0; i < weapon->pellets; i++) {
        float right = (2.0f * sv->engine->random(sv) - 1.0f) * weapon->spread;
        float up = (2.0f * sv->engine->random(sv) - 1.0f) * weapon->spread;
        vec3_t direction = VectorMA(VectorMA(axes[0], right, axes[1]), up, axes[2]);
        vec3_t end = VectorMA(eye, weapon->reach, direction);
        const bool hitboxes = weapon->ammo != AMMO_NONE; // hits of an axe ignore hitboxes
        trace_t trace =
            sv->engine->trace_unlagged(sv, eye, vec3_zero, vec3_zero, end, hitboxes, player);
        edict_t *hit = trace.fraction < 1.0f ? sv->engine->edict(sv, trace.entnum) : NULL;
        if (hit && trace.entnum != EDICT_WORLD) {
            Game_Knock(sv, hit, eye, weapon->damage * times);
            Game_Damage(sv, hit, player, damage_at(weapon->damage * times, &trace), weapon->why);
        }
        if (i == 0) {
            Game_Show(sv, player, trace.endpos, "hit");
        }
    }
}

static void fire(sv_context_t *sv, edict_t *player, client_t *client) {
    player_fields_t *fields = Game_PlayerFields(client);
    const weapon_t *weapon = &weapons[fields->weapon];
    vec3_t axes[3];
    vec3_t eye = sv->engine->eyes(sv, player);
    AngleVectors(client->player.angles, &axes[0], &axes[1], &axes[2]);
    fields->ammo[weapon->ammo] -= weapon->uses;
    Game_Play(sv, player, weapon->sound);
    if (weapon->kind == KIND_SHOT) {
        shoot(sv, player, weapon, eye, axes);
    } else {
        launch(sv, player, fields->weapon, eye, axes[0]);
    }
}

// ---- selection and attack ----

static bool can_use(const player_fields_t *fields, int32_t number) {
    const weapon_t *weapon = &weapons[number];
    return (fields->weapons & 1 << number) != 0 &&
           (weapon->ammo == AMMO_NONE || fields->ammo[weapon->ammo] >= weapon->uses);
}

// Returns the best weapon with ammo whose explosion cannot hurt the player.
static int32_t best_weapon(const player_fields_t *fields) {
    static const int32_t order[] = {WEAPON_LIGHTNING, WEAPON_SUPER_NAILGUN, WEAPON_SUPER_SHOTGUN,
                                    WEAPON_NAILGUN, WEAPON_SHOTGUN};
    for (size_t i = 0; i < COUNTOF(order); i++) {
        if (can_use(fields, order[i])) {
            return order[i];
        }
    }
    return WEAPON_AXE;
}

void Game_WeaponStep(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                     int32_t step_ms) {
    player_fields_t *fields = Game_PlayerFields(client);
    if (cmd->impulse > 0 && cmd->impulse < WEAPON_COUNT && can_use(fields, cmd->impulse)) {
        fields->weapon = cmd->impulse;
    }
    fields->refire_ms -= step_ms;
    if (fields->refire_ms > 0) {
        return;
    }
    if (!(cmd->buttons & BUTTON_ATTACK)) {
        fields->refire_ms = 0;
        return;
    }
    if (!can_use(fields, fields->weapon)) {
        fields->weapon = best_weapon(fields);
    }
    fields->refire_ms += weapons[fields->weapon].refire_ms;
    fire(sv, player, client);
}
