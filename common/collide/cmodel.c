#include "collide/cmodel.h"

#include "base/assert.h"

#include <string.h>

static const bounds_t quake_hulls[] = {
    {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}},
    {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}},
    {{-32.0f, -32.0f, -24.0f}, {32.0f, 32.0f, 64.0f}},
};

static const bounds_t halflife_hulls[] = {
    {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}},
    {{-16.0f, -16.0f, -36.0f}, {16.0f, 16.0f, 36.0f}},
    {{-32.0f, -32.0f, -32.0f}, {32.0f, 32.0f, 32.0f}},
    {{-16.0f, -16.0f, -18.0f}, {16.0f, 16.0f, 18.0f}},
};

_Static_assert(COUNTOF(quake_hulls) <= MAX_MAP_HULLS && COUNTOF(halflife_hulls) <= MAX_MAP_HULLS,
               "a model has room for every hull");

int32_t CM_NumHulls(hullset_t hullset) {
    return hullset == HULLSET_HALFLIFE ? (int32_t)COUNTOF(halflife_hulls)
                                       : (int32_t)COUNTOF(quake_hulls);
}

bounds_t CM_HullSize(hullset_t hullset, int32_t hull) {
    ASSERT(hull >= 0 && hull < CM_NumHulls(hullset));
    return hullset == HULLSET_HALFLIFE ? halflife_hulls[hull] : quake_hulls[hull];
}

/// The field's rules: by the box's width along x, Half-Life's also by its height.
static int32_t hull_for_size(hullset_t hullset, vec3_t size) {
    if (hullset == HULLSET_HALFLIFE) {
        return size.x <= 8.0f ? 0 : size.x > 36.0f ? 2 : size.z <= 36.0f ? 3 : 1;
    }
    return size.x < 3.0f ? 0 : size.x <= 32.0f ? 1 : 2;
}

const hull_t *CM_HullForBox(const cmap_t *map, int32_t model, vec3_t mins, vec3_t maxs,
                            vec3_t *offset, bool *fits) {
    ASSERT(model >= 0 && model < map->num_models);
    vec3_t size = VectorSubtract(maxs, mins);
    const hull_t *hull = &map->models[model].hulls[hull_for_size(map->hullset, size)];
    if (offset) {
        *offset = VectorSubtract(mins, hull->clip_mins);
    }
    if (fits) {
        *fits = VectorCompare(size, VectorSubtract(hull->clip_maxs, hull->clip_mins));
    }
    return hull;
}

bool CM_UsesBrushes(const cmap_t *map, int32_t solids, vec3_t mins, vec3_t maxs) {
    (void)map, (void)solids, (void)mins, (void)maxs;
    return false;
}

contents_t CM_PlaceContents(const cmap_t *map, const cm_place_t *place, vec3_t point) {
    return CM_PointContents(map, place->model, VectorSubtract(point, place->origin));
}

bool CM_BoxTouches(const cmap_t *map, const cm_place_t *place, vec3_t origin, vec3_t mins,
                   vec3_t maxs) {
    vec3_t offset;
    const hull_t *hull = CM_HullForBox(map, place->model, mins, maxs, &offset, NULL);
    vec3_t point = VectorAdd(VectorSubtract(origin, place->origin), offset);
    return CM_HullPointContents(hull, point) != CONTENTS_EMPTY;
}

trace_t CM_BoxTrace(const cmap_t *map, const cm_place_t *place, vec3_t start, vec3_t end,
                    vec3_t mins, vec3_t maxs) {
    vec3_t offset;
    const hull_t *hull = CM_HullForBox(map, place->model, mins, maxs, &offset, NULL);
    vec3_t shift = VectorSubtract(offset, place->origin); // world space to the hull's
    trace_t trace = CM_HullTrace(hull, VectorAdd(start, shift), VectorAdd(end, shift));
    if (VectorCompare(shift, Vector(0.0f, 0.0f, 0.0f))) {
        return trace; // the world itself: the hull's answer to the bit
    }
    // From the start by the fraction, not the hull's end shifted back: no error of a round trip.
    trace.endpos = trace.fraction == 1.0f ? end : VectorLerp(start, end, trace.fraction);
    trace.plane.dist -= DotProduct(trace.plane.normal, shift);
    return trace;
}

void CM_CombineTrace(trace_t *total, const trace_t *next) {
    bool startsolid = total->startsolid || next->startsolid;
    // A sweep that starts in solid may go on, and even end, beyond what stopped the total.
    bool nearer = next->fraction < total->fraction;
    bool solid_first = next->startsolid && !total->startsolid && next->fraction == total->fraction;
    if (nearer || solid_first) {
        *total = *next;
    }
    total->startsolid = startsolid;
}

contents_t CM_PointContents(const cmap_t *map, int32_t model, vec3_t point) {
    ASSERT(model >= 0 && model < map->num_models);
    return CM_HullPointContents(&map->models[model].hulls[0], point);
}

int32_t CM_PointLeaf(const cmap_t *map, vec3_t point) {
    int32_t num = map->leaf_root;
    while (num >= 0) {
        const cnode_t *node = &map->nodes[num];
        num = node->children[PlaneDiff(point, &map->planes[node->plane]) > 0.0f ? 0 : 1];
    }
    return -1 - num;
}

void CM_FreeMap(cmap_t *map) {
    Arena_Free(&map->arena);
    memset(map, 0, sizeof *map);
}
