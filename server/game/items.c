/// game/items.c - items that players pick up: one table by classname, and the backpacks of dead
/// players.
//
// Units:   qu, ms.

#include "game/game.h"
#include "game/players.h"

#include <stdio.h>
#include <string.h>

typedef enum {
    GIVES_HEALTH,
    GIVES_OVERHEAL, ///< health above the maximum that a player starts with
    GIVES_ARMOUR,
    GIVES_SHARD,
    GIVES_AMMO,
    GIVES_WEAPON,
    GIVES_POWER,
    GIVES_KEY
} gives_t;

typedef struct {
    const char *classname;
    gives_t gives;
    int32_t what; ///< ammo_t, weapon_number_t, power_t, key, or percent of an armour
    int32_t amount;
    int32_t respawn_s;
} item_t;

static const item_t items[] = {
    {"item_health", GIVES_HEALTH, 0, 25, 20},
    {"item_health_small", GIVES_OVERHEAL, 0, 5, 20},
    {"item_health_large", GIVES_HEALTH, 0, 50, 30},
    {"item_health_mega", GIVES_OVERHEAL, 0, 100, 60},
    {"item_health_rotten", GIVES_HEALTH, 0, 15, 20},
    {"item_armor1", GIVES_ARMOUR, 30, 100, 20},
    {"item_armor2", GIVES_ARMOUR, 60, 150, 20},
    {"item_armorInv", GIVES_ARMOUR, 80, 200, 20},
    {"item_armor_shard", GIVES_SHARD, 30, 5, 20},
    {"item_armor_combat", GIVES_ARMOUR, 60, 100, 25},
    {"item_armor_body", GIVES_ARMOUR, 80, 150, 25},
    {"item_shells", GIVES_AMMO, AMMO_SHELLS, 20, 30},
    {"item_spikes", GIVES_AMMO, AMMO_NAILS, 25, 30},
    {"item_rockets", GIVES_AMMO, AMMO_ROCKETS, 5, 30},
    {"item_cells", GIVES_AMMO, AMMO_CELLS, 12, 30},
    {"item_shells_big", GIVES_AMMO, AMMO_SHELLS, 40, 30},
    {"item_spikes_big", GIVES_AMMO, AMMO_NAILS, 50, 30},
    {"item_rockets_big", GIVES_AMMO, AMMO_ROCKETS, 10, 30},
    {"item_cells_big", GIVES_AMMO, AMMO_CELLS, 24, 30},
    {"ammo_shells", GIVES_AMMO, AMMO_SHELLS, 20, 30},
    {"ammo_nails", GIVES_AMMO, AMMO_NAILS, 25, 30},
    {"ammo_bullets", GIVES_AMMO, AMMO_NAILS, 50, 30},
    {"ammo_rockets", GIVES_AMMO, AMMO_ROCKETS, 5, 30},
    {"ammo_grenades", GIVES_AMMO, AMMO_ROCKETS, 5, 30},
    {"ammo_cells", GIVES_AMMO, AMMO_CELLS, 12, 30},
    {"ammo_lightning", GIVES_AMMO, AMMO_CELLS, 25, 30},
    {"ammo_slugs", GIVES_AMMO, AMMO_CELLS, 12, 30},
    {"ammo_belt", GIVES_AMMO, AMMO_NAILS, 50, 30},
    {"ammo_mines", GIVES_AMMO, AMMO_ROCKETS, 5, 30},
    {"ammo_bfg", GIVES_AMMO, AMMO_ROCKETS, 5, 30},
    {"item_artifact_super_damage", GIVES_POWER, POWER_QUAD, 30, 60},
    {"item_quad", GIVES_POWER, POWER_QUAD, 30, 60},
    {"item_artifact_invulnerability", GIVES_POWER, POWER_SHIELD, 30, 300},
    {"item_artifact_invisibility", GIVES_POWER, POWER_HIDDEN, 30, 300},
    {"item_artifact_envirosuit", GIVES_POWER, POWER_SUIT, 30, 60},
    {"item_enviro", GIVES_POWER, POWER_SUIT, 30, 60},
    {"item_invis", GIVES_POWER, POWER_HIDDEN, 30, 300},
    {"item_key1", GIVES_KEY, KEY_SILVER, 0, 5},
    {"item_key2", GIVES_KEY, KEY_GOLD, 0, 5},
    {"item_sigil", GIVES_KEY, 0, 0, 5}, // only fires its targets
    {"weapon_shotgun", GIVES_WEAPON, WEAPON_SHOTGUN, 10, 30},
    {"weapon_supershotgun", GIVES_WEAPON, WEAPON_SUPER_SHOTGUN, 5, 30},
    {"weapon_nailgun", GIVES_WEAPON, WEAPON_NAILGUN, 30, 30},
    {"weapon_supernailgun", GIVES_WEAPON, WEAPON_SUPER_NAILGUN, 30, 30},
    {"weapon_grenadelauncher", GIVES_WEAPON, WEAPON_GRENADES, 5, 30},
    {"weapon_rocketlauncher", GIVES_WEAPON, WEAPON_ROCKETS, 5, 30},
    {"weapon_lightning", GIVES_WEAPON, WEAPON_LIGHTNING, 15, 30},
    {"weapon_plasmagun", GIVES_WEAPON, WEAPON_SUPER_NAILGUN, 30, 30},
    {"weapon_railgun", GIVES_WEAPON, WEAPON_LIGHTNING, 15, 30},
    {"weapon_chaingun", GIVES_WEAPON, WEAPON_SUPER_NAILGUN, 30, 30},
    {"weapon_prox_launcher", GIVES_WEAPON, WEAPON_GRENADES, 5, 30},
    {"weapon_bfg", GIVES_WEAPON, WEAPON_ROCKETS, 5, 30},
};

/// An item that a spawnflag turns into another one.
typedef struct {
    const char *classname;
    int32_t flags; ///< all are set
    const char *becomes;
} variant_t;

static const variant_t variants[] = {
    {"item_health", 2, "item_health_mega"},  {"item_health", 1, "item_health_rotten"},
    {"item_shells", 1, "item_shells_big"},   {"item_spikes", 1, "item_spikes_big"},
    {"item_rockets", 1, "item_rockets_big"}, {"item_cells", 1, "item_cells_big"},
    {"item_weapon", 9, "item_shells_big"},   {"item_weapon", 10, "item_rockets_big"},
    {"item_weapon", 12, "item_spikes_big"},  {"item_weapon", 2, "item_rockets"},
    {"item_weapon", 4, "item_spikes"},       {"item_weapon", 0, "item_shells"},
};

#define MAX_HEALTH  100
#define MAX_HEALED  200
#define MAX_ARMOUR  200
#define BACKPACK    (-1) // state of a backpack
#define BACKPACK_MS 60000

static const int32_t max_ammo[AMMO_COUNT] = {0, 100, 200, 100, 100};

static bool give_ammo(player_fields_t *fields, int32_t ammo, int32_t amount) {
    int32_t before = fields->ammo[ammo];
    fields->ammo[ammo] = Q_ClampI(before + amount, 0, max_ammo[ammo]);
    return fields->ammo[ammo] > before;
}

// Gives armour if it absorbs more than the player's. Returns false if the item is left.
static bool give_armour(player_fields_t *fields, const item_t *item) {
    if (item->gives == GIVES_SHARD) {
        bool room = fields->armour < MAX_ARMOUR;
        fields->armour = Q_ClampI(fields->armour + item->amount, 0, MAX_ARMOUR);
        fields->armour_percent =
            fields->armour_percent > item->what ? fields->armour_percent : item->what;
        return room;
    }
    if (item->what * item->amount <= fields->armour * fields->armour_percent) {
        return false;
    }
    fields->armour = item->amount;
    fields->armour_percent = item->what;
    return true;
}

static bool give_health(client_t *client, int32_t amount, int32_t most) {
    int32_t before = client->player.health;
    if (before >= most) {
        return false;
    }
    client->player.health = Q_ClampI(before + amount, before, most);
    return true;
}

static bool give_weapon(sv_context_t *sv, const edict_t *player, int32_t weapon, int32_t amount) {
    player_fields_t *fields = Game_PlayerFields(sv->engine->client(sv, player));
    const char *switches = sv->engine->info(sv, sv->engine->slot(sv, player), "autoswitch");
    bool had = (fields->weapons & 1 << weapon) != 0;
    fields->weapons |= 1 << weapon;
    bool more = give_ammo(fields, (int32_t)Game_WeaponAmmo(weapon), amount);
    if (!had && weapon > fields->weapon && strcmp(switches, "0") != 0) {
        fields->weapon = weapon;
    }
    return !had || more;
}

static bool give(sv_context_t *sv, edict_t *player, client_t *client, const item_t *item) {
    static const int32_t shown[POWER_COUNT] = {EFFECT_QUAD, EFFECT_SHIELD, EFFECT_HIDDEN, 0};
    player_fields_t *fields = Game_PlayerFields(client);
    switch (item->gives) {
    case GIVES_HEALTH:
        return give_health(client, item->amount, MAX_HEALTH);
    case GIVES_OVERHEAL:
        return give_health(client, item->amount, MAX_HEALED);
    case GIVES_ARMOUR:
    case GIVES_SHARD:
        return give_armour(fields, item);
    case GIVES_AMMO:
        return give_ammo(fields, item->what, item->amount);
    case GIVES_WEAPON:
        return give_weapon(sv, player, item->what, item->amount);
    case GIVES_POWER:
        fields->power_ms[item->what] = sv->engine->time_ms(sv) + 1000 * (int64_t)item->amount;
        player->effects |= shown[item->what];
        return true;
    case GIVES_KEY:
        break;
    }
    bool had = (fields->keys & item->what) != 0;
    fields->keys |= item->what;
    return !had;
}

void Game_Give(sv_context_t *sv, edict_t *player, client_t *client, const char *name) {
    char line[MAX_TEXT_BYTES];
    bool all = strcmp(name, "all") == 0;
    bool is_known = all;
    bool took = all;
    for (size_t i = 0; i < COUNTOF(items); i++) {
        bool is_kit = all && items[i].gives != GIVES_POWER && items[i].gives != GIVES_SHARD;
        if (is_kit || strcmp(items[i].classname, name) == 0) {
            took = give(sv, player, client, &items[i]) || took;
            is_known = true;
        }
    }
    if (took) {
        snprintf(line, sizeof line, "give: took %s", all ? "everything but powerups" : name);
    } else if (is_known) {
        snprintf(line, sizeof line, "give: %s adds nothing to what the player has", name);
    } else {
        snprintf(line, sizeof line,
                 "give: expected \"all\" or an item's class, found \"%.60s\"; "
                 "server/game/README.md lists the classes",
                 name);
    }
    sv->engine->print(sv, sv->engine->slot(sv, player), line);
}

void Game_ItemThink(sv_context_t *sv, edict_t *self) {
    self->solid = SOLID_TRIGGER;
    self->visibility = VISIBLE_ALL;
    Game_Show(sv, self, self->origin, "item");
    sv->engine->link(sv, self, true); // a player at that position picks it up at once
}

void Game_ItemTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    client_t *client = sv->engine->client(sv, other);
    const fields_t *fields = Game_Fields(self);
    if (!client || !Game_IsAlive(sv, other) || self->solid != SOLID_TRIGGER) {
        return;
    }
    if (fields->state == BACKPACK) {
        give_weapon(sv, other, fields->skin, fields->count);
        Game_Play(sv, other, "backpack");
        sv->engine->remove(sv, self);
        return;
    }
    const item_t *item = &items[fields->state];
    bool stays = item->gives == GIVES_WEAPON && Game_Vars(sv)->weaponstay != 0;
    bool had = stays && (Game_PlayerFields(client)->weapons & 1 << item->what) != 0;
    if (had || !give(sv, other, client, item)) {
        return;
    }
    Game_Play(sv, other, item->classname);
    Game_UseTargets(sv, self, other);
    if (stays) {
        return;
    }
    self->solid = SOLID_NOT;
    self->visibility = VISIBLE_NOBODY;
    sv->engine->next_think(sv, self, sv->engine->time_ms(sv) + 1000 * (int64_t)item->respawn_s);
    sv->engine->link(sv, self, false);
}

static void lay_down(sv_context_t *sv, edict_t *self, const char *name) {
    Game_SetModel(sv, self, strncmp(name, "weapon", 6) == 0 ? "weapons" : "items", name);
    self->solid = SOLID_TRIGGER;
    self->movetype = MOVETYPE_TOSS;
    self->flags |= FL_ITEM;
    Game_BeBox(self, Vector(-15.0f, -15.0f, 0.0f), Vector(15.0f, 15.0f, 40.0f));
    self->touch = GAME_CALLBACK(sv, Game_ItemTouch);
    sv->engine->link(sv, self, false);
}

static const char *variant_of(const char *classname, int32_t spawnflags) {
    for (size_t i = 0; i < COUNTOF(variants); i++) {
        int32_t flags = variants[i].flags;
        if (strcmp(variants[i].classname, classname) == 0 && (spawnflags & flags) == flags) {
            return variants[i].becomes;
        }
    }
    return classname;
}

void Game_SpawnItem(sv_context_t *sv, edict_t *self) {
    const char *classname = sv->engine->text(sv, self->classname);
    fields_t *fields = Game_Fields(self);
    const char *name = variant_of(classname, fields->spawnflags);
    for (size_t i = 0; i < COUNTOF(items); i++) {
        if (strcmp(items[i].classname, name) == 0) {
            fields->state = (int32_t)i;
            sv->engine->sound_index(sv, name);
        }
    }
    // Boxes of health and ammo have their origin in a corner and are 32 qu wide.
    bool corner = strcmp(classname, "item_health") == 0 || strcmp(classname, "item_shells") == 0 ||
                  strcmp(classname, "item_spikes") == 0 || strcmp(classname, "item_rockets") == 0 ||
                  strcmp(classname, "item_cells") == 0 || strcmp(classname, "item_weapon") == 0;
    if (corner) {
        self->origin = VectorAdd(self->origin, Vector(16.0f, 16.0f, 0.0f));
    }
    self->origin.z += 1.0f; // because maps place items exactly on the floor
    self->think = GAME_CALLBACK(sv, Game_ItemThink);
    // Classes of several games give the same power.
    static const char *const powers[POWER_COUNT] = {"quad", "shield", "hidden", "suit"};
    const item_t *item = &items[fields->state];
    lay_down(sv, self, item->gives == GIVES_POWER ? powers[item->what] : name);
}

void Game_DropBackpack(sv_context_t *sv, edict_t *player, const player_fields_t *fields) {
    ammo_t ammo = Game_WeaponAmmo(fields->weapon);
    edict_t *pack = fields->ammo[ammo] > 0 ? sv->engine->spawn(sv) : NULL;
    if (!pack) {
        return;
    }
    pack->classname = sv->engine->string(sv, "item_backpack");
    pack->origin = player->origin;
    pack->velocity = Vector(0.0f, 0.0f, 200.0f);
    Game_Fields(pack)->state = BACKPACK;
    Game_Fields(pack)->skin = fields->weapon;
    Game_Fields(pack)->count = fields->ammo[ammo];
    Game_After(sv, pack, GAME_CALLBACK(sv, Game_RemoveThink), BACKPACK_MS);
    lay_down(sv, pack, "item_backpack");
}
