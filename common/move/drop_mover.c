/// move/drop_mover.c - MOVER_DROP: a box that is set down on what four rays find (article 004).
//
// Floor:   move.
// Units:   qu.
// The article's rules, by its names: p1 = p0 + the way. Rays down the four edges of the box find
// the ground, the highest that is not too steep; p2 is p1 set down onto it. If the box there
// overlaps nothing, that is it. Else the normals of all it overlaps are averaged; it goes from p0
// along the wall, 0.1 away from it: p3, set down: p4. If p4 overlaps, p1 if that is free, else it
// stays at p0.
// Put right: a way longer than the box is thick would tunnel, so it goes in pieces. Ground between
// the rays (a ridge under the box) has normals that point up, and no way along it: the box is
// lifted by it. A ceiling has none either: it ends the rise. Who is stuck in the air falls on.

#include "move/body_local.h"

#define WALL_GAP   0.1f  // qu; p3 is so far away from the wall
#define AIR_REACH  0.25f // qu below the feet that rays of who is in the air look
#define MIN_PIECE  4.0f  // qu
#define MAX_PIECES 256   // 1,000 qu in a tenth of a second, the most there is, in pieces of 4
#define NUM_LIFTS  2

typedef struct {
    vec3_t origin;
    vec3_t up;
    int32_t ground; // -1: none
} place_t;

static bounds_t box_at(const pm_body_t *body, vec3_t origin) {
    return (bounds_t){VectorAdd(origin, body->mins), VectorAdd(origin, body->maxs)};
}

/// Sets a place down onto the highest of what the four rays meet: from a step above the feet (its
/// height, where that is less) to a step below, in the air a little below.
static place_t drop(const body_move_t *move, vec3_t origin) {
    const pm_body_t *body = move->body;
    bounds_t box = box_at(body, origin);
    // Rays that began above it would find the upper side of what it is below.
    float height = body->maxs.z - body->mins.z;
    float step = move->vars->sv_stepsize < height ? move->vars->sv_stepsize : height;
    float reach = body->ground >= 0 ? move->vars->sv_stepsize : AIR_REACH;
    place_t place = {.origin = origin, .up = {0.0f, 0.0f, 1.0f}, .ground = -1};
    float highest = -INFINITY;
    for (int32_t i = 0; i < 4; i++) {
        vec3_t foot = {i & 1 ? box.maxs.x : box.mins.x, i & 2 ? box.maxs.y : box.mins.y,
                       box.mins.z};
        trace_t trace = Body_Ray(move, Body_Raised(foot, step), Body_Raised(foot, -reach));
        if (!trace.startsolid && trace.fraction < 1.0f && trace.endpos.z > highest &&
            trace.plane.normal.z >= BODY_MIN_FLOOR) {
            highest = trace.endpos.z;
            place.up = trace.plane.normal;
            place.ground = trace.entnum;
        }
    }
    if (place.ground >= 0) {
        place.origin.z = highest - body->mins.z; // a ray stops CM_DIST_EPSILON above the ground
    }
    return place;
}

/// What a place overlaps, and whose each contact is.
typedef struct {
    cm_contact_t contacts[MAX_CONTACTS];
    int32_t entnums[MAX_CONTACTS];
    int32_t count;
} touched_t;

static int32_t overlap(const body_move_t *move, vec3_t origin, touched_t *touched) {
    touched->count = move->world->overlap(move->world->context, box_at(move->body, origin),
                                          touched->contacts, touched->entnums, MAX_CONTACTS);
    return touched->count;
}

/// Lifts a place out of the ground that the rays missed: a ridge, the edge of a step under the box.
/// Returns how many contacts are left.
static int32_t lift(const body_move_t *move, place_t *place, touched_t *touched) {
    const cm_contact_t *contacts = touched->contacts;
    int32_t count = overlap(move, place->origin, touched);
    for (int32_t i = 0; i < NUM_LIFTS && count > 0; i++) {
        float by = 0.0f;
        int32_t ground = 0;
        for (int32_t c = 0; c < count; c++) {
            float rise = contacts[c].depth / contacts[c].normal.z;
            if (contacts[c].normal.z >= BODY_MIN_FLOOR && rise > by) {
                by = rise;
                place->up = contacts[c].normal;
                ground = touched->entnums[c];
            }
        }
        if (by == 0.0f || by > move->vars->sv_stepsize) {
            return count;
        }
        place->origin.z += by + CM_DIST_EPSILON;
        place->ground = ground;
        count = overlap(move, place->origin, touched);
    }
    return count;
}

/// The mean of the normals: which way is off what is in the way.
static vec3_t mean_normal(const touched_t *touched) {
    vec3_t sum = {0.0f, 0.0f, 0.0f};
    for (int32_t i = 0; i < touched->count; i++) {
        sum = VectorAdd(sum, touched->contacts[i].normal);
    }
    return VectorNormalize(sum, NULL);
}

static void settle(pm_body_t *body, const place_t *place) {
    body->origin = place->origin;
    if (place->ground >= 0 && body->velocity.z <= 0.0f) {
        Body_Stand(body, place->ground, place->up);
    } else {
        Body_Fall(body);
    }
}

/// Nowhere to go: it stays; in the air it stops rising, or falls straight on.
static void stay(pm_body_t *body, vec3_t normal) {
    body->velocity.x = 0.0f;
    body->velocity.y = 0.0f;
    if (body->velocity.z > 0.0f && normal.z < 0.0f) {
        body->velocity.z = 0.0f;
    }
}

/// One piece of the way. False when it is stuck.
static bool advance(const body_move_t *move, vec3_t way) {
    pm_body_t *body = move->body;
    touched_t touched;
    bool rises = body->velocity.z > 0.0f;
    vec3_t p0 = body->origin;
    vec3_t p1 = VectorAdd(p0, way);
    place_t p2 = drop(move, p1);
    if (rises) {
        p2 = (place_t){.origin = p1, .up = {0.0f, 0.0f, 1.0f}, .ground = -1};
    }
    if (lift(move, &p2, &touched) == 0) {
        settle(body, &p2);
        return true;
    }
    vec3_t normal = mean_normal(&touched);
    Body_Block(body, normal, touched.entnums[0]); // the deepest
    vec3_t flat = VectorNormalize(Body_Flat(normal), NULL);
    vec3_t tangent = {flat.y, -flat.x, 0.0f}; // normal x up
    float along = DotProduct(way, tangent);
    vec3_t p3 = VectorMA(VectorMA(p0, WALL_GAP, flat), along, tangent);
    p3.z += body->ground < 0 && normal.z >= 0.0f ? way.z : 0.0f;
    place_t p4 = drop(move, p3);
    if (lift(move, &p4, &touched) == 0) {
        settle(body, &p4);
        vec3_t v = VectorScale(tangent, DotProduct(body->velocity, tangent));
        body->velocity = Vector(v.x, v.y, normal.z < 0.0f && rises ? 0.0f : body->velocity.z);
        return true;
    }
    if (overlap(move, p1, &touched) == 0) {
        settle(body, &(place_t){.origin = p1, .up = {0.0f, 0.0f, 1.0f}, .ground = -1});
        return true;
    }
    vec3_t below = {p0.x, p0.y, p0.z + way.z};
    if (body->ground < 0 && way.z < 0.0f && overlap(move, below, &touched) == 0) {
        body->origin = below;
    }
    stay(body, normal);
    return false;
}

void Body_DropMove(const body_move_t *move) {
    pm_body_t *body = move->body;
    vec3_t way = VectorScale(body->velocity, move->dt);
    vec3_t size = VectorScale(VectorSubtract(body->maxs, body->mins), 0.5f);
    float least = size.x < size.y ? size.x : size.y;
    least = size.z < least ? size.z : least;
    least = least < move->vars->sv_stepsize ? least : move->vars->sv_stepsize;
    float piece = least > MIN_PIECE ? least : MIN_PIECE;
    int32_t pieces = Q_ToInt(VectorLength(way) / piece, 0, MAX_PIECES - 1) + 1;
    for (int32_t i = 0; i < pieces; i++) {
        float share = move->dt / (float)pieces;
        vec3_t v = body->velocity;
        if (!advance(move, VectorScale(body->ground >= 0 ? Body_Flat(v) : v, share))) {
            return;
        }
    }
}
