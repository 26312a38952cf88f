/// game/volumes.c - ladders, volumes of friction, conveyors, crates and breakables.

#include "game/game.h"
#include "game/pushers.h"

#define CONVEYOR_OFF    1 // spawnflag: starts off
#define CONVEYOR_OPEN   2 // spawnflag: not solid
#define BREAK_ON_TOUCH  2 // spawnflag
#define BREAK_ONLY_USED 1 // spawnflag: cannot be shot

#define CRATE_UNBREAKABLE 1
static const flag_t crate_flags[] = {{0, -128, CRATE_UNBREAKABLE}};
#define CRATE_FRICTION     50.0f // usual value of friction in Half-Life's maps
#define MAX_CRATE_FRICTION 400.0f

#define DEFAULT_FRICTION_PERCENT 15.0f
#define MAX_FRICTION_PERCENT     10000.0f // limit of the protocol

void Game_SpawnLadder(sv_context_t *sv, edict_t *self) {
    if (!Game_HasModel(sv, self)) {
        return;
    }
    self->solid = SOLID_TRIGGER;
    self->contents = CONTENTS_LADDER;
    sv->engine->link(sv, self, false);
}

// A volume of empty contents: clients predict its friction.
void Game_SpawnFriction(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    if (!Game_InitTrigger(sv, self)) {
        return;
    }
    bool is_set = fields->friction > 0.0f && fields->friction <= MAX_FRICTION_PERCENT;
    fields->friction = is_set ? fields->friction : DEFAULT_FRICTION_PERCENT;
    self->contents = CONTENTS_EMPTY;
    self->friction = fields->friction / 100.0f;
    sv->engine->link(sv, self, false);
}

// ---- conveyors ----

static void set_conveyor(sv_context_t *sv, edict_t *self, bool on) {
    const fields_t *fields = Game_Fields(self);
    self->surface_velocity = VectorScale(fields->movedir, on ? fields->speed : 0.0f);
    self->effects = on ? 1 : 0;
    sv->engine->link(sv, self, false); // wakes its riders
}

void Game_ConveyorUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    if (Game_Switches(sv, self->effects != 0)) {
        set_conveyor(sv, self, self->effects == 0);
    }
}

void Game_SpawnConveyor(sv_context_t *sv, edict_t *self) {
    if (!Game_HasModel(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    self->solid = (fields->spawnflags & CONVEYOR_OPEN) ? SOLID_NOT : SOLID_BSP;
    fields->speed = fields->speed != 0.0f ? fields->speed : 100.0f;
    Game_SetMovedir(self);
    self->use = GAME_CALLBACK(sv, Game_ConveyorUse);
    set_conveyor(sv, self, !(fields->spawnflags & CONVEYOR_OFF));
}

// ---- crates and breakables ----

void Game_BreakableUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    vec3_t middle = VectorScale(VectorAdd(self->absmin, self->absmax), 0.5f);
    Game_Show(sv, self, middle, "break");
    Game_UseTargets(sv, self, activator);
    sv->engine->remove(sv, self);
}

void Game_BreakableTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    if (sv->engine->client(sv, other)) {
        Game_BreakableUse(sv, self, other, other);
    }
}

static void set_health(sv_context_t *sv, edict_t *self, int32_t health) {
    fields_t *fields = Game_Fields(self);
    fields->health = fields->health > 0 ? fields->health : health;
    fields->max_health = fields->health;
    if (fields->max_health > 0) {
        self->use = GAME_CALLBACK(sv, Game_BreakableUse);
    }
}

void Game_SpawnBreakable(sv_context_t *sv, edict_t *self) {
    if (!Game_HasModel(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    self->solid = SOLID_BSP;
    set_health(sv, self, 20);
    if (fields->spawnflags & BREAK_ONLY_USED) {
        fields->max_health = 0;
    }
    if (fields->spawnflags & BREAK_ON_TOUCH) {
        self->touch = GAME_CALLBACK(sv, Game_BreakableTouch);
    }
    sv->engine->link(sv, self, false);
}

// Spawns a crate. The shape is a box, so the map needs no hulls or brushes for the crate.
void Game_SpawnPushable(sv_context_t *sv, edict_t *self) {
    if (!Game_HasModel(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    Game_ReadFlags(sv, self, crate_flags, COUNTOF(crate_flags));
    if (fields->spawnflags & CRATE_UNBREAKABLE) {
        fields->health = 0;
    }
    self->solid = SOLID_BBOX;
    self->movetype = MOVETYPE_STEP;
    self->flags |= FL_PUSHABLE;
    self->friction = Q_ClampF(fields->friction, 0.0f, MAX_CRATE_FRICTION) /
                     (Game_IsHalfLife(sv) ? CRATE_FRICTION : 1.0f);
    self->gravity = fields->gravity;
    set_health(sv, self, 0);
    sv->engine->link(sv, self, true);
}
