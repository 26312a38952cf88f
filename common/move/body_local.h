/// move/body_local.h - types and functions that the movers of body.h have in common.
//
// Units:   qu, qu/s; dt in seconds.

#ifndef EDICTD_MOVE_BODY_LOCAL_H
#define EDICTD_MOVE_BODY_LOCAL_H

#include "move/body.h"

#define BODY_MIN_FLOOR 0.7f // minimum normal.z of ground; steeper planes are walls

typedef struct {
    pm_body_t *body;
    const movevars_t *vars;
    const pm_world_t *world;
    float dt;
} body_move_t;

static inline trace_t Body_Trace(const body_move_t *move, vec3_t from, vec3_t to) {
    const pm_body_t *body = move->body;
    return move->world->trace(move->world->context, from, body->mins, body->maxs, to);
}

static inline trace_t Body_Ray(const body_move_t *move, vec3_t from, vec3_t to) {
    return move->world->trace(move->world->context, from, vec3_zero, vec3_zero, to);
}

static inline vec3_t Body_Raised(vec3_t v, float by) {
    return Vector(v.x, v.y, v.z + by);
}

static inline vec3_t Body_Flat(vec3_t v) {
    return Vector(v.x, v.y, 0.0f);
}

static inline void Body_Stand(pm_body_t *body, int32_t ground, vec3_t up) {
    body->ground = ground;
    body->up = up;
    body->velocity.z = 0.0f;
}

static inline void Body_Fall(pm_body_t *body) {
    body->ground = -1;
    body->up = Vector(0.0f, 0.0f, 1.0f);
}

static inline void Body_Block(pm_body_t *body, vec3_t normal, int32_t entnum) {
    body->blocked = normal;
    body->bumped = entnum;
}

/// Returns v without its component into a plane.
static inline vec3_t Body_Clip(vec3_t v, vec3_t normal) {
    float into = DotProduct(v, normal);
    return into < 0.0f ? VectorMA(v, -into, normal) : v;
}

void Body_RayMove(const body_move_t *move);
void Body_SweepMove(const body_move_t *move);
void Body_DropMove(const body_move_t *move);

#endif
