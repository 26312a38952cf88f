/// game/rotating.c - endless motions: func_rotating, func_pendulum, func_bobbing.

#include "game/game.h"
#include "game/pushers.h"

#define START_ON 1
#define REVERSE  2
#define ROLL     4  // about the x axis
#define PITCH    8  // about the y axis; without ROLL and PITCH, about z
#define GRADUAL  16 // gains and loses its speed in steps
#define HURTS    32 // by dmg, who touches it while it turns
#define PASSABLE 64
#define STEP_S   0.1f

#define SWING_PASSABLE 8
#define SWING_RETURNS  16 // to the middle when it is fired off
#define SWING_ROLL     64
#define SWING_PITCH    128
#define LEAST_SWING    1.0f // degrees; a damped pendulum stops below

vec3_t Game_Axis(bool rolls, bool pitches, float degrees) {
    return rolls     ? Vector(0.0f, 0.0f, degrees)
           : pitches ? Vector(degrees, 0.0f, 0.0f)
                     : Vector(0.0f, degrees, 0.0f);
}

// Returns the base for the next motion. A glued pusher keeps the base of the moment of the gluing.
// Any other pusher starts from the current pose.
static pose_t present_base(sv_context_t *sv, const edict_t *self) {
    return self->motion.parent != 0 ? self->motion.base : sv->engine->pusher_pose(sv, self);
}

static void start_turning(sv_context_t *sv, edict_t *self, float speed) {
    const fields_t *fields = Game_Fields(self);
    float turn = (fields->spawnflags & REVERSE) ? -360.0f : 360.0f;
    const motion_t motion = {.kind = MOTION_SPIN,
                             .duration_ms = Q_ToInt(360000.0f / speed, 1, 1000000000),
                             .base = present_base(sv, self),
                             .delta_angles = Game_Axis((fields->spawnflags & ROLL) != 0,
                                                       (fields->spawnflags & PITCH) != 0, turn)};
    sv->engine->pusher_start(sv, self, &motion);
}

// Changes the speed by one step, towards the full speed if `state` is 1, otherwise towards 0.
// `wheels`: percent of the full speed in a step.
void Game_RotatingThink(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    float step = fields->speed * fields->wheels / 100.0f;
    fields->pace = Q_ClampF(fields->pace + (fields->state ? step : -step), 0.0f, fields->speed);
    sv->engine->pusher_stop(sv, self);
    if (fields->pace > 0.0f) {
        start_turning(sv, self, fields->pace);
    }
    if (fields->pace > 0.0f && fields->pace < fields->speed) {
        Game_ThinkIn(sv, self, STEP_S, GAME_CALLBACK(sv, Game_RotatingThink));
    } else {
        sv->engine->next_think(sv, self, 0);
    }
}

void Game_RotatingUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    fields_t *fields = Game_Fields(self);
    bool is_gradual = (fields->spawnflags & GRADUAL) != 0;
    if (!Game_Switches(sv, is_gradual ? fields->state : self->motion.kind == MOTION_SPIN)) {
        return;
    }
    if (is_gradual) {
        fields->state = !fields->state;
        Game_RotatingThink(sv, self);
    } else if (self->motion.kind == MOTION_SPIN) {
        sv->engine->pusher_stop(sv, self);
    } else {
        start_turning(sv, self, fields->speed);
    }
}

void Game_RotatingTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    if (self->motion.kind == MOTION_SPIN) {
        Game_HurtTouch(sv, self, other, trace);
    }
}

static bool init(sv_context_t *sv, edict_t *self, float speed) {
    fields_t *fields = Game_Fields(self);
    if (!Game_InitPusher(sv, self)) {
        return false;
    }
    fields->speed = fields->speed != 0.0f ? fabsf(fields->speed) : speed;
    fields->damage = fields->damage != 0.0f ? fields->damage : 2.0f;
    self->blocked = GAME_CALLBACK(sv, Game_PusherBlocked);
    sv->engine->link(sv, self, false);
    return true;
}

void Game_SpawnRotating(sv_context_t *sv, edict_t *self) {
    if (!init(sv, self, 100.0f)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    bool is_set = fields->wheels > 0.0f && fields->wheels <= 100.0f;
    fields->wheels = is_set ? fields->wheels : 20.0f;
    self->use = GAME_CALLBACK(sv, Game_RotatingUse);
    self->solid = fields->spawnflags & PASSABLE ? SOLID_NOT : SOLID_BSP;
    if (fields->spawnflags & HURTS) {
        self->touch = GAME_CALLBACK(sv, Game_RotatingTouch);
    }
    sv->engine->link(sv, self, false);
    if (fields->spawnflags & START_ON) {
        Game_RotatingUse(sv, self, self, NULL);
    }
}

// Starts a pendulum. `speed`: speed in the middle of the swing, degrees/s.
static void start_swinging(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->distance = fields->distance != 0.0f ? fields->distance : 90.0f;
    float swing = fabsf(fields->distance);
    const motion_t motion = {
        .kind = MOTION_SWING,
        .duration_ms = Q_ToInt(1000.0f * 6.2831853f * swing / fields->speed, 1, 1000000000),
        .base = fields->spawnflags & SWING_RETURNS ? (pose_t){fields->pos1, fields->turn1}
                                                   : present_base(sv, self),
        .delta_angles = Game_Axis((fields->spawnflags & SWING_ROLL) != 0,
                                  (fields->spawnflags & SWING_PITCH) != 0, swing)};
    sv->engine->pusher_start(sv, self, &motion);
    if (fields->wheels > 0.0f) {
        Game_ThinkIn(sv, self, (float)motion.duration_ms / 1000.0f,
                     GAME_CALLBACK(sv, Game_PendulumDamp));
    }
}

// Damps the swing each time the pendulum passes its middle, where its pose does not depend on the
// amplitude. Runs once a period. `damp`: loss in thousandths a second.
void Game_PendulumDamp(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    float period_s = (float)self->motion.duration_ms / 1000.0f;
    float keep = 1.0f - Q_ClampF(fields->wheels, 0.0f, 1000.0f) / 1000.0f * period_s;
    motion_t motion = self->motion;
    motion.delta_angles = VectorScale(motion.delta_angles, Q_ClampF(keep, 0.0f, 1.0f));
    if (VectorLength(motion.delta_angles) < LEAST_SWING) {
        sv->engine->pusher_stop(sv, self);
        return;
    }
    sv->engine->pusher_start(sv, self, &motion);
    Game_ThinkIn(sv, self, period_s, GAME_CALLBACK(sv, Game_PendulumDamp));
}

void Game_PendulumUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other, (void)activator;
    const fields_t *fields = Game_Fields(self);
    if (!Game_Switches(sv, self->motion.kind == MOTION_SWING)) {
        return;
    }
    if (self->motion.kind != MOTION_SWING) {
        start_swinging(sv, self);
        return;
    }
    sv->engine->next_think(sv, self, 0);
    if (fields->spawnflags & SWING_RETURNS) {
        float seconds = fabsf(fields->distance) / fields->speed;
        sv->engine->pusher_move_to(sv, self, (pose_t){fields->pos1, fields->turn1},
                                   Q_ToInt(1000.0f * seconds, 1, 1000000000));
    } else {
        sv->engine->pusher_stop(sv, self);
    }
}

// Spawns a pendulum. Without a targetname it swings at once, because nothing could start it.
void Game_SpawnPendulum(sv_context_t *sv, edict_t *self) {
    if (!init(sv, self, 100.0f)) {
        return;
    }
    self->use = GAME_CALLBACK(sv, Game_PendulumUse);
    Game_Fields(self)->pos1 = self->origin;
    Game_Fields(self)->turn1 = self->angles;
    if (Game_Fields(self)->spawnflags & SWING_PASSABLE) {
        self->solid = SOLID_NOT;
    }
    if ((Game_Fields(self)->spawnflags & START_ON) || !self->targetname) {
        start_swinging(sv, self);
    }
}

// Spawns a bobbing brush. `speed`: seconds for a cycle; `height`: distance to either side, qu.
void Game_SpawnBobbing(sv_context_t *sv, edict_t *self) {
    if (!init(sv, self, 4.0f)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    fields->height = fields->height != 0.0f ? fields->height : 32.0f;
    float reach = fields->height;
    const motion_t motion = {.kind = MOTION_SWING,
                             .duration_ms = Q_ToInt(1000.0f * fields->speed, 1, 1000000000),
                             .base = present_base(sv, self),
                             .delta = (fields->spawnflags & START_ON)  ? Vector(reach, 0.0f, 0.0f)
                                      : (fields->spawnflags & REVERSE) ? Vector(0.0f, reach, 0.0f)
                                                                       : Vector(0.0f, 0.0f, reach)};
    sv->engine->pusher_start(sv, self, &motion);
}
