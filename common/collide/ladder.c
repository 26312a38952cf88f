/// collide/ladder.c - which way is off a ladder.
//
// Floor:   collide.
// Source:  Half-Life's rule: a sweep from who climbs to the middle of the ladder finds its side.

#include "collide/cmodel.h"
#include "math/angles.h"

#define LEVEL 0.7f // a normal with more z is not that of a side

static vec3_t middle_of(bounds_t box) {
    return VectorScale(VectorAdd(box.mins, box.maxs), 0.5f);
}

// From a middle to another along the axis in which the ladder is thinnest: ladders are boards.
static vec3_t across(vec3_t size, vec3_t forward, vec3_t right, vec3_t way) {
    vec3_t axis = size.x <= size.y ? forward : right;
    return DotProduct(way, axis) < 0.0f ? VectorScale(axis, -1.0f) : axis;
}

vec3_t CM_LadderNormal(const cmap_t *map, const cm_place_t *place, bounds_t box) {
    const vec3_t point = {0.0f, 0.0f, 0.0f};
    bounds_t model = map->models[place->model].bounds;
    vec3_t forward;
    vec3_t right;
    vec3_t up;
    AngleVectors(place->angles, &forward, &right, &up);
    vec3_t local = middle_of(model);
    vec3_t middle = VectorMA(place->origin, local.x, forward);
    middle = VectorMA(VectorMA(middle, -local.y, right), local.z, up);
    vec3_t from = middle_of(box);
    from.z = from.z > middle.z ? from.z : middle.z; // as high as he is, or level
    vec3_t to = {middle.x, middle.y, from.z};
    trace_t trace = CM_BoxTrace(map, place, middle_of(box), to, point, point);
    vec3_t normal = trace.plane.normal;
    if (trace.startsolid || trace.fraction == 1.0f || fabsf(normal.z) > LEVEL) {
        // Inside it, above it, or of a kind that stops nothing.
        return across(VectorSubtract(model.maxs, model.mins), forward, right,
                      VectorSubtract(middle_of(box), middle));
    }
    return normal;
}
