/// move/sweep_mover.c - MOVER_SWEEP: sweeps a box vertically, then horizontally (article 003).
//
// The article's rules: a sweep down from 0.1 qu above the box finds ground within 0.105 qu. The
// vertical sweep ends at a hit. After a hit, the horizontal sweep slides along the plane.
//
// Corrections: (1) The article's slide depends on the normal's scale. Here the rest of the move is
//          projected onto the wall, walkable slope or crease. (2) The horizontal sweep starts where
//          the vertical sweep ended. (3) A standing body is lowered onto ground that slopes down.
//          (4) With a step_height, a blocked body on the ground tries again from that height.

#include "move/body_local.h"

#define PROBE_RAISE 0.1f
// The article's 0.105 qu plus the trace's gap.
#define PROBE_DEPTH (0.105f + CM_DIST_EPSILON)
#define NUM_SLIDES  4

static bool find_ground(const body_move_t *move) {
    pm_body_t *body = move->body;
    vec3_t from = Body_Raised(body->origin, PROBE_RAISE);
    trace_t trace = Body_Trace(move, from, Body_Raised(from, -PROBE_DEPTH));
    if (trace.startsolid) { // a ceiling is below PROBE_RAISE
        trace =
            Body_Trace(move, body->origin, Body_Raised(body->origin, PROBE_RAISE - PROBE_DEPTH));
    }
    if (trace.startsolid || trace.fraction == 1.0f || trace.plane.normal.z < BODY_MIN_FLOOR ||
        body->velocity.z > 0.0f) {
        Body_Fall(body);
        return false;
    }
    Body_Stand(body, trace.entnum, trace.plane.normal);
    return true;
}

static void vertical_pass(const body_move_t *move) {
    pm_body_t *body = move->body;
    trace_t trace =
        Body_Trace(move, body->origin, Body_Raised(body->origin, body->velocity.z * move->dt));
    if (trace.startsolid) {
        return;
    }
    body->origin = trace.endpos;
    if (trace.fraction == 1.0f) {
        return;
    }
    if (trace.plane.normal.z >= BODY_MIN_FLOOR) {
        Body_Stand(body, trace.entnum, trace.plane.normal);
    } else if (trace.plane.normal.z <= 0.0f) {
        body->velocity.z = 0.0f; // hit a ceiling
    } else {
        body->velocity = Body_Clip(body->velocity, trace.plane.normal); // down a slope
    }
}

/// Projects a displacement onto a plane; a steep plane is a wall.
static vec3_t slide_along(vec3_t delta, vec3_t normal, const vec3_t *before) {
    vec3_t flat = VectorNormalize(Body_Flat(normal), NULL);
    vec3_t n = normal.z >= BODY_MIN_FLOOR || normal.z < 0.0f ? normal : flat;
    vec3_t rest = Body_Clip(delta, n);
    if (before && DotProduct(rest, *before) < 0.0f) {
        vec3_t crease = VectorNormalize(CrossProduct(*before, n), NULL);
        rest = VectorScale(crease, DotProduct(crease, delta));
    }
    return rest;
}

static void horizontal_pass(const body_move_t *move) {
    pm_body_t *body = move->body;
    vec3_t delta = VectorScale(Body_Flat(body->velocity), move->dt);
    vec3_t before = vec3_zero;
    for (int32_t i = 0; i < NUM_SLIDES; i++) {
        trace_t trace = Body_Trace(move, body->origin, VectorAdd(body->origin, delta));
        if (trace.startsolid) {
            return;
        }
        body->origin = trace.endpos;
        if (trace.fraction == 1.0f) {
            return;
        }
        vec3_t normal = trace.plane.normal;
        if (normal.z < BODY_MIN_FLOOR) {
            Body_Block(body, normal, trace.entnum);
        }
        vec3_t rest = VectorScale(delta, 1.0f - trace.fraction);
        delta = slide_along(rest, normal, i > 0 ? &before : NULL);
        before = normal;
    }
}

/// Repeats the horizontal pass from step_height above `start`. Keeps the result if it ends on
/// ground and farther away.
static void climb_step(const body_move_t *move, vec3_t start) {
    pm_body_t *body = move->body;
    const pm_body_t low = *body;
    body->origin = Body_Trace(move, start, Body_Raised(start, body->step_height)).endpos;
    body->blocked = vec3_zero;
    body->bumped = -1;
    float rise = body->origin.z - start.z;
    horizontal_pass(move);
    trace_t down = Body_Trace(move, body->origin, Body_Raised(body->origin, -rise));
    body->origin = down.endpos;
    float before = VectorLength(Body_Flat(VectorSubtract(low.origin, start)));
    float after = VectorLength(Body_Flat(VectorSubtract(body->origin, start)));
    if (down.startsolid || down.fraction == 1.0f || down.plane.normal.z < BODY_MIN_FLOOR ||
        !(after > before)) {
        *body = low;
    }
}

/// Lowers the body onto walkable ground that slopes down, or down a step.
static void follow_ground(const body_move_t *move, vec3_t start) {
    pm_body_t *body = move->body;
    float depth = body->step_height +
                  1.0202041f * VectorLength(Body_Flat(VectorSubtract(body->origin, start)));
    trace_t trace =
        Body_Trace(move, body->origin, Body_Raised(body->origin, -depth - CM_DIST_EPSILON));
    if (!trace.startsolid && trace.fraction < 1.0f && trace.plane.normal.z >= BODY_MIN_FLOOR) {
        body->origin = trace.endpos;
        Body_Stand(body, trace.entnum, trace.plane.normal);
    }
}

void Body_SweepMove(const body_move_t *move) {
    pm_body_t *body = move->body;
    bool stood = find_ground(move);
    vec3_t start = body->origin;
    if (!stood) {
        vertical_pass(move);
    }
    horizontal_pass(move);
    if (stood && body->bumped >= 0 && body->step_height > 0.0f) {
        climb_step(move, start);
    }
    if (!find_ground(move) && stood) {
        follow_ground(move, start);
    }
    if (body->bumped >= 0) { // remove the speed into the obstacle
        vec3_t v = Body_Clip(body->velocity, VectorNormalize(Body_Flat(body->blocked), NULL));
        body->velocity = Vector(v.x, v.y, body->velocity.z);
    }
}
