/// game/momentary.c - momentary_rot_button: a valve that turns while a player holds the use button,
/// and momentary_door, whose position follows the valve. Valves with one target turn together.
//
// Units:   degrees, s; ms of world time.
//
// Both move by one motion that ends at their limit, and stop when the button is released. Fields:
// `until_ms` = end of the present use, `state` = direction of the turn, 1 or -1, `pos1`, `pos2`,
// `turn1`, `turn2` = both ends.

#include "game/game.h"
#include "game/near.h"
#include "game/pushers.h"
#include "game/vehicles.h"
#include "math/angles.h"

#define AUTO_RETURN 16 // spawnflags of the valve
#define TURN_ROLL   64
#define TURN_PITCH  128
#define DOOR        1 // turns with the other valves, and is not used itself
static const flag_t valve_flags[] = {{1, 1, DOOR},
                                     {-2, -2, FLAG_BY_HAND},
                                     {16, 16, AUTO_RETURN},
                                     {64, 64, TURN_ROLL},
                                     {128, 128, TURN_PITCH}};

#define STARTS_OPEN 1 // of the door

#define HOLD_MS       100   // a use counts this long, so a held button turns without a break
#define STOP_MS       32    // doors catch up in this time when their valve stops
#define REACH         40.0f // qu from the player's box
#define DEFAULT_SPEED 100.0f
#define LEAST_TURN    1.0f // degrees

// Returns how far the valve is turned, 0 to 1.
static float value_of(sv_context_t *sv, edict_t *valve) {
    const fields_t *fields = Game_Fields(valve);
    vec3_t all = VectorSubtract(fields->turn2, fields->turn1);
    vec3_t gone = VectorSubtract(Game_PresentPose(sv, valve).angles, fields->turn1);
    return Q_ClampF(DotProduct(all, gone) / DotProduct(all, all), 0.0f, 1.0f);
}

// Moves a part to the place of a value.
static void move_part(sv_context_t *sv, edict_t *part, float value, int32_t ms) {
    const fields_t *fields = Game_Fields(part);
    vec3_t travel = VectorSubtract(fields->pos2, fields->pos1);
    vec3_t angles = VectorSubtract(fields->turn2, fields->turn1);
    sv->engine->pusher_move_to(
        sv, part,
        (pose_t){VectorMA(fields->pos1, value, travel), VectorMA(fields->turn1, value, angles)},
        ms);
}

static bool is_valve(sv_context_t *sv, const edict_t *edict) {
    return edict->use == GAME_CALLBACK(sv, Game_MomentaryUse);
}

static bool is_door(sv_context_t *sv, const edict_t *edict) {
    return edict->classname == sv->engine->string(sv, "momentary_door");
}

// Moves the valve, its doors, and the valves with the same target to the places of a value.
static void move_all(sv_context_t *sv, edict_t *valve, float value, int32_t ms) {
    edict_t *door = NULL;
    edict_t *other = NULL;
    move_part(sv, valve, value, ms);
    while (valve->target && (door = sv->engine->find_target(
                                 sv, door, sv->engine->text(sv, valve->target))) != NULL) {
        if (is_door(sv, door)) {
            move_part(sv, door, value, ms);
        }
    }
    while (valve->target &&
           (other = sv->engine->find_class(sv, other, "momentary_rot_button")) != NULL) {
        if (other != valve && other->target == valve->target) {
            move_part(sv, other, value, ms);
        }
    }
}

// Turns the valve to an end. `speed`: degrees/s.
static void turn(sv_context_t *sv, edict_t *valve, bool to_end, float speed) {
    float value = value_of(sv, valve);
    float left = fabsf(Game_Fields(valve)->distance) * (to_end ? 1.0f - value : value);
    move_all(sv, valve, to_end ? 1.0f : 0.0f, Q_ToInt(left / speed * 1000.0f, 1, 1000000000));
}

void Game_MomentaryThink(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    int64_t now = sv->engine->time_ms(sv);
    if (now < fields->until_ms) {
        Game_ThinkIn(sv, self, (float)(fields->until_ms - now) / 1000.0f,
                     GAME_CALLBACK(sv, Game_MomentaryThink));
    } else if (fields->spawnflags & AUTO_RETURN) {
        turn(sv, self, false, fields->bank);
    } else {
        move_all(sv, self, value_of(sv, self), STOP_MS);
    }
}

// Turns the valve for HOLD_MS. A use after a pause turns it in the other direction.
void Game_MomentaryUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    fields_t *fields = Game_Fields(self);
    int64_t now = sv->engine->time_ms(sv);
    bool is_held = now < fields->until_ms;
    fields->until_ms = now + HOLD_MS;
    if (is_held) {
        return;
    }
    float value = value_of(sv, self);
    fields->state = fields->spawnflags & AUTO_RETURN ? 1 : -fields->state;
    fields->state = value >= 1.0f ? -1 : value <= 0.0f ? 1 : fields->state;
    turn(sv, self, fields->state > 0, fields->speed);
    Game_ThinkIn(sv, self, (float)HOLD_MS / 1000.0f, GAME_CALLBACK(sv, Game_MomentaryThink));
}

// Returns how far an entity is from the middle of a player's view: 1 = in the middle, -1 = behind
// the player. Returns -2 if something is between.
static float view_of(sv_context_t *sv, const edict_t *player, const edict_t *edict) {
    const vec3_t eyes = sv->engine->eyes(sv, player);
    const vec3_t nearest = VectorMax(edict->absmin, VectorMin(edict->absmax, eyes));
    trace_t trace = sv->engine->trace(sv, eyes, vec3_zero, vec3_zero, nearest, false, player);
    vec3_t forward;
    vec3_t middle = VectorScale(VectorAdd(edict->absmin, edict->absmax), 0.5f);
    AngleVectors(sv->engine->client(sv, player)->player.angles, &forward, NULL, NULL);
    bool is_hidden = trace.fraction < 1.0f && trace.entnum != sv->engine->number(sv, edict);
    return is_hidden ? -2.0f
                     : DotProduct(forward, VectorNormalize(VectorSubtract(middle, eyes), NULL));
}

void Game_UseNear(sv_context_t *sv, edict_t *player, bool pressed) {
    const vec3_t reach = {REACH, REACH, REACH};
    near_t near = Game_NearStart(
        sv, (bounds_t){VectorSubtract(player->absmin, reach), VectorAdd(player->absmax, reach)});
    edict_t *edict, *best = NULL;
    float most = -2.0f;
    while ((edict = Game_NearNext(sv, &near)) != NULL) {
        bool works = (Game_Fields(edict)->spawnflags & FLAG_BY_HAND) && edict->use != 0 &&
                     (pressed || is_valve(sv, edict));
        float view = works ? view_of(sv, player, edict) : -2.0f;
        if (view > most) {
            most = view;
            best = edict;
        }
    }
    if (best) {
        sv->engine->use(sv, best, player, player);
    }
}

void Game_SpawnMomentaryButton(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    Game_ReadFlags(sv, self, valve_flags, COUNTOF(valve_flags));
    if (fields->spawnflags & DOOR) {
        fields->spawnflags &= ~FLAG_BY_HAND;
    }
    bool rolls = (fields->spawnflags & TURN_ROLL) != 0;
    bool pitches = (fields->spawnflags & TURN_PITCH) != 0;
    fields->speed = fields->speed != 0.0f ? fabsf(fields->speed) : DEFAULT_SPEED;
    fields->bank = fields->bank != 0.0f ? fabsf(fields->bank) : fields->speed;
    fields->distance = fields->distance != 0.0f ? fields->distance : 90.0f;
    if (fabsf(fields->distance) < LEAST_TURN) {
        sv->engine->warn(sv, self, "distance: expected at least %g degrees, found %g",
                         (double)LEAST_TURN, (double)fields->distance);
        fields->distance = LEAST_TURN;
    }
    fields->pos1 = fields->pos2 = self->origin;
    fields->turn1 = self->angles;
    fields->turn2 = VectorAdd(self->angles, Game_Axis(rolls, pitches, fields->distance));
    fields->state = -1;
    self->use = GAME_CALLBACK(sv, Game_MomentaryUse);
    self->blocked = GAME_CALLBACK(sv, Game_PusherBlocked);
    sv->engine->link(sv, self, false);
}

void Game_SpawnMomentaryDoor(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    Game_SetMovedir(self);
    vec3_t far = VectorMA(self->origin, Game_MoveDistance(self), fields->movedir);
    bool is_open = (fields->spawnflags & STARTS_OPEN) != 0;
    fields->pos1 = is_open ? far : self->origin;
    fields->pos2 = is_open ? self->origin : far;
    fields->turn1 = fields->turn2 = self->angles;
    self->origin = fields->pos1;
    self->blocked = GAME_CALLBACK(sv, Game_PusherBlocked);
    sv->engine->link(sv, self, false);
}
