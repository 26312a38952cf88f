/// game/doors.c - func_door, func_door_rotating, and func_water, which moves like a door.
//
// Touching doors form a group that opens together. The first door of the group is the master. A
// chain links the doors. The group is one team of pushers: all doors move, or none does.

#include "game/game.h"
#include "game/near.h"
#include "game/players.h"
#include "game/pushers.h"

#include <stdio.h>

#define START_OPEN  (1 << 0)
#define REVERSE     (1 << 1)
#define DONT_LINK   (1 << 2)
#define GOLD_KEY    (1 << 3)
#define SILVER_KEY  (1 << 4)
#define TOGGLE      (1 << 5)
#define ROLLS       (1 << 6)
#define PITCHES     (1 << 7) // without ROLLS and PITCHES, a door turns about the yaw axis
#define NO_MONSTERS (1 << 8) // monsters do not open it
#define PASSABLE    (1 << 9)
#define FROM_USER   (1 << 10) // turns away from whoever opens it

static const flag_t door_flags[] = {
    {1, 1, START_OPEN},     {4, 4, DONT_LINK}, {8, 0, GOLD_KEY}, {16, 0, SILVER_KEY},
    {0, 256, FLAG_BY_HAND}, {32, 32, TOGGLE},  {0, 8, PASSABLE}, {0, 512, NO_MONSTERS},
};
static const flag_t rotating_flags[] = {
    {1, 1, START_OPEN},     {2, 2, REVERSE},       {4, 4, DONT_LINK}, {8, 8, PASSABLE},
    {0, -16, FROM_USER},    {32, 32, TOGGLE},      {64, 64, ROLLS},   {128, 128, PITCHES},
    {0, 256, FLAG_BY_HAND}, {0, 512, NO_MONSTERS},
};

#define FIELD_REACH  60.0f // qu beside a door; the door opens for players within
#define FIELD_HEIGHT 8.0f

// ---- one leaf ----

// Turns the open pose to the other side if the door would turn towards its activator.
static void turn_from_user(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    const edict_t *user = sv->engine->deref(sv, fields->activator);
    vec3_t middle = VectorScale(VectorAdd(self->absmin, self->absmax), 0.5f);
    vec3_t arm = VectorSubtract(middle, self->origin);
    float turn = fields->turn2.y - fields->turn1.y;
    if (user && (fields->spawnflags & FROM_USER)) {
        vec3_t to_user = VectorSubtract(user->origin, middle);
        bool is_towards = turn * (arm.x * to_user.y - arm.y * to_user.x) > 0.0f;
        fields->turn2.y = fields->turn1.y + (is_towards ? -turn : turn);
    }
}

static void go_up(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    if (fields->state == PUSHER_GOING_UP) {
        return;
    }
    if (fields->state == PUSHER_AT_TOP) { // used again while open: stays open longer
        if (fields->wait >= 0.0f && !(fields->spawnflags & TOGGLE)) {
            Game_ThinkIn(sv, self, fields->wait, GAME_CALLBACK(sv, Game_DoorGoDown));
        }
        return;
    }
    if (fields->state == PUSHER_AT_BOTTOM) {
        turn_from_user(sv, self);
    }
    fields->state = PUSHER_GOING_UP;
    Game_Sound(sv, self, "door_start");
    Game_MoveTo(sv, self, (pose_t){fields->pos2, fields->turn2}, fields->speed,
                GAME_CALLBACK(sv, Game_DoorAtTop));
    Game_UseTargets(sv, self, sv->engine->deref(sv, fields->activator));
}

void Game_DoorGoDown(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->state = PUSHER_GOING_DOWN;
    Game_Sound(sv, self, "door_start");
    Game_MoveTo(sv, self, (pose_t){fields->pos1, fields->turn1}, fields->speed,
                GAME_CALLBACK(sv, Game_DoorAtBottom));
}

void Game_DoorAtTop(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->state = PUSHER_AT_TOP;
    Game_Sound(sv, self, "door_stop");
    if (!(fields->spawnflags & TOGGLE) && fields->wait >= 0.0f) {
        Game_ThinkIn(sv, self, fields->wait, GAME_CALLBACK(sv, Game_DoorGoDown));
    }
}

void Game_DoorAtBottom(sv_context_t *sv, edict_t *self) {
    Game_Fields(self)->state = PUSHER_AT_BOTTOM;
    Game_Sound(sv, self, "door_stop");
}

// ---- the group ----

static edict_t *master_of(sv_context_t *sv, edict_t *self) {
    edict_t *master = sv->engine->deref(sv, Game_Fields(self)->master);
    return master ? master : self;
}

static edict_t *next_leaf(sv_context_t *sv, edict_t *leaf) {
    return sv->engine->deref(sv, Game_Fields(leaf)->chain);
}

static bool is_open_or_opening(const fields_t *fields) {
    return fields->state == PUSHER_GOING_UP || fields->state == PUSHER_AT_TOP;
}

static void set_off(sv_context_t *sv, edict_t *master, edict_t *activator) {
    const fields_t *first = Game_Fields(master);
    if (Game_IsLocked(sv, master)) {
        return;
    }
    bool closes = (first->spawnflags & TOGGLE) && is_open_or_opening(first);
    for (edict_t *leaf = master; leaf; leaf = next_leaf(sv, leaf)) {
        Game_Fields(leaf)->activator = Game_RefTo(sv, activator);
        if (closes) {
            Game_DoorGoDown(sv, leaf);
        } else {
            go_up(sv, leaf);
        }
    }
}

// Reverses all doors of the blocked group. A door with wait < 0, which never closes by itself,
// keeps pushing.
void Game_DoorBlocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    Game_PusherBlocked(sv, self, obstacle);
    edict_t *master = master_of(sv, self);
    if (Game_Fields(master)->wait < 0.0f) {
        return;
    }
    bool opens = Game_Fields(self)->state == PUSHER_GOING_DOWN;
    for (edict_t *leaf = master; leaf; leaf = next_leaf(sv, leaf)) {
        if (opens) {
            go_up(sv, leaf);
        } else {
            Game_DoorGoDown(sv, leaf);
        }
    }
}

// Returns true if the player has the keys of the door. Otherwise shows which key is missing.
static bool has_keys(sv_context_t *sv, const edict_t *master, edict_t *player) {
    int32_t flags = Game_ConstFields(master)->spawnflags;
    int32_t needed = ((flags & SILVER_KEY) ? KEY_SILVER : 0) | ((flags & GOLD_KEY) ? KEY_GOLD : 0);
    client_t *client = sv->engine->client(sv, player);
    int32_t has = client ? Game_PlayerFields(client)->keys : 0;
    if ((has & needed) == needed) {
        return true;
    }
    Game_CenterPrint(sv, player,
                     (needed & ~has & KEY_GOLD) ? "You need the gold key"
                                                : "You need the silver key");
    return false;
}

static bool can_open(edict_t *master, const edict_t *user) {
    bool is_barred = (Game_Fields(master)->spawnflags & NO_MONSTERS) != 0;
    return (user->flags & (is_barred ? FL_CLIENT : FL_MONSTER | FL_CLIENT)) &&
           user->solid != SOLID_NOT;
}

void Game_DoorUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    set_off(sv, master_of(sv, self), activator);
}

void Game_DoorFieldTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    edict_t *master = sv->engine->deref(sv, Game_Fields(self)->master);
    if (!master) {
        sv->engine->remove(sv, self); // the field's door was removed
        return;
    }
    if (can_open(master, other)) {
        set_off(sv, master, other);
    }
}

void Game_DoorTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    edict_t *master = master_of(sv, self);
    const fields_t *fields = Game_Fields(master);
    if (!sv->engine->client(sv, other)) {
        return;
    }
    if (fields->message) {
        Game_CenterPrint(sv, other, sv->engine->text(sv, fields->message));
    }
    if ((fields->spawnflags & (GOLD_KEY | SILVER_KEY)) && !is_open_or_opening(fields) &&
        has_keys(sv, master, other)) {
        set_off(sv, master, other);
    }
}

// ---- groups, built once all doors are spawned ----

static bool is_door(sv_context_t *sv, edict_t *edict) {
    return edict && edict->use != 0 && edict->use == GAME_CALLBACK(sv, Game_DoorUse) &&
           edict->movetype == MOVETYPE_PUSH && edict->solid == SOLID_BSP;
}

static void join_leaf(sv_context_t *sv, edict_t *master, edict_t *last, edict_t *leaf) {
    Game_Fields(last)->chain = sv->engine->ref(sv, leaf);
    Game_Fields(leaf)->master = sv->engine->ref(sv, master);
    sv->engine->pusher_team(sv, leaf, master);
}

static bool is_single(edict_t *edict) {
    const fields_t *fields = Game_Fields(edict);
    return fields->master.generation == 0 && fields->chain.generation == 0;
}

static bool may_join(sv_context_t *sv, const edict_t *master, edict_t *other) {
    return other != master && is_door(sv, other) && is_single(other);
}

// Adds the doors with the team of the master, wherever they are. Returns the last door.
static edict_t *collect_team(sv_context_t *sv, edict_t *master) {
    int32_t team = Game_Fields(master)->team;
    edict_t *last = master;
    for (int32_t i = 1; team != 0 && i < sv->engine->num_edicts(sv); i++) {
        edict_t *other = sv->engine->edict(sv, i);
        if (may_join(sv, master, other) && Game_Fields(other)->team == team) {
            join_leaf(sv, master, last, other);
            last = other;
        }
    }
    return last;
}

// Adds every door that touches a leaf of the group to the end of the chain.
static void collect_group(sv_context_t *sv, edict_t *master) {
    edict_t *last = collect_team(sv, master);
    for (edict_t *leaf = master; leaf; leaf = next_leaf(sv, leaf)) {
        near_t near = Game_NearStart(sv, (bounds_t){leaf->absmin, leaf->absmax});
        edict_t *other;
        while ((other = Game_NearNext(sv, &near)) != NULL) {
            if (may_join(sv, master, other) && !(Game_Fields(other)->spawnflags & DONT_LINK)) {
                join_leaf(sv, master, last, other);
                last = other;
            }
        }
    }
}

// Copies the health, message, lock and targetname of any leaf of the group to the master.
static void inherit(sv_context_t *sv, edict_t *master) {
    fields_t *first = Game_Fields(master);
    for (edict_t *leaf = next_leaf(sv, master); leaf; leaf = next_leaf(sv, leaf)) {
        const fields_t *fields = Game_Fields(leaf);
        first->lock = first->lock ? first->lock : fields->lock;
        first->message = first->message ? first->message : fields->message;
        first->max_health = Q_MaxI(first->max_health, fields->max_health);
        first->spawnflags |= fields->spawnflags & (GOLD_KEY | SILVER_KEY);
        master->targetname = master->targetname ? master->targetname : leaf->targetname;
    }
    first->health = first->max_health;
}

static bounds_t bounds_of_group(sv_context_t *sv, edict_t *master) {
    bounds_t box = {master->absmin, master->absmax};
    for (edict_t *leaf = next_leaf(sv, master); leaf; leaf = next_leaf(sv, leaf)) {
        box.mins = VectorMin(box.mins, leaf->absmin);
        box.maxs = VectorMax(box.maxs, leaf->absmax);
    }
    return box;
}

// Spawns a field that opens a door for players nearby, unless it is used, shot or locked.
static void give_field(sv_context_t *sv, edict_t *master) {
    const fields_t *fields = Game_Fields(master);
    if (master->targetname || fields->max_health > 0 || master->solid != SOLID_BSP ||
        (fields->spawnflags & (GOLD_KEY | SILVER_KEY | FLAG_BY_HAND))) {
        return;
    }
    const vec3_t reach = {FIELD_REACH, FIELD_REACH, FIELD_HEIGHT};
    bounds_t box = bounds_of_group(sv, master);
    box = (bounds_t){VectorSubtract(box.mins, reach), VectorAdd(box.maxs, reach)};
    Game_SpawnField(sv, master, box, GAME_CALLBACK(sv, Game_DoorFieldTouch));
}

void Game_LinkDoors(sv_context_t *sv) {
    int32_t count = sv->engine->num_edicts(sv);
    for (int32_t i = 1; i < count; i++) {
        edict_t *edict = sv->engine->edict(sv, i);
        if (!is_door(sv, edict) || Game_Fields(edict)->master.generation != 0) {
            continue;
        }
        if (!(Game_Fields(edict)->spawnflags & DONT_LINK)) {
            collect_group(sv, edict);
        }
        inherit(sv, edict);
        give_field(sv, edict);
    }
}

// ---- spawning ----

// Sets default speed, wait and damage if the map does not.
static void set_defaults(edict_t *self, float speed, float damage) {
    fields_t *fields = Game_Fields(self);
    fields->speed = fields->speed != 0.0f ? fabsf(fields->speed) : speed;
    fields->wait = fields->wait != 0.0f ? fields->wait : 3.0f;
    fields->damage = fields->damage != 0.0f ? fields->damage : damage;
    fields->max_health = fields->health;
}

static void swap_ends(edict_t *self) {
    fields_t *fields = Game_Fields(self);
    vec3_t pos = fields->pos1;
    vec3_t turn = fields->turn1;
    fields->pos1 = fields->pos2;
    fields->turn1 = fields->turn2;
    fields->pos2 = pos;
    fields->turn2 = turn;
    self->origin = fields->pos1;
    self->angles = fields->turn1;
}

static void finish_door(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    if (fields->spawnflags & START_OPEN) {
        swap_ends(self);
    }
    if (fields->spawnflags & PASSABLE) {
        self->solid = SOLID_NOT;
    }
    fields->state = PUSHER_AT_BOTTOM;
    self->use = GAME_CALLBACK(sv, Game_DoorUse);
    self->touch = GAME_CALLBACK(sv, Game_DoorTouch);
    self->blocked = GAME_CALLBACK(sv, Game_DoorBlocked);
    sv->engine->link(sv, self, false);
}

static void set_sliding_ends(sv_context_t *sv, edict_t *self, float lip) {
    fields_t *fields = Game_Fields(self);
    fields->lip = fields->lip != 0.0f ? fields->lip : lip;
    Game_SetMovedir(self);
    if (Game_MoveDistance(self) <= 0.0f) {
        sv->engine->warn(sv, self, "lip: expected less than %g (size along the path), found %g",
                         (double)(Game_MoveDistance(self) + fields->lip), (double)fields->lip);
    }
    fields->pos1 = self->origin;
    fields->pos2 = VectorMA(self->origin, Game_MoveDistance(self), fields->movedir);
}

void Game_SpawnDoor(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    Game_ReadFlags(sv, self, door_flags, COUNTOF(door_flags));
    set_defaults(self, 100.0f, 2.0f);
    set_sliding_ends(sv, self, 8.0f);
    finish_door(sv, self);
}

void Game_SpawnBoughtDoor(sv_context_t *sv, edict_t *self) {
    Game_Fields(self)->wait = -1.0f;
    Game_Fields(self)->health = 0;
    Game_Fields(self)->spawnflags = 0; // spawnflags of func_door_nzp have other meanings
    Game_SpawnDoor(sv, self);
}

void Game_SpawnRotatingDoor(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    Game_ReadFlags(sv, self, rotating_flags, COUNTOF(rotating_flags));
    set_defaults(self, 100.0f, 2.0f);
    fields->distance = fields->distance != 0.0f ? fields->distance : 90.0f;
    float turn = (fields->spawnflags & REVERSE) ? -fields->distance : fields->distance;
    fields->pos1 = self->origin;
    fields->pos2 = self->origin;
    fields->turn1 = self->angles;
    fields->turn2 = VectorAdd(self->angles, Game_Axis((fields->spawnflags & ROLLS) != 0,
                                                      (fields->spawnflags & PITCHES) != 0, turn));
    if (fields->spawnflags & (START_OPEN | ROLLS | PITCHES)) {
        fields->spawnflags &= ~FROM_USER;
    }
    finish_door(sv, self);
}

void Game_SpawnWater(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    Game_ReadFlags(sv, self, door_flags, COUNTOF(door_flags));
    fields->spawnflags &= START_OPEN | TOGGLE;
    set_defaults(self, 25.0f, 0.0f);
    set_sliding_ends(sv, self, 0.0f);
    fields->wait = -1.0f;
    self->solid = SOLID_TRIGGER;
    self->contents = fields->skin <= CONTENTS_WATER && fields->skin >= CONTENTS_LAVA
                         ? fields->skin
                         : CONTENTS_WATER;
    finish_door(sv, self);
    self->touch = 0;
}
