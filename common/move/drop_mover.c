/// move/drop_mover.c - MOVER_DROP: drops a box onto ground found by four rays (article 004,
/// docs/physics.md).
//
// The article's rules: p1 = p0 + displacement. Rays down the four vertical edges of the box find
// the highest walkable ground; p2 is p1 dropped onto it. If p2 is free, the box ends there.
// Otherwise the mean contact normal defines a wall. From p0 the box moves 0.1 qu away from the
// wall, then along it to p3, and drops to p4. If p4 is not free, it ends at p1 if free, otherwise
// at p0.
//
// Corrections: (1) A displacement longer than half the box's smallest side, or than a step,
//          is split. (2) Ground between the rays, such as a ridge, lifts the box until it is
//          free. (3) A ceiling ends a rise. (4) A body in the air that cannot move falls by a
//          sweep of the box and slides, also onto ground between the rays.

#include "base/assert.h"
#include "move/body_local.h"

#define WALL_GAP     0.1f  // distance of p3 from the wall, qu
#define AIR_REACH    0.25f // length of the rays below the feet of a body in the air, qu
#define MIN_SUBMOVE  4.0f  // minimum length of a sub-move, qu
#define MAX_SUBMOVES 256   // enough for 1,000 qu, the longest move in 0.1 s
#define NUM_LIFTS    2
#define NUM_SLIDES   3

typedef struct {
    vec3_t origin;
    vec3_t up;      ///< normal of the ground
    int32_t ground; ///< edict number; -1 = none
} target_t;

static float step_height(const body_move_t *move) {
    return move->body->step_height > 0.0f ? move->body->step_height : move->vars->sv_stepsize;
}

static bounds_t box_at(const pm_body_t *body, vec3_t origin) {
    return (bounds_t){VectorAdd(origin, body->mins), VectorAdd(origin, body->maxs)};
}

/// Drops a box onto the highest ground that four rays hit. The rays start a step above the feet.
/// They end a step below the feet, or AIR_REACH in the air.
static target_t drop(const body_move_t *move, vec3_t origin) {
    const pm_body_t *body = move->body;
    bounds_t box = box_at(body, origin);
    // Start below the top: rays must not hit solids above the box.
    float height = body->maxs.z - body->mins.z;
    float step = step_height(move) < height ? step_height(move) : height;
    float reach = body->ground >= 0 ? step_height(move) : AIR_REACH;
    target_t target = {.origin = origin, .up = {0.0f, 0.0f, 1.0f}, .ground = -1};
    float highest = -INFINITY;
    for (int32_t i = 0; i < 4; i++) {
        vec3_t foot = {i & 1 ? box.maxs.x : box.mins.x, i & 2 ? box.maxs.y : box.mins.y,
                       box.mins.z};
        trace_t trace = Body_Ray(move, Body_Raised(foot, step), Body_Raised(foot, -reach));
        if (!trace.startsolid && trace.fraction < 1.0f && trace.endpos.z > highest &&
            trace.plane.normal.z >= BODY_MIN_FLOOR) {
            highest = trace.endpos.z;
            target.up = trace.plane.normal;
            target.ground = trace.entnum;
        }
    }
    if (target.ground >= 0) {
        target.origin.z = highest - body->mins.z; // a ray stops CM_DIST_EPSILON above the ground
    }
    return target;
}

/// The contacts of a box. entnums[i] is the edict of contacts[i].
typedef struct {
    cm_contact_t contacts[MAX_CONTACTS];
    int32_t entnums[MAX_CONTACTS];
    int32_t count;
} contacts_t;

/// Returns true if a sweep from `origin` starts in solid. Then, writes the first contact: where a
/// sweep from the body to `origin` stops.
static bool starts_in_solid(const body_move_t *move, vec3_t origin, contacts_t *found) {
    if (!Body_Trace(move, origin, origin).startsolid) {
        return false;
    }
    trace_t trace = Body_Trace(move, move->body->origin, origin);
    found->contacts[0] =
        (cm_contact_t){.normal = trace.plane.normal, .depth = CM_DIST_EPSILON, .surface = -1};
    found->entnums[0] = trace.entnum;
    return true;
}

/// Finds the contacts of a box and returns their number: 0 only if sweeps may start at `origin`.
/// An overlap rounds the corners of the box, so it misses a solid that the box enters by a bit.
static int32_t overlap(const body_move_t *move, vec3_t origin, contacts_t *found) {
    found->count = move->world->overlap(move->world->context, box_at(move->body, origin),
                                        found->contacts, found->entnums, MAX_CONTACTS);
    ASSERT(found->count >= 0 && found->count <= MAX_CONTACTS);
    if (found->count == 0 && starts_in_solid(move, origin, found)) {
        found->count = 1;
    }
    return found->count;
}

/// Lifts a box out of ground between the rays. Returns the number of remaining contacts.
static int32_t lift(const body_move_t *move, target_t *target, contacts_t *found) {
    const cm_contact_t *contacts = found->contacts;
    int32_t count = overlap(move, target->origin, found);
    for (int32_t i = 0; i < NUM_LIFTS && count > 0; i++) {
        float by = 0.0f;
        int32_t ground = 0;
        for (int32_t c = 0; c < count; c++) {
            float rise = contacts[c].depth / contacts[c].normal.z;
            if (contacts[c].normal.z >= BODY_MIN_FLOOR && rise > by) {
                by = rise;
                target->up = contacts[c].normal;
                ground = found->entnums[c];
            }
        }
        if (by == 0.0f || by > step_height(move)) {
            return count;
        }
        target->origin.z += by + CM_DIST_EPSILON;
        target->ground = ground;
        count = overlap(move, target->origin, found);
    }
    return count;
}

/// Returns the mean contact normal, away from obstacles.
static vec3_t mean_normal(const contacts_t *found) {
    vec3_t sum = vec3_zero;
    for (int32_t i = 0; i < found->count; i++) {
        sum = VectorAdd(sum, found->contacts[i].normal);
    }
    return VectorNormalize(sum, NULL);
}

static void settle(pm_body_t *body, const target_t *target) {
    body->origin = target->origin;
    if (target->ground >= 0 && body->velocity.z <= 0.0f) {
        Body_Stand(body, target->ground, target->up);
    } else {
        Body_Fall(body);
    }
}

/// Stops a body that cannot move. In the air, it falls straight down.
static void stay(pm_body_t *body, vec3_t normal) {
    body->velocity.x = 0.0f;
    body->velocity.y = 0.0f;
    if (body->velocity.z > 0.0f && normal.z < 0.0f) {
        body->velocity.z = 0.0f;
    }
}

/// Falls by a sweep and slides along what it hits. For a body in the air that rests on an edge or
/// a steep triangle between the rays. Returns false if it cannot move.
static bool fall_along(const body_move_t *move, vec3_t delta) {
    pm_body_t *body = move->body;
    contacts_t found;
    vec3_t start = body->origin;
    for (int32_t i = 0; i < NUM_SLIDES; i++) {
        trace_t trace = Body_Trace(move, body->origin, VectorAdd(body->origin, delta));
        if (trace.startsolid || overlap(move, trace.endpos, &found) > 0) {
            break;
        }
        body->origin = trace.endpos;
        if (trace.fraction == 1.0f) {
            break;
        }
        if (trace.plane.normal.z >= BODY_MIN_FLOOR) {
            Body_Stand(body, trace.entnum, trace.plane.normal);
            return true;
        }
        delta = Body_Clip(VectorScale(delta, 1.0f - trace.fraction), trace.plane.normal);
        body->velocity = Body_Clip(body->velocity, trace.plane.normal);
    }
    return !VectorCompare(start, body->origin);
}

/// Runs one sub-move. Returns false if the body is stuck.
static bool advance(const body_move_t *move, vec3_t delta) {
    pm_body_t *body = move->body;
    contacts_t found;
    bool rises = body->velocity.z > 0.0f;
    vec3_t p0 = body->origin;
    vec3_t p1 = VectorAdd(p0, delta);
    target_t p2 = drop(move, p1);
    if (rises) {
        p2 = (target_t){.origin = p1, .up = {0.0f, 0.0f, 1.0f}, .ground = -1};
    }
    if (lift(move, &p2, &found) == 0) {
        settle(body, &p2);
        return true;
    }
    vec3_t normal = mean_normal(&found);
    Body_Block(body, normal, found.entnums[0]); // the first contact is the deepest
    vec3_t flat = VectorNormalize(Body_Flat(normal), NULL);
    vec3_t tangent = {flat.y, -flat.x, 0.0f}; // normal x up
    float along = DotProduct(delta, tangent);
    vec3_t p3 = VectorMA(VectorMA(p0, WALL_GAP, flat), along, tangent);
    p3.z += body->ground < 0 && normal.z >= 0.0f ? delta.z : 0.0f;
    target_t p4 = drop(move, p3);
    if (lift(move, &p4, &found) == 0) {
        settle(body, &p4);
        vec3_t v = VectorScale(tangent, DotProduct(body->velocity, tangent));
        body->velocity = Vector(v.x, v.y, normal.z < 0.0f && rises ? 0.0f : body->velocity.z);
        return true;
    }
    if (overlap(move, p1, &found) == 0) {
        settle(body, &(target_t){.origin = p1, .up = {0.0f, 0.0f, 1.0f}, .ground = -1});
        return true;
    }
    if (body->ground < 0 && delta.z < 0.0f && fall_along(move, delta)) {
        return true;
    }
    stay(body, normal);
    return false;
}

void Body_DropMove(const body_move_t *move) {
    pm_body_t *body = move->body;
    vec3_t delta = VectorScale(body->velocity, move->dt);
    vec3_t size = VectorScale(VectorSubtract(body->maxs, body->mins), 0.5f);
    float least = size.x < size.y ? size.x : size.y;
    least = size.z < least ? size.z : least;
    least = least < step_height(move) ? least : step_height(move);
    float length = least > MIN_SUBMOVE ? least : MIN_SUBMOVE;
    int32_t count = Q_ToInt(VectorLength(delta) / length, 0, MAX_SUBMOVES - 1) + 1;
    for (int32_t i = 0; i < count; i++) {
        float dt = move->dt / (float)count;
        vec3_t v = body->velocity;
        if (!advance(move, VectorScale(body->ground >= 0 ? Body_Flat(v) : v, dt))) {
            return;
        }
    }
}
