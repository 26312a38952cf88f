/// game/secret_doors.c - func_door_secret: moves back (or down), then sideways, and returns.

#include "game/game.h"
#include "game/pushers.h"
#include "math/angles.h"

#define OPEN_ONCE    1
#define FIRST_LEFT   2
#define FIRST_DOWN   4
#define NOT_SHOT     8
#define ALWAYS_SHOT  16
#define DEFAULT_SIDE 1.0f // s between the two movements

/// The steps of a secret door, in this order.
typedef enum {
    SECRET_CLOSED,
    SECRET_BACK,   // moving back
    SECRET_PAUSE,  // waiting at the back
    SECRET_ASIDE,  // moving sideways
    SECRET_OPEN,   // open, waiting
    SECRET_RETURN, // returning to the back position
    SECRET_PAUSE_2,
    SECRET_FORWARD, // returning to the frame
    SECRET_STEPS
} secret_step_t;

// Moves a secret door. Fields: pos1, pos2 and velocity = closed, back and open position.
static void go(sv_context_t *sv, edict_t *self, vec3_t to) {
    const fields_t *fields = Game_Fields(self);
    Game_MoveTo(sv, self, (pose_t){to, fields->turn1}, fields->speed,
                GAME_CALLBACK(sv, Game_SecretStep));
}

void Game_SecretStep(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    int32_t think = GAME_CALLBACK(sv, Game_SecretStep);
    fields->state = (fields->state + 1) % SECRET_STEPS;
    Game_Sound(sv, self, "door_stop");
    switch ((secret_step_t)fields->state) {
    case SECRET_BACK:
    case SECRET_RETURN:
        go(sv, self, fields->pos2);
        break;
    case SECRET_PAUSE:
    case SECRET_PAUSE_2:
        Game_ThinkIn(sv, self, DEFAULT_SIDE, think);
        break;
    case SECRET_ASIDE:
        go(sv, self, fields->velocity);
        break;
    case SECRET_OPEN:
        Game_ThinkIn(sv, self, (fields->spawnflags & OPEN_ONCE) ? -1.0f : fields->wait, think);
        break;
    case SECRET_FORWARD:
        go(sv, self, fields->pos1);
        break;
    case SECRET_CLOSED:
    case SECRET_STEPS:
        fields->health = fields->max_health;
        break;
    }
}

void Game_SecretUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    if (Game_Fields(self)->state != SECRET_CLOSED) {
        return;
    }
    Game_UseTargets(sv, self, activator);
    Game_SecretStep(sv, self);
}

void Game_SecretTouch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    const fields_t *fields = Game_Fields(self);
    if (fields->message && fields->state == SECRET_CLOSED) {
        Game_CenterPrint(sv, other, sv->engine->text(sv, fields->message));
    }
}

static float extent(vec3_t along, vec3_t size) {
    return fabsf(along.x) * size.x + fabsf(along.y) * size.y + fabsf(along.z) * size.z;
}

void Game_SpawnSecretDoor(sv_context_t *sv, edict_t *self) {
    if (!Game_InitPusher(sv, self)) {
        return;
    }
    fields_t *fields = Game_Fields(self);
    vec3_t forward, right, up;
    AngleVectors(self->angles, &forward, &right, &up);
    self->angles = vec3_zero;
    vec3_t size = VectorSubtract(self->maxs, self->mins);
    bool down = (fields->spawnflags & FIRST_DOWN) != 0;
    vec3_t back = down ? VectorNegate(up)
                       : VectorScale(right, (fields->spawnflags & FIRST_LEFT) ? -1.0f : 1.0f);
    float width = fields->t_width != 0.0f ? fields->t_width : extent(back, size);
    float length = fields->t_length != 0.0f ? fields->t_length : extent(forward, size);
    fields->speed = fields->speed != 0.0f ? fabsf(fields->speed) : 50.0f;
    fields->wait = fields->wait != 0.0f ? fields->wait : 5.0f;
    fields->damage = fields->damage != 0.0f ? fields->damage : 2.0f;
    fields->pos1 = self->origin;
    fields->pos2 = VectorMA(self->origin, width, back);
    fields->velocity = VectorMA(fields->pos2, length, forward);
    bool is_shot = !(fields->spawnflags & NOT_SHOT) &&
                   (!self->targetname || (fields->spawnflags & ALWAYS_SHOT));
    fields->max_health = is_shot ? 1 : 0;
    fields->health = fields->max_health;
    self->use = GAME_CALLBACK(sv, Game_SecretUse);
    self->touch = GAME_CALLBACK(sv, Game_SecretTouch);
    self->blocked = GAME_CALLBACK(sv, Game_PusherBlocked);
    sv->engine->link(sv, self, false);
}
