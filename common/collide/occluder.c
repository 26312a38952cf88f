#include "collide/occluder.h"

#include "collide/cmap.h"

#define MAX_STEP    256.0f // qu; first step of a side; halves follow, down to MIN_STEP
#define MIN_STEP    1.0f
#define INSET       0.125f   // qu; a new part does not touch the walls beside it
#define MAX_OUTSIDE 256.0f   // qu; everything outside of a map is solid
#define MAX_VISITS  10000000 // of nodes and leaves, for all brushes of a map

/// Limits of the growth of a map's occluders.
typedef struct {
    const cmap_t *map;
    bounds_t limits;
    int32_t visits_left;
} growth_t;

/// Moves a side of a box outward: the lower or the upper one of an axis. Returns false if the new
/// part is not solid.
static bool grow_side(growth_t *growth, bounds_t *box, int32_t axis, bool is_upper, float step) {
    const vec3_t inset = {INSET, INSET, INSET};
    const float from = VectorAxis(is_upper ? box->maxs : box->mins, axis);
    const float to = is_upper ? from + step : from - step;
    bounds_t grown = *box;
    bounds_t part = *box;
    VectorSetAxis(is_upper ? &grown.maxs : &grown.mins, axis, to);
    VectorSetAxis(is_upper ? &part.maxs : &part.mins, axis, to);
    VectorSetAxis(is_upper ? &part.mins : &part.maxs, axis, from);
    part = (bounds_t){VectorAdd(part.mins, inset), VectorSubtract(part.maxs, inset)};
    if (!BoundsContain(growth->limits, part) ||
        !CM_IsBoxSolid(growth->map, part, &growth->visits_left)) {
        return false;
    }
    *box = grown;
    return true;
}

static bounds_t grow(growth_t *growth, bounds_t box) {
    for (float step = MAX_STEP; step >= MIN_STEP; step *= 0.5f) {
        bool has_grown = true;
        while (has_grown) {
            has_grown = false;
            for (int32_t side = 0; side < 6; side++) {
                has_grown = grow_side(growth, &box, side / 2, side % 2, step) || has_grown;
            }
        }
    }
    return box;
}

void CM_GrowOccluders(cmap_t *map) {
    const size_t size = (size_t)map->num_brushes * sizeof *map->occluders;
    if (map->num_brushes == 0 || map->brushes_only || !Arena_Init(&map->occluder_arena, size)) {
        return;
    }
    const vec3_t outside = {MAX_OUTSIDE, MAX_OUTSIDE, MAX_OUTSIDE};
    const bounds_t world = map->models[0].bounds;
    growth_t growth = {
        map, {VectorSubtract(world.mins, outside), VectorAdd(world.maxs, outside)}, MAX_VISITS};
    map->occluders =
        Arena_Alloc(&map->occluder_arena, (size_t)map->num_brushes, sizeof *map->occluders);
    for (int32_t i = 0; i < map->num_brushes; i++) {
        const cbrush_t *brush = &map->brushes[i];
        const bool is_box = brush->contents == CONTENTS_SOLID && brush->num_faces == 0;
        map->occluders[i] =
            is_box && growth.visits_left > 0 ? grow(&growth, brush->bounds) : brush->bounds;
    }
}

cm_occluder_t CM_OccluderAt(const cmap_t *map, const cm_object_t *object, vec3_t point) {
    const brush_list_t *list = CM_Brushes(map, object->model);
    cm_occluder_t found = {object->model, -1, CM_ModelPose(map, object).origin};
    if (list && !CM_IsTurned(object)) {
        const vec3_t at = VectorSubtract(point, found.origin);
        const vec3_t reach = {OCCLUDER_MARGIN, OCCLUDER_MARGIN, OCCLUDER_MARGIN};
        const bounds_t box = {VectorSubtract(at, reach), VectorAdd(at, reach)};
        const cbrush_t *brush = CM_BrushAround(list, box, CONTENTS_SOLID);
        found.brush = brush ? (int32_t)(brush - list->brushes) : -1;
    }
    return found;
}

static const bounds_t *box_of(const cmap_t *map, const cm_occluder_t *occluder,
                              const cbrush_t *brush) {
    return occluder->model == 0 && map->occluders ? &map->occluders[brush - map->brushes]
                                                  : &brush->bounds;
}

/// Cuts the part of a line from t[0] to t[1] by a slab: between `low` and `high` on an axis. If
/// `low` is higher, nothing is left.
static inline void cut_line(float t[2], float from, float to, float low, float high) {
    const float per = 1.0f / (to - from); // infinite if the line is parallel
    const float at_low = (low - from) * per;
    const float at_high = (high - from) * per;
    const float enter = per > 0.0f ? at_low : at_high;
    const float leave = per > 0.0f ? at_high : at_low;
    t[0] = enter > t[0] ? enter : t[0];
    t[1] = leave < t[1] ? leave : t[1];
}

bool CM_Hides(const cmap_t *map, const cm_occluder_t *occluder, vec3_t from, vec3_t to) {
    const brush_list_t *list = CM_Brushes(map, occluder->model);
    const cbrush_t *brush = &list->brushes[occluder->brush];
    const bounds_t *box = box_of(map, occluder, brush);
    const float in = OCCLUDER_MARGIN;
    from = VectorSubtract(from, occluder->origin);
    to = VectorSubtract(to, occluder->origin);
    float t[2] = {0.0f, 1.0f};
    cut_line(t, from.x, to.x, box->mins.x + in, box->maxs.x - in);
    cut_line(t, from.y, to.y, box->mins.y + in, box->maxs.y - in);
    cut_line(t, from.z, to.z, box->mins.z + in, box->maxs.z - in);
    for (int32_t i = 0; i < brush->num_faces && t[0] < t[1]; i++) {
        const brush_plane_t *plane = &list->planes[brush->first_plane + i];
        const float a = DotProduct(plane->normal, from) - plane->dist + in;
        const float b = DotProduct(plane->normal, to) - plane->dist + in;
        const float at = a / (a - b);
        t[0] = a > b && at > t[0] ? at : t[0];
        t[1] = a < b && at < t[1] ? at : t[1];
        t[1] = a == b && a > 0.0f ? -1.0f : t[1];
    }
    return t[0] < t[1];
}

int32_t CM_OccluderFaces(const cmap_t *map, const cm_occluder_t *occluder, brush_plane_t *faces,
                         int32_t max) {
    const brush_list_t *list = CM_Brushes(map, occluder->model);
    const cbrush_t *brush = &list->brushes[occluder->brush];
    const bounds_t *own = box_of(map, occluder, brush);
    const bounds_t box = {VectorAdd(own->mins, occluder->origin),
                          VectorAdd(own->maxs, occluder->origin)};
    if (6 + brush->num_faces > max) {
        return 0;
    }
    faces[0] = (brush_plane_t){{1.0f, 0.0f, 0.0f}, box.maxs.x};
    faces[1] = (brush_plane_t){{0.0f, 1.0f, 0.0f}, box.maxs.y};
    faces[2] = (brush_plane_t){{0.0f, 0.0f, 1.0f}, box.maxs.z};
    faces[3] = (brush_plane_t){{-1.0f, 0.0f, 0.0f}, -box.mins.x};
    faces[4] = (brush_plane_t){{0.0f, -1.0f, 0.0f}, -box.mins.y};
    faces[5] = (brush_plane_t){{0.0f, 0.0f, -1.0f}, -box.mins.z};
    for (int32_t i = 0; i < brush->num_faces; i++) {
        const brush_plane_t *plane = &list->planes[brush->first_plane + i];
        faces[6 + i] = (brush_plane_t){plane->normal,
                                       plane->dist + DotProduct(plane->normal, occluder->origin)};
    }
    return 6 + brush->num_faces;
}
