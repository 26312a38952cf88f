#include "core/sight.h"

#include "collide/occluder.h"

#include <math.h>

#define WALLS_QU  256.0f // walls farther away limit no moves
#define DEPTH     0.5f   // along a sweep, where the brush is found that stopped it
#define PASSED    1.0f   // qu: an eye farther behind a face has passed the wall
#define BOX_FACES 6      // of a brush that is a box

// Sweeps an eye along an axis, or against it with sign -1. Returns the box of the brush that stops
// it, or one that covers nothing.
static bounds_t find_wall(sight_query_t *query, vec3_t eye, vec3_t axis, float sign) {
    brush_plane_t faces[BOX_FACES];
    const cm_object_t world = {.model = 0};
    const bounds_t none = {eye, VectorSubtract(eye, Vector(1.0f, 1.0f, 1.0f))};
    const vec3_t to = VectorMA(eye, sign * WALLS_QU, axis);
    const trace_t trace = CM_BoxTrace(query->map, &world, eye, to, vec3_zero, vec3_zero);
    query->num_rays++;
    if (trace.fraction >= 1.0f || trace.startsolid) {
        return none;
    }
    const vec3_t in = VectorMA(trace.endpos, sign * DEPTH, axis);
    const cm_occluder_t hit = CM_OccluderAt(query->map, &world, in);
    if (hit.brush < 0 || CM_OccluderFaces(query->map, &hit, faces, BOX_FACES) != BOX_FACES) {
        return none;
    }
    return (bounds_t){Vector(-faces[3].dist, -faces[4].dist, -faces[5].dist),
                      Vector(faces[0].dist, faces[1].dist, faces[2].dist)};
}

void Sight_FindWalls(sight_query_t *query, sight_body_t *body) {
    static const vec3_t axes[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    for (int32_t i = 0; i < 3; i++) {
        body->walls.low[i] = find_wall(query, body->eye, axes[i], -1.0f);
        body->walls.high[i] = find_wall(query, body->eye, axes[i], 1.0f);
    }
    body->in_solid =
        CM_Contents(query->map, &(cm_object_t){.model = 0}, body->eye) == CONTENTS_SOLID;
}

// Returns true if a wall covers a box as seen along an axis.
static bool covers(const bounds_t *wall, const bounds_t *box, int32_t axis) {
    for (int32_t i = 0; i < 3; i++) {
        if (i != axis && (VectorAxis(wall->mins, i) > VectorAxis(box->mins, i) ||
                          VectorAxis(wall->maxs, i) < VectorAxis(box->maxs, i))) {
            return false;
        }
    }
    return true;
}

static void set_axis(vec3_t *v, int32_t axis, float to) {
    v->x = axis == 0 ? to : v->x;
    v->y = axis == 1 ? to : v->y;
    v->z = axis == 2 ? to : v->z;
}

bounds_t Sight_LimitMoves(const sight_body_t *body, const bounds_t *moves) {
    bounds_t box = {VectorAdd(body->eye, moves->mins), VectorAdd(body->eye, moves->maxs)};
    for (int32_t i = 0; i < 6; i++) { // twice, because a box that is cut is easier to cover
        const int32_t axis = i % 3;
        const bounds_t *low = &body->walls.low[axis];
        const bounds_t *high = &body->walls.high[axis];
        const float at = VectorAxis(body->eye, axis);
        const float to_low = VectorAxis(low->maxs, axis);
        const float to_high = VectorAxis(high->mins, axis);
        if (to_low > VectorAxis(box.mins, axis) && to_low < at + PASSED &&
            covers(low, &box, axis)) {
            set_axis(&box.mins, axis, fminf(to_low, at));
        }
        if (to_high < VectorAxis(box.maxs, axis) && to_high > at - PASSED &&
            covers(high, &box, axis)) {
            set_axis(&box.maxs, axis, fmaxf(to_high, at));
        }
    }
    return box;
}
