#include "collide/cmodel.h"

#include "base/assert.h"
#include "math/angles.h"

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

/// fits: a hull fits the box.
static bool uses_brushes(const cmap_t *map, int32_t solids, bool is_point, bool fits) {
    if (solids == CM_SOLIDS_BRUSHES) {
        return map->has_brushes;
    }
    return map->has_brushes && !is_point &&
           (!map->has_clip_hulls || (solids == CM_SOLIDS_AUTO && !fits));
}

bool CM_UsesBrushes(const cmap_t *map, int32_t solids, vec3_t mins, vec3_t maxs) {
    bool fits = true;
    CM_HullForBox(map, 0, mins, maxs, NULL, &fits);
    return uses_brushes(map, solids, VectorCompare(mins, maxs), fits);
}

// ---- models at a place ----

static inline bool is_zero(vec3_t v) {
    return VectorCompare(v, Vector(0.0f, 0.0f, 0.0f));
}

/// Full turns, and what is no angle, count as unturned.
static bool is_turned(const cm_place_t *place) {
    vec3_t a = place->angles;
    return !is_zero(a) && !is_zero(Vector(AngleMod(a.x), AngleMod(a.y), AngleMod(a.z)));
}

static brush_pose_t make_pose(const cm_place_t *place) {
    brush_pose_t pose = {.origin = place->origin, .turned = is_turned(place)};
    if (pose.turned) {
        AngleVectors(place->angles, &pose.axes[0], &pose.axes[1], &pose.axes[2]);
        pose.axes[1] = VectorSubtract(Vector(0.0f, 0.0f, 0.0f), pose.axes[1]); // right to left
    }
    return pose;
}

static vec3_t to_model(const brush_pose_t *pose, vec3_t p) {
    vec3_t d = VectorSubtract(p, pose->origin);
    return Vector(DotProduct(d, pose->axes[0]), DotProduct(d, pose->axes[1]),
                  DotProduct(d, pose->axes[2]));
}

static vec3_t turn_to_world(const brush_pose_t *pose, vec3_t v) {
    return VectorMA(VectorMA(VectorScale(pose->axes[0], v.x), v.y, pose->axes[1]), v.z,
                    pose->axes[2]);
}

/// What must be added to a box's origin to get its middle, and to its middle to get the origin of
/// the hull that its turned image is swept as.
static vec3_t middle_offset(vec3_t mins, vec3_t maxs) {
    return VectorScale(VectorAdd(mins, maxs), 0.5f);
}

static vec3_t turned_point(const brush_pose_t *pose, const hull_t *hull, vec3_t middle) {
    vec3_t hull_middle = middle_offset(hull->clip_mins, hull->clip_maxs);
    return VectorSubtract(to_model(pose, middle), hull_middle);
}

contents_t CM_PlaceContents(const cmap_t *map, const cm_place_t *place, vec3_t point) {
    if (!is_turned(place)) {
        return CM_PointContents(map, place->model, VectorSubtract(point, place->origin));
    }
    brush_pose_t pose = make_pose(place);
    return CM_PointContents(map, place->model, to_model(&pose, point));
}

/// A model whose hull holds nothing may still hold water: hull 0 at 27 points of the box.
static bool touches_hull_0(const cmap_t *map, const cm_place_t *place, bounds_t box) {
    vec3_t size = VectorSubtract(box.maxs, box.mins);
    for (int32_t i = 0; i < 27; i++) {
        const int32_t steps[3] = {i % 3, i / 3 % 3, i / 9};
        vec3_t share = VectorScale(Vector((float)steps[0], (float)steps[1], (float)steps[2]), 0.5f);
        vec3_t point = {box.mins.x + size.x * share.x, box.mins.y + size.y * share.y,
                        box.mins.z + size.z * share.z};
        if (CM_PlaceContents(map, place, point) != CONTENTS_EMPTY) {
            return true;
        }
    }
    return false;
}

bool CM_BoxTouches(const cmap_t *map, const cm_place_t *place, vec3_t origin, vec3_t mins,
                   vec3_t maxs) {
    ASSERT(place->model >= 0 && place->model < map->num_models);
    const brush_list_t *brushes = &map->models[place->model].brushes;
    brush_pose_t pose = make_pose(place);
    if (brushes->exists) {
        return CM_BrushTouches(brushes, &pose, origin, mins, maxs, false);
    }
    vec3_t offset;
    const hull_t *hull = CM_HullForBox(map, place->model, mins, maxs, &offset, NULL);
    if (hull->root == CONTENTS_EMPTY) {
        return touches_hull_0(map, place,
                              (bounds_t){VectorAdd(origin, mins), VectorAdd(origin, maxs)});
    }
    vec3_t point = pose.turned
                       ? turned_point(&pose, hull, VectorAdd(origin, middle_offset(mins, maxs)))
                       : VectorAdd(VectorSubtract(origin, place->origin), offset);
    return CM_HullPointContents(hull, point) != CONTENTS_EMPTY;
}

/// Through a turned model's hull: the sweep is turned into the model's space, and the box with it.
/// The fraction is good for the sweep as it was; the plane is turned back (article 001).
static trace_t turned_hull_trace(const cmap_t *map, const cm_place_t *place, vec3_t start,
                                 vec3_t end, vec3_t mins, vec3_t maxs) {
    brush_pose_t pose = make_pose(place);
    const hull_t *hull = CM_HullForBox(map, place->model, mins, maxs, NULL, NULL);
    vec3_t middle = middle_offset(mins, maxs);
    vec3_t from = turned_point(&pose, hull, VectorAdd(start, middle));
    trace_t trace = CM_HullTrace(hull, from, turned_point(&pose, hull, VectorAdd(end, middle)));
    trace.endpos = trace.fraction == 1.0f ? end : VectorLerp(start, end, trace.fraction);
    if (!is_zero(trace.plane.normal)) {
        float ahead = DotProduct(from, trace.plane.normal) - trace.plane.dist;
        // 0 + x: no negative zeros in answers.
        trace.plane.normal =
            VectorAdd(turn_to_world(&pose, trace.plane.normal), Vector(0.0f, 0.0f, 0.0f));
        trace.plane.dist = DotProduct(start, trace.plane.normal) - ahead;
        trace.plane.type = CM_PlaneType(trace.plane.normal);
    }
    return trace;
}

trace_t CM_BoxTrace(const cmap_t *map, const cm_place_t *place, vec3_t start, vec3_t end,
                    vec3_t mins, vec3_t maxs) {
    ASSERT(place->model >= 0 && place->model < map->num_models);
    const brush_list_t *brushes = &map->models[place->model].brushes;
    bool turned = is_turned(place);
    bool is_point = VectorCompare(mins, maxs);
    bool fits = true;
    vec3_t offset;
    const hull_t *hull = CM_HullForBox(map, place->model, mins, maxs, &offset, &fits);
    if (brushes->exists &&
        (uses_brushes(map, place->solids, is_point, fits) || (turned && !is_point))) {
        brush_pose_t pose = make_pose(place);
        trace_t trace = CM_BrushTrace(brushes, &pose, start, end, mins, maxs);
        if (is_point && !trace.allsolid) {
            trace.contents = CM_PlaceContents(map, place, VectorAdd(trace.endpos, mins));
        }
        return trace;
    }
    if (turned) {
        return turned_hull_trace(map, place, start, end, mins, maxs);
    }
    vec3_t shift = VectorSubtract(offset, place->origin); // world space to the hull's
    trace_t trace = CM_HullTrace(hull, VectorAdd(start, shift), VectorAdd(end, shift));
    if (is_zero(shift)) {
        return trace; // the world itself: the hull's answer to the bit
    }
    // From the start by the fraction, not the hull's end shifted back: no error of a round trip.
    trace.endpos = trace.fraction == 1.0f ? end : VectorLerp(start, end, trace.fraction);
    trace.plane.dist -= DotProduct(trace.plane.normal, shift);
    return trace;
}

bounds_t CM_TurnedBounds(vec3_t origin, vec3_t angles, vec3_t mins, vec3_t maxs) {
    const cm_place_t place = {.origin = origin, .angles = angles};
    if (!is_turned(&place)) {
        return (bounds_t){VectorAdd(origin, mins), VectorAdd(origin, maxs)};
    }
    brush_pose_t pose = make_pose(&place);
    vec3_t half = VectorScale(VectorSubtract(maxs, mins), 0.5f);
    vec3_t middle = VectorAdd(turn_to_world(&pose, middle_offset(mins, maxs)), origin);
    const vec3_t *a = pose.axes;
    vec3_t reach = {
        half.x * fabsf(a[0].x) + half.y * fabsf(a[1].x) + half.z * fabsf(a[2].x),
        half.x * fabsf(a[0].y) + half.y * fabsf(a[1].y) + half.z * fabsf(a[2].y),
        half.x * fabsf(a[0].z) + half.y * fabsf(a[1].z) + half.z * fabsf(a[2].z),
    };
    return (bounds_t){VectorSubtract(middle, reach), VectorAdd(middle, reach)};
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
