/// game/trains.c - func_train: moves from path_corner to path_corner.
//
// A train moves the lowest corner of its box to the path corner. Keys of a path corner: `wait` =
// seconds of the stop, -1 = until fired. `speed` = speed after the corner. `bend` = offset of the
// middle of the path from the straight line.

#include "game/game.h"
#include "game/pushers.h"

#include <stdio.h>

#define TURNS       1 // takes the angles of the path corners (an addition)
#define PASSABLE    2
#define MAX_HOPS    32 // maximum corners at one position that are passed in one call
#define STATE_FOUND 1  // at a corner; waits to be fired
#define STATE_GOES  2  // on the route

#define CORNER_WAITS    1 // spawnflags of a path_corner: until it is fired again
#define CORNER_TELEPORT 2 // the train appears there
#define CORNER_ONCE     4 // fires only once

static const flag_t train_flags[] = {{8, 0, TURNS}, {0, 8, PASSABLE}};

static edict_t *find_corner(sv_context_t *sv, edict_t *self) {
    return self->target ? sv->engine->find_target(sv, NULL, sv->engine->text(sv, self->target))
                        : NULL;
}

static void warn_lost(sv_context_t *sv, const edict_t *self) {
    sv->engine->warn(sv, self,
                     "no path_corner has the targetname \"%.64s\", so it stays where it is",
                     sv->engine->text(sv, self->target));
}

// Stops a train on a loop of corners at one position, which would never end.
static bool is_endless_loop(sv_context_t *sv, edict_t *self, float length, float wait) {
    fields_t *fields = Game_Fields(self);
    fields->count = length > 0.0f || wait != 0.0f ? 0 : fields->count + 1;
    if (fields->count < MAX_HOPS) {
        return false;
    }
    sv->engine->warn(sv, self, "all path_corners are at one position, so the train does not move");
    self->use = 0;
    return true;
}

static pose_t pose_at(const edict_t *self, edict_t *corner) {
    int32_t flags = Game_ConstFields(self)->spawnflags;
    return (pose_t){VectorSubtract(corner->origin, self->mins),
                    (flags & TURNS) ? corner->angles : self->angles};
}

// Puts the train at the first corner. Runs as a think, because maps may list corners after trains.
void Game_TrainFind(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    edict_t *corner = find_corner(sv, self);
    if (!corner) {
        warn_lost(sv, self);
        return;
    }
    pose_t start = pose_at(self, corner);
    fields->state = STATE_FOUND;
    fields->turn1 = start.angles;
    self->target = corner->target;
    fields->pos1 = start.origin;
    sv->engine->pusher_move_to(sv, self, start, 0);
    if (!self->targetname) { // a train with a targetname waits to be fired
        Game_ThinkIn(sv, self, 0.1f, GAME_CALLBACK(sv, Game_TrainNext));
    }
}

// Computes the motion from `from` to a corner. Returns its length: qu, or degrees of a pure turn.
static float leg_to(const edict_t *self, pose_t from, edict_t *corner, float speed,
                    motion_t *motion) {
    const fields_t *stop = Game_ConstFields(corner);
    pose_t to = pose_at(self, corner);
    vec3_t travel = VectorSubtract(to.origin, from.origin);
    vec3_t turn = VectorSubtract(to.angles, from.angles);
    float length = VectorLength(travel);
    // A bend of height h lengthens a path of length d by about 8/3 * h * h / d.
    float bow = VectorLength(stop->bend);
    length += length > 1.0f ? 8.0f / 3.0f * bow * bow / length : 0.0f;
    length = length > 0.0f ? length : VectorLength(turn); // a turn without movement
    float seconds = stop->spawnflags & CORNER_TELEPORT ? 0.0f : length / speed;
    *motion = (motion_t){.kind = MOTION_MOVE,
                         .duration_ms = Q_ToInt(seconds * 1000.0f + 0.5f, 1, 1000000000),
                         .base = from,
                         .delta = travel,
                         .delta_angles = turn,
                         .bend = stop->bend};
    return length;
}

// Announces the leg after the present one, unless the train will wait to be fired.
static void announce(sv_context_t *sv, edict_t *self, int32_t took_ms) {
    const fields_t *fields = Game_ConstFields(self);
    edict_t *corner = fields->wait < 0.0f ? NULL : find_corner(sv, self);
    if (corner) {
        motion_t motion;
        (void)leg_to(self, (pose_t){fields->pos1, fields->turn1}, corner, fields->speed, &motion);
        int32_t wait_ms = fields->wait > 0.0f ? Q_MaxI((int32_t)Game_Ms(fields->wait), 1) : 0;
        sv->engine->pusher_next(sv, self, &motion, took_ms + wait_ms);
    }
}

void Game_TrainNext(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    edict_t *corner = find_corner(sv, self);
    if (!corner) {
        warn_lost(sv, self);
        fields->state = STATE_FOUND;
        return;
    }
    const fields_t *stop = Game_Fields(corner);
    motion_t motion;
    float length =
        leg_to(self, (pose_t){fields->pos1, fields->turn1}, corner, fields->speed, &motion);
    if (is_endless_loop(sv, self, length, stop->wait)) {
        return;
    }
    pose_t to = pose_at(self, corner);
    self->target = corner->target;
    fields->pos1 = to.origin;
    fields->turn1 = to.angles;
    fields->wait = stop->spawnflags & CORNER_WAITS ? -1.0f : stop->wait;
    fields->state = STATE_GOES;
    fields->chain = stop->message ? sv->engine->ref(sv, corner) : (edict_ref_t){0, 0};
    sv->engine->pusher_start(sv, self, &motion);
    Game_After(sv, self, GAME_CALLBACK(sv, Game_TrainArrived), motion.duration_ms);
    if (stop->speed > 0.0f) {
        fields->speed = stop->speed;
    }
    announce(sv, self, motion.duration_ms);
}

// Fires the `message` of a corner that was reached; NULL = it has none.
static void fire_corner(sv_context_t *sv, edict_t *self, edict_t *corner) {
    int32_t message = corner ? Game_Fields(corner)->message : 0;
    if (message && (Game_Fields(corner)->spawnflags & CORNER_ONCE)) {
        Game_Fields(corner)->message = 0;
    }
    Game_FireName(sv, self, NULL, message);
}

void Game_TrainArrived(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    edict_t *corner = sv->engine->deref(sv, fields->chain);
    if (fields->wait != 0.0f) {
        Game_Sound(sv, self, "train_stop");
    }
    if (fields->wait < 0.0f) {
        fields->state = STATE_FOUND;
    } else if (fields->wait > 0.0f) {
        Game_ThinkIn(sv, self, fields->wait, GAME_CALLBACK(sv, Game_TrainNext));
    } else {
        Game_TrainNext(sv, self);
    }
    fire_corner(sv, self, corner);
}

void Game_TrainUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    if (Game_Fields(self)->state == STATE_FOUND) {
        Game_TrainNext(sv, self);
    }
}

void Game_SpawnTrain(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    if (self->model > 0) {
        Game_InitPusher(sv, self);
    } else { // decoration that moves
        self->movetype = MOVETYPE_PUSH;
        self->solid = SOLID_NOT;
    }
    Game_ReadFlags(sv, self, train_flags, COUNTOF(train_flags));
    self->solid = fields->spawnflags & PASSABLE ? SOLID_NOT : self->solid;
    fields->speed = fields->speed > 0.0f ? fields->speed : Game_Default(sv, 0.0f, 100.0f, 64.0f);
    fields->damage = fields->damage != 0.0f ? fields->damage : 2.0f;
    self->use = GAME_CALLBACK(sv, Game_TrainUse);
    self->blocked = GAME_CALLBACK(sv, Game_PusherBlocked);
    sv->engine->link(sv, self, false);
    Game_ThinkIn(sv, self, 0.1f, GAME_CALLBACK(sv, Game_TrainFind));
}
