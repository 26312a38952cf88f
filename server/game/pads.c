/// game/pads.c - entities that throw or teleport players: trigger_push, trigger_teleport, and
/// targets.

#include "game/game.h"
#include "game/near.h"
#include "game/pushers.h"
#include "game/vehicles.h"
#include "math/angles.h"

#include <stdio.h>
#include <string.h>

#define PUSH_ONCE           1 // spawnflag: removed after the first push
#define PUSH_OFF            2 // spawnflag: starts off
#define PUSH_DEFAULT_SPEED  1000.0f
#define PUSH_SCALE          10.0f // as in Quake: the velocity is ten times the key "speed"
#define PUSH_HALFLIFE_SPEED 40.0f // default; there the key is the velocity
#define TELEPORT_EXIT_SPEED 300.0f
#define TELEPORT_RAISE      27.0f // a destination is at floor height, a player's origin is higher
#define TELEPORT_ARMED_MS   200
#define TELEFRAG_DAMAGE     50000

#define NO_MONSTERS 1 // what a trigger_teleport ignores
#define NO_CLIENTS  2
#define NO_CRATES   4
static const flag_t teleport_flags[] = {
    {1, -1, NO_MONSTERS}, {0, 2, NO_CLIENTS}, {-4, -4, NO_CRATES}};

// ---- push ----

static const edict_t *find_target(sv_context_t *sv, const edict_t *self) {
    return self->target ? sv->engine->find_target(sv, NULL, sv->engine->text(sv, self->target))
                        : NULL;
}

// Computes the velocity of an arc whose highest point is the target, which determines the speed.
static bool velocity_to_target(sv_context_t *sv, const edict_t *self, vec3_t from,
                               vec3_t *velocity) {
    const edict_t *to = find_target(sv, self);
    float gravity = sv->engine->cvar(sv, "sv_gravity");
    if (!to || !(gravity > 0.0f)) {
        return false;
    }
    vec3_t offset = VectorSubtract(to->origin, from);
    float height = offset.z > 1.0f ? offset.z : 1.0f;
    float seconds = sqrtf(2.0f * height / gravity);
    *velocity = Vector(offset.x / seconds, offset.y / seconds, seconds * gravity);
    return true;
}

static void throw(sv_context_t * sv, edict_t *thrown, vec3_t velocity) {
    thrown->velocity = velocity;
    thrown->flags &= ~FL_ONGROUND;
    thrown->groundentity = (edict_ref_t){0, 0};
    sv->engine->link(sv, thrown, false); // no longer rests on the ground
}

// Returns false if the target is missing, which was reported at the start of the map.
static bool velocity_of(sv_context_t *sv, const edict_t *self, vec3_t *velocity) {
    const fields_t *fields = Game_ConstFields(self);
    vec3_t from = VectorScale(VectorAdd(self->absmin, self->absmax), 0.5f);
    float scale = Game_IsHalfLife(sv) ? 1.0f : PUSH_SCALE;
    *velocity = VectorScale(fields->movedir, fields->speed * scale);
    return !self->target || velocity_to_target(sv, self, from, velocity);
}

// Writes what clients need to predict the pad. Its arc depends on a target and on the gravity.
static void show_throw(sv_context_t *sv, edict_t *self) {
    bool is_once = (Game_ConstFields(self)->spawnflags & PUSH_ONCE) != 0;
    vec3_t velocity;
    if (self->contents != CONTENTS_EMPTY && velocity_of(sv, self, &velocity)) {
        self->contents = is_once ? CONTENTS_PUSH_ONCE : CONTENTS_PUSH;
        self->surface_velocity = velocity;
    }
}

void Game_PushTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    const fields_t *fields = Game_Fields(self);
    bool moves = sv->engine->client(sv, other) || other->movetype == MOVETYPE_WALK ||
                 other->movetype == MOVETYPE_TOSS || other->movetype == MOVETYPE_BOUNCE ||
                 other->movetype == MOVETYPE_STEP;
    bool is_carried = self->contents == CONTENTS_EMPTY && sv->engine->client(sv, other);
    if (!moves || is_carried) {
        return;
    }
    vec3_t velocity;
    if (!velocity_of(sv, self, &velocity)) {
        return;
    }
    show_throw(sv, self); // the gravity may have changed
    throw(sv, other, velocity);
    if (fields->spawnflags & PUSH_ONCE) {
        sv->engine->remove(sv, self);
    }
}

// Switches a trigger_push on or off.
void Game_PushUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    if (Game_Switches(sv, self->solid == SOLID_TRIGGER)) {
        self->solid = self->solid == SOLID_NOT ? SOLID_TRIGGER : SOLID_NOT;
        sv->engine->link(sv, self, false);
    }
}

void Game_SpawnPush(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    if (!Game_InitTrigger(sv, self)) {
        return;
    }
    fields->speed = Game_Default(sv, fields->speed, PUSH_DEFAULT_SPEED, PUSH_HALFLIFE_SPEED);
    AngleVectors(self->angles, &fields->movedir, NULL, NULL);
    self->angles = vec3_zero;
    bool is_level = fabsf(fields->movedir.z) < 0.01f && !self->target;
    if (Game_IsHalfLife(sv) && is_level && !(fields->spawnflags & PUSH_ONCE)) {
        self->contents = CONTENTS_EMPTY; // a current: players walk in it, and clients predict it
        self->surface_velocity = VectorScale(fields->movedir, fields->speed);
    }
    self->touch = GAME_CALLBACK(sv, Game_PushTouch);
    self->use = GAME_CALLBACK(sv, Game_PushUse);
    self->solid = fields->spawnflags & PUSH_OFF ? SOLID_NOT : SOLID_TRIGGER;
    sv->engine->link(sv, self, false);
}

// Throws the activator when fired. A trigger_push can also aim at this target.
void Game_PushTargetUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    const fields_t *fields = Game_Fields(self);
    if (!activator || !sv->engine->client(sv, activator) || !Game_IsAlive(sv, activator)) {
        return;
    }
    vec3_t velocity = VectorScale(fields->movedir, fields->speed);
    if (!self->target || velocity_to_target(sv, self, activator->origin, &velocity)) {
        throw(sv, activator, velocity);
    }
}

void Game_SpawnPushTarget(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    Game_SpawnPoint(sv, self);
    fields->speed = fields->speed != 0.0f ? fields->speed : PUSH_DEFAULT_SPEED;
    Game_SetMovedir(self);
    self->use = GAME_CALLBACK(sv, Game_PushTargetUse);
}

// ---- teleport ----

// Kills all players in the box of an arriving player: overlapping players could never move apart.
static void telefrag(sv_context_t *sv, edict_t *arriving, vec3_t place) {
    const vec3_t one = {1.0f, 1.0f, 1.0f};
    bounds_t box = {VectorSubtract(VectorAdd(place, arriving->mins), one),
                    VectorAdd(VectorAdd(place, arriving->maxs), one)};
    near_t near = Game_NearStart(sv, box);
    edict_t *there;
    while ((there = Game_NearNext(sv, &near)) != NULL) {
        bool may = sv->engine->client(sv, there) || (there->flags & FL_MONSTER);
        if (may && there != arriving) {
            Game_Damage(sv, there, arriving, TELEFRAG_DAMAGE, "was telefragged");
        }
    }
}

// Returns the height of an arriving player's origin above a destination, qu. Quake's destinations
// are on the floor, Quake III's at the height of a player's origin.
static float raise_over(sv_context_t *sv, const edict_t *to) {
    const char *name = sv->engine->text(sv, to->classname);
    bool is_origin = strncmp(name, "target_", 7) == 0 || strcmp(name, "misc_teleporter_dest") == 0;
    return is_origin ? 1.0f : TELEPORT_RAISE;
}

// Returns where a player arrives at a destination, and how fast.
static game_exit_t exit_at(sv_context_t *sv, const edict_t *to) {
    vec3_t forward;
    AngleVectors(Vector(0.0f, to->angles.y, 0.0f), &forward, NULL, NULL);
    return (game_exit_t){VectorAdd(to->origin, Vector(0.0f, 0.0f, raise_over(sv, to))),
                         VectorScale(forward, TELEPORT_EXIT_SPEED), true};
}

static void arrive(sv_context_t *sv, edict_t *traveller, const edict_t *to) {
    game_exit_t exit = exit_at(sv, to);
    if (traveller->flags & FL_PUSHABLE) { // its origin may be anywhere
        vec3_t middle = VectorScale(VectorAdd(traveller->mins, traveller->maxs), 0.5f);
        exit.origin =
            VectorSubtract(to->origin, Vector(middle.x, middle.y, traveller->mins.z - 1.0f));
    }
    Game_Show(sv, traveller, traveller->origin, "teleport_out");
    telefrag(sv, traveller, exit.origin);
    sv->engine->teleport(sv, traveller, exit.origin, to->angles, exit.velocity);
    Game_Show(sv, traveller, exit.origin, "teleport_in");
}

static bool is_closed(sv_context_t *sv, const edict_t *teleport) {
    return teleport->targetname && sv->engine->time_ms(sv) >= Game_ConstFields(teleport)->until_ms;
}

void Game_TeleportTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    const client_t *client = sv->engine->client(sv, other);
    int32_t kind = client                         ? NO_CLIENTS
                   : (other->flags & FL_MONSTER)  ? NO_MONSTERS
                   : (other->flags & FL_PUSHABLE) ? NO_CRATES
                                                  : 0;
    bool may = kind != 0 && !(Game_Fields(self)->spawnflags & kind);
    // Do not teleport drivers: a vehicle does not fit where a player fits.
    if (!may || (client && Game_IsDriving(client)) || Game_IsLocked(sv, self) ||
        other->solid == SOLID_NOT) {
        return;
    }
    const edict_t *to = is_closed(sv, self) ? NULL : find_target(sv, self);
    if (to) { // a missing destination was reported at the start of the map
        arrive(sv, other, to);
        Game_UseTargets(sv, self, other);
    }
}

bool Game_ExitOf(sv_context_t *sv, const edict_t *trigger, game_exit_t *exit) {
    if (trigger->touch != GAME_CALLBACK(sv, Game_TeleportTouch) ||
        (Game_ConstFields(trigger)->spawnflags & NO_CLIENTS)) {
        return false;
    }
    const edict_t *to = find_target(sv, trigger);
    if (to) {
        *exit = exit_at(sv, to);
        exit->is_open = !is_closed(sv, trigger) && !Game_IsLocked(sv, trigger);
    }
    return to != NULL;
}

void Game_TeleportUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    Game_Fields(self)->until_ms = sv->engine->time_ms(sv) + TELEPORT_ARMED_MS;
}

void Game_SpawnTeleport(sv_context_t *sv, edict_t *self) {
    if (!Game_InitTrigger(sv, self)) {
        return;
    }
    Game_ReadFlags(sv, self, teleport_flags, COUNTOF(teleport_flags));
    self->touch = GAME_CALLBACK(sv, Game_TeleportTouch);
    self->use = GAME_CALLBACK(sv, Game_TeleportUse);
    sv->engine->link(sv, self, false);
}

// Teleports the activator to the target when fired. A trigger_teleport can also lead here.
void Game_TeleporterUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    client_t *client = activator ? sv->engine->client(sv, activator) : NULL;
    const edict_t *to = find_target(sv, self);
    if (client && to && activator->solid != SOLID_NOT && !Game_IsDriving(client)) {
        arrive(sv, activator, to);
    }
}

void Game_SpawnTeleporter(sv_context_t *sv, edict_t *self) {
    Game_SpawnPoint(sv, self);
    self->use = GAME_CALLBACK(sv, Game_TeleporterUse);
}

// ---- destinations ----

static void check_targets(sv_context_t *sv, const char *classname, bool must_have) {
    const edict_t *edict = NULL;
    while ((edict = sv->engine->find_class(sv, edict, classname)) != NULL) {
        if ((edict->target || must_have) && !find_target(sv, edict)) {
            sv->engine->warn(sv, edict, "leads nowhere: no entity has the targetname \"%.64s\"",
                             sv->engine->text(sv, edict->target));
        }
    }
}

void Game_CheckPads(sv_context_t *sv) {
    edict_t *pad = NULL;
    while ((pad = sv->engine->find_class(sv, pad, "trigger_push")) != NULL) {
        show_throw(sv, pad); // all targets exist now
    }
    check_targets(sv, "trigger_teleport", true);
    check_targets(sv, "trigger_push", false);
    check_targets(sv, "target_teleporter", false);
    check_targets(sv, "target_push", false);
}
