/// game/pushers.c - setup and movement that doors, plats, trains and rotating entities share.
//
// Units:   qu, qu/s, degrees; a pusher thinks in its local time, which stops while it is blocked.

#include "game/pushers.h"
#include "base/assert.h"
#include "game/game.h"
#include "math/angles.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_SPEED 100.0f
#define ROUNDING      0.01f   // qu and degrees; a record must start at the exact pose to be sent
#define MAX_MOVE      8192.0f // qu or degrees; maximum of the keys that limit_key checks

// Clamps a key that would move the pusher out of the world, where it would be quarantined.
static void limit_key(sv_context_t *sv, const edict_t *self, float *value, const char *key) {
    if (fabsf(*value) <= MAX_MOVE) {
        return;
    }
    float used = *value > 0.0f ? MAX_MOVE : -MAX_MOVE;
    sv->engine->warn(sv, self, "%s: expected -%g to %g, found %g; used %g", key, (double)MAX_MOVE,
                     (double)MAX_MOVE, (double)*value, (double)used);
    *value = used;
}

bool Game_InitPusher(sv_context_t *sv, edict_t *self) {
    if (!Game_HasModel(sv, self)) {
        return false;
    }
    fields_t *fields = Game_Fields(self);
    limit_key(sv, self, &fields->lip, "lip");
    limit_key(sv, self, &fields->height, "height");
    limit_key(sv, self, &fields->distance, "distance");
    limit_key(sv, self, &fields->t_width, "t_width");
    limit_key(sv, self, &fields->t_length, "t_length");
    self->solid = SOLID_BSP;
    self->movetype = MOVETYPE_PUSH;
    return true;
}

void Game_SetMovedir(edict_t *self) {
    AngleVectors(self->angles, &Game_Fields(self)->movedir, NULL, NULL);
    self->angles = vec3_zero;
}

float Game_MoveDistance(const edict_t *self) {
    const fields_t *fields = Game_ConstFields(self);
    vec3_t size = VectorSubtract(self->maxs, self->mins);
    vec3_t along = {fabsf(fields->movedir.x), fabsf(fields->movedir.y), fabsf(fields->movedir.z)};
    return DotProduct(along, size) - fields->lip;
}

void Game_ThinkIn(sv_context_t *sv, edict_t *self, float seconds, int32_t think) {
    self->think = think;
    int64_t in_ms = Game_Ms(seconds);
    sv->engine->next_think(
        sv, self,
        seconds < 0.0f ? 0 : sv->engine->pusher_time(sv, self) + Q_MaxI((int32_t)in_ms, 1));
}

float Game_ShareDone(sv_context_t *sv, const edict_t *self) {
    if (self->motion.kind != MOTION_MOVE) {
        return 1.0f;
    }
    int64_t gone_ms = sv->engine->pusher_time(sv, self) - self->motion.start_ms;
    return gone_ms >= self->motion.duration_ms
               ? 1.0f
               : Q_ClampF((float)gone_ms / (float)self->motion.duration_ms, 0.0f, 1.0f);
}

pose_t Game_PresentPose(sv_context_t *sv, const edict_t *self) {
    const motion_t *motion = &self->motion;
    if (motion->kind != MOTION_MOVE) {
        return motion->parent != 0 ? motion->base : (pose_t){self->origin, self->angles};
    }
    float share = Game_ShareDone(sv, self);
    pose_t pose = {VectorMA(motion->base.origin, share, motion->delta),
                   VectorMA(motion->base.angles, share, motion->delta_angles)};
    bool is_rounding = motion->parent == 0 &&
                       VectorWithin(VectorSubtract(pose.origin, self->origin), ROUNDING) &&
                       VectorWithin(VectorSubtract(pose.angles, self->angles), ROUNDING);
    return is_rounding ? (pose_t){self->origin, self->angles} : pose;
}

// Returns the duration of a movement, or of a turn without one. Speed 0 counts as the default.
static int32_t duration_ms(vec3_t travel, vec3_t turn, float speed) {
    float length = VectorLength(travel);
    length = length > 0.0f ? length : VectorLength(turn);
    float seconds = length / (fabsf(speed) > 0.0f ? fabsf(speed) : DEFAULT_SPEED);
    return Q_ToInt(seconds * 1000.0f + 0.5f, 1, 1000000000);
}

void Game_MoveTo(sv_context_t *sv, edict_t *self, pose_t to, float speed, int32_t think) {
    const motion_t *now = &self->motion;
    // The base of a glued pusher is the world pose at the moment of the gluing.
    bool was_moved = now->kind != MOTION_NONE || now->duration_ms > 0 || now->parent != 0;
    pose_t from = was_moved ? (pose_t){VectorAdd(now->base.origin, now->delta),
                                       VectorAdd(now->base.angles, now->delta_angles)}
                            : (pose_t){self->origin, self->angles};
    int32_t took_ms = duration_ms(VectorSubtract(to.origin, from.origin),
                                  VectorSubtract(to.angles, from.angles), speed);
    // A pusher that reverses early needs only the time of the distance moved so far.
    int64_t gone_ms = sv->engine->pusher_time(sv, self) - now->start_ms;
    if (was_moved && now->kind == MOTION_MOVE && gone_ms < now->duration_ms) {
        float share = (float)gone_ms / (float)now->duration_ms;
        took_ms = Q_ToInt((float)took_ms * share, 1, took_ms);
    }
    ASSERT(took_ms >= 1);
    sv->engine->pusher_move_to(sv, self, to, took_ms);
    Game_After(sv, self, think, took_ms);
}

void Game_PusherBlocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    int32_t damage = Q_ToInt(Game_Fields(self)->damage, 0, 1000000);
    if (damage > 0) {
        Game_Damage(sv, obstacle, self, damage, "was crushed");
    }
}

void Game_Sound(sv_context_t *sv, edict_t *self, const char *name) {
    int32_t set = Q_ClampI(Game_Fields(self)->sounds, 0, 99);
    const game_event_t event = {.kind = GAME_SOUND,
                                .number = sv->engine->sound_index(sv, name),
                                .entity = sv->engine->number(sv, self),
                                .range = GAME_SOUND_RANGE,
                                .volume = 1.0f,
                                .num_args = set > 0 ? 1 : 0,
                                .args = {set}};
    sv->engine->event(sv, &event, NULL, false);
}

// ---- fields ----

edict_t *Game_SpawnField(sv_context_t *sv, edict_t *pusher, bounds_t box, int32_t touch) {
    edict_t *field = sv->engine->spawn(sv);
    if (!field) {
        return NULL; // the engine counts failed spawns
    }
    field->classname = sv->engine->string(sv, "trigger_field");
    field->solid = SOLID_TRIGGER;
    field->movetype = MOVETYPE_NONE;
    field->visibility = VISIBLE_NOBODY;
    field->origin = VectorScale(VectorAdd(box.mins, box.maxs), 0.5f);
    field->mins = VectorSubtract(box.mins, field->origin);
    field->maxs = VectorSubtract(box.maxs, field->origin);
    field->touch = touch;
    Game_Fields(field)->master = sv->engine->ref(sv, pusher);
    Game_Fields(field)->movewith = Game_Fields(pusher)->movewith;
    sv->engine->link(sv, field, false);
    return field;
}

// ---- riding on other pushers ----

static void refuse_ride(sv_context_t *sv, edict_t *child, const char *why, const char *name) {
    sv->engine->warn(sv, child, "movewith \"%.64s\": %s, so it stays where it is", name, why);
    Game_Fields(child)->movewith = 0;
}

// Returns true for a trigger field (Game_SpawnField) whose pusher could not be glued to its parent.
static bool is_field_of_refused(sv_context_t *sv, edict_t *child) {
    edict_t *pusher = sv->engine->deref(sv, Game_Fields(child)->master);
    return child->solid == SOLID_TRIGGER && pusher && Game_Fields(pusher)->movewith == 0;
}

// Attaches an entity to a bone of its parent's model, such as a weapon to a hand. The entity does
// not collide with its parent.
static void join_bone(sv_context_t *sv, edict_t *child, edict_t *parent, const char *name) {
    const pose_t place = {child->origin, child->angles};
    const char *bone = sv->engine->text(sv, Game_Fields(child)->bone);
    int32_t movetype = child->movetype;
    bool follows = sv->engine->follow(sv, child, parent, vec3_zero, child->angles);
    if (follows && sv->engine->follow_bone(sv, child, bone)) {
        child->owner = sv->engine->ref(sv, parent);
        return;
    }
    if (follows) {
        sv->engine->follow(sv, child, NULL, vec3_zero, vec3_zero);
        child->movetype = movetype;
        child->origin = place.origin;
        child->angles = place.angles;
        sv->engine->link(sv, child, false);
    }
    refuse_ride(sv, child, "it cannot follow that bone", name);
}

static void join_pusher(sv_context_t *sv, edict_t *child) {
    const char *name = sv->engine->text(sv, Game_Fields(child)->movewith);
    edict_t *parent = sv->engine->find_target(sv, NULL, name);
    if (!parent || parent == child) {
        refuse_ride(sv, child,
                    parent ? "that is the entity itself" : "no entity has that targetname", name);
        return;
    }
    if (Game_Fields(child)->bone) {
        join_bone(sv, child, parent, name);
        return;
    }
    if (parent->movetype != MOVETYPE_PUSH) {
        refuse_ride(sv, child, "that entity is not a pusher", name);
        return;
    }
    if (child->movetype == MOVETYPE_NONE && (child->model > 0 || child->solid == SOLID_TRIGGER)) {
        child->movetype = MOVETYPE_PUSH; // a wall or trigger, which moves only with the parent
    }
    if (child->movetype == MOVETYPE_PUSH) {
        if (!sv->engine->pusher_glue(sv, child, parent)) {
            refuse_ride(sv, child, "each would ride on the other", name);
        }
        return;
    }
    sv->engine->follow(sv, child, parent, VectorSubtract(child->origin, parent->origin),
                       child->angles);
}

void Game_JoinPushers(sv_context_t *sv) {
    for (int32_t i = 1; i < sv->engine->num_edicts(sv); i++) {
        edict_t *child = sv->engine->edict(sv, i);
        if (child && !sv->engine->client(sv, child) && Game_Fields(child)->movewith &&
            !is_field_of_refused(sv, child)) {
            join_pusher(sv, child);
        }
    }
}
