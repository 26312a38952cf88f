/// move/ray_mover.c - MOVER_RAY: moves a point over terrain (article 002, docs/physics.md).
//
// The article's rules: a body more than 0.1 qu above the ground falls. An obstacle on
// the ray from 1.0 qu above the foot stops the body. Uphill, ground that is too steep along or
// across the path stops it too. The body's up axis is the terrain's normal.
//
// Corrections: the article finds ground only at the old position, so a body hops downhill and stops
// short uphill. Here a second ray finds ground at the end of the move, within the steepest
// walkable slope.

#include "math/angles.h"
#include "move/body_local.h"

#define RAISE      1.0f // rays start this far above the foot, qu; climbs lower steps
#define GROUND_GAP 0.1f // a body farther above the ground falls, qu

/// Returns the tangent of the steepest slope; `degrees` out of range counts as normal.z 0.7.
static float slope_limit(float degrees) {
    if (!(degrees > 0.0f && degrees < 89.0f)) {
        return 1.0202041f;
    }
    float sine, cosine;
    SinCos(degrees, &sine, &cosine);
    return sine / cosine;
}

static vec3_t foot(const pm_body_t *body) {
    return Vector(body->origin.x + 0.5f * (body->mins.x + body->maxs.x),
                  body->origin.y + 0.5f * (body->mins.y + body->maxs.y),
                  body->origin.z + body->mins.z);
}

static void put_foot(pm_body_t *body, vec3_t from, vec3_t to) {
    body->origin = VectorAdd(body->origin, VectorSubtract(to, from));
}

/// Returns true if a plane is walkable along and across a path.
static bool may_stand(const pm_body_t *body, vec3_t normal, vec3_t path) {
    if (!(normal.z > 0.0f)) {
        return false;
    }
    vec3_t ahead = VectorNormalize(Body_Flat(path), NULL);
    vec3_t right = {ahead.y, -ahead.x, 0.0f};
    float pitch = -DotProduct(normal, ahead) / normal.z;
    float roll = fabsf(DotProduct(normal, right)) / normal.z;
    return pitch <= slope_limit(body->max_pitch) && roll <= slope_limit(body->max_roll);
}

static bool lands(const pm_body_t *body, const trace_t *trace) {
    return trace->fraction < 1.0f && trace->plane.normal.z >= BODY_MIN_FLOOR &&
           body->velocity.z <= 0.0f;
}

static void land(pm_body_t *body, vec3_t from, const trace_t *trace) {
    put_foot(body, from, trace->endpos);
    body->velocity = vec3_zero;
    Body_Stand(body, trace->entnum, trace->plane.normal);
}

/// Clips a path or velocity to a wall, without climbing.
static vec3_t along(vec3_t v, vec3_t normal) {
    return Body_Clip(Body_Clip(v, VectorNormalize(Body_Flat(normal), NULL)), normal);
}

/// Slides along obstacles in a fall or rise.
static void fall_along(const body_move_t *move, vec3_t from, vec3_t to, trace_t trace) {
    pm_body_t *body = move->body;
    // Start at the foot: a higher start would lift the body.
    trace_t own = Body_Ray(move, from, to);
    if (!own.startsolid) {
        trace = own;
    }
    // Slide along the first wall; in a corner of two, move straight down.
    for (int32_t i = 0; i < 2 && trace.fraction < 1.0f && !lands(body, &trace); i++) {
        vec3_t normal = trace.plane.normal;
        vec3_t rest = along(VectorSubtract(to, trace.endpos), normal);
        Body_Block(body, normal, trace.entnum);
        body->velocity = along(body->velocity, normal);
        rest = i == 0 ? rest : Vector(0.0f, 0.0f, rest.z);
        to = VectorAdd(trace.endpos, rest);
        trace = Body_Ray(move, trace.endpos, to);
    }
    if (lands(body, &trace)) {
        land(body, from, &trace);
    } else {
        put_foot(body, from, trace.endpos);
    }
}

static void fly(const body_move_t *move) {
    pm_body_t *body = move->body;
    vec3_t from = foot(body);
    vec3_t to = VectorMA(from, move->dt, body->velocity);
    trace_t trace = Body_Ray(move, Body_Raised(from, RAISE), to);
    if (trace.startsolid) {
        // A ceiling is close above the foot: move only up or down.
        body->velocity = Vector(0.0f, 0.0f, body->velocity.z);
        to = Vector(from.x, from.y, to.z);
        trace = Body_Ray(move, from, to);
    }
    if (trace.fraction == 1.0f) {
        put_foot(body, from, to);
    } else if (lands(body, &trace)) {
        land(body, from, &trace);
    } else {
        fall_along(move, from, to, trace);
    }
}

static void stop(pm_body_t *body, const trace_t *trace) {
    Body_Block(body, trace->plane.normal, trace->entnum);
    body->velocity = vec3_zero;
}

static void walk(const body_move_t *move) {
    pm_body_t *body = move->body;
    vec3_t from = foot(body);
    vec3_t path = VectorScale(Body_Flat(body->velocity), move->dt);
    float length = VectorLength(path);
    float raise = body->step_height > RAISE ? body->step_height : RAISE;
    float up = raise + length * slope_limit(body->max_pitch);
    vec3_t over = VectorAdd(from, path);
    trace_t down = Body_Ray(move, Body_Raised(over, up), Body_Raised(over, -up - GROUND_GAP));
    bool is_wall = down.startsolid;
    bool is_ground = !is_wall && down.fraction < 1.0f;
    vec3_t to = is_ground ? down.endpos : over;
    trace_t ahead = Body_Ray(move, Body_Raised(from, raise), Body_Raised(to, raise));
    if (is_wall || ahead.fraction < 1.0f || ahead.startsolid) {
        stop(body, is_wall && ahead.fraction == 1.0f ? &down : &ahead);
        return;
    }
    if (is_ground && length > 0.0f && to.z > from.z && !may_stand(body, down.plane.normal, path)) {
        stop(body, &down);
        return;
    }
    put_foot(body, from, to);
    if (is_ground && down.plane.normal.z > 0.0f) {
        Body_Stand(body, down.entnum, down.plane.normal);
    } else {
        Body_Fall(body);
    }
}

void Body_RayMove(const body_move_t *move) {
    if (move->body->ground < 0) {
        fly(move);
    } else {
        walk(move);
    }
}
