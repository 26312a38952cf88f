/// collide/bsp_model.c - implements kind.h for models from map files: hulls, brushes, or both.

#include "base/assert.h"
#include "collide/cmap.h"
#include "collide/kind.h"

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
               "MAX_MAP_HULLS must be at least the number of hulls");

int32_t CM_NumHulls(hullset_t hullset) {
    return hullset == HULLSET_HALFLIFE ? (int32_t)COUNTOF(halflife_hulls)
                                       : (int32_t)COUNTOF(quake_hulls);
}

bounds_t CM_HullSize(hullset_t hullset, int32_t hull) {
    ASSERT(hull >= 0 && hull < CM_NumHulls(hullset));
    return hullset == HULLSET_HALFLIFE ? halflife_hulls[hull] : quake_hulls[hull];
}

/// Returns the hull for a box by its width, in Half-Life also by its height.
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

/// Returns true if a box collides with brushes. `fits`: a hull has exactly this size.
static bool uses_brushes(const cmap_t *map, int32_t solids, bool is_point, bool fits) {
    if (solids == CM_SOLIDS_BRUSHES) {
        return map->has_brushes;
    }
    if (map->brushes_only) {
        return true;
    }
    return map->has_brushes && !is_point &&
           (!map->has_clip_hulls || (solids == CM_SOLIDS_AUTO && !fits));
}

bool CM_UsesBrushes(const cmap_t *map, int32_t solids, vec3_t mins, vec3_t maxs) {
    bool fits = true;
    if (CM_IsMesh(map, 0)) {
        return true; // meshes have no hulls
    }
    CM_HullForBox(map, 0, mins, maxs, NULL, &fits);
    return uses_brushes(map, solids, VectorCompare(mins, maxs), fits);
}

// ---- the row ----

static inline bool is_zero(vec3_t v) {
    return VectorCompare(v, Vector(0.0f, 0.0f, 0.0f));
}

static vec3_t middle_offset(vec3_t mins, vec3_t maxs) {
    return VectorScale(VectorAdd(mins, maxs), 0.5f);
}

static vec3_t turned_point(const cm_pose_t *pose, const hull_t *hull, vec3_t middle) {
    vec3_t hull_middle = middle_offset(hull->clip_mins, hull->clip_maxs);
    return VectorSubtract(CM_ToModel(pose, middle), hull_middle);
}

static contents_t bsp_contents(const cmap_t *map, const cm_object_t *object, vec3_t point) {
    const cmodel_t *model = &map->models[object->model];
    if (is_zero(object->angles)) {
        point = VectorSubtract(point, object->origin);
    } else {
        cm_pose_t pose = CM_MakePose(object);
        point = CM_ToModel(&pose, point);
    }
    return map->brushes_only ? CM_BrushContents(&model->brushes, point)
                             : CM_HullPointContents(&model->hulls[0], point);
}

/// Returns true if hull 0 is not empty at one of 27 points of the box. An empty box hull may hide
/// water.
static bool touches_hull_0(const cmap_t *map, const cm_object_t *object, bounds_t box) {
    vec3_t size = VectorSubtract(box.maxs, box.mins);
    for (int32_t i = 0; i < 27; i++) {
        const int32_t steps[3] = {i % 3, i / 3 % 3, i / 9};
        vec3_t share = VectorScale(Vector((float)steps[0], (float)steps[1], (float)steps[2]), 0.5f);
        vec3_t point = {box.mins.x + size.x * share.x, box.mins.y + size.y * share.y,
                        box.mins.z + size.z * share.z};
        if (bsp_contents(map, object, point) != CONTENTS_EMPTY) {
            return true;
        }
    }
    return false;
}

static bool bsp_touches(const cmap_t *map, const cm_object_t *object, vec3_t origin, vec3_t mins,
                        vec3_t maxs) {
    const brush_list_t *brushes = &map->models[object->model].brushes;
    cm_pose_t pose = CM_MakePose(object);
    if (brushes->exists) {
        return CM_BrushTouches(brushes, &pose, origin, mins, maxs, false);
    }
    vec3_t offset;
    const hull_t *hull = CM_HullForBox(map, object->model, mins, maxs, &offset, NULL);
    if (hull->root == CONTENTS_EMPTY) {
        return touches_hull_0(map, object,
                              (bounds_t){VectorAdd(origin, mins), VectorAdd(origin, maxs)});
    }
    vec3_t point = pose.turned
                       ? turned_point(&pose, hull, VectorAdd(origin, middle_offset(mins, maxs)))
                       : VectorAdd(VectorSubtract(origin, object->origin), offset);
    return CM_HullPointContents(hull, point) != CONTENTS_EMPTY;
}

/// Sweeps through the hull of a turned model: turns the sweep, but not the box (article 001).
static trace_t turned_hull_trace(const cmap_t *map, const cm_object_t *object, vec3_t start,
                                 vec3_t end, vec3_t mins, vec3_t maxs) {
    cm_pose_t pose = CM_MakePose(object);
    const hull_t *hull = CM_HullForBox(map, object->model, mins, maxs, NULL, NULL);
    vec3_t middle = middle_offset(mins, maxs);
    vec3_t from = turned_point(&pose, hull, VectorAdd(start, middle));
    trace_t trace = CM_HullTrace(hull, from, turned_point(&pose, hull, VectorAdd(end, middle)));
    trace.endpos = trace.fraction == 1.0f ? end : VectorLerp(start, end, trace.fraction);
    if (!is_zero(trace.plane.normal)) {
        float ahead = DotProduct(from, trace.plane.normal) - trace.plane.dist;
        // Add 0, so that the trace has no negative zeros.
        trace.plane.normal =
            VectorAdd(CM_TurnToWorld(&pose, trace.plane.normal), Vector(0.0f, 0.0f, 0.0f));
        trace.plane.dist = DotProduct(start, trace.plane.normal) - ahead;
        trace.plane.type = PlaneType(trace.plane.normal);
    }
    return trace;
}

static trace_t brush_trace(const cmap_t *map, const cm_object_t *object, vec3_t start, vec3_t end,
                           vec3_t mins, vec3_t maxs) {
    cm_pose_t pose = CM_MakePose(object);
    const brush_list_t *brushes = &map->models[object->model].brushes;
    if (map->brushes_only || !VectorCompare(mins, maxs)) {
        return CM_BrushTrace(brushes, &pose, start, end, mins, maxs);
    }
    trace_t trace = CM_BrushTrace(brushes, &pose, start, end, mins, maxs);
    if (!trace.allsolid) {
        trace.contents = bsp_contents(map, object, VectorAdd(trace.endpos, mins));
    }
    return trace;
}

static trace_t bsp_trace(const cmap_t *map, const cm_object_t *object, vec3_t start, vec3_t end,
                         vec3_t mins, vec3_t maxs) {
    const cmodel_t *model = &map->models[object->model];
    const vec3_t size = VectorSubtract(maxs, mins);
    const hull_t *hull = &model->hulls[hull_for_size(map->hullset, size)];
    const bool turned = !is_zero(object->angles) && CM_IsTurned(object);
    if (model->brushes.exists) {
        bool is_point = VectorCompare(mins, maxs);
        bool fits = VectorCompare(size, VectorSubtract(hull->clip_maxs, hull->clip_mins));
        if (uses_brushes(map, object->solids, is_point, fits) || (turned && !is_point)) {
            return brush_trace(map, object, start, end, mins, maxs);
        }
    }
    if (turned) {
        return turned_hull_trace(map, object, start, end, mins, maxs);
    }
    // Shift from world space to the hull's space.
    const vec3_t shift = VectorSubtract(VectorSubtract(mins, hull->clip_mins), object->origin);
    trace_t trace = CM_HullTrace(hull, VectorAdd(start, shift), VectorAdd(end, shift));
    if (is_zero(shift)) {
        return trace; // model 0: return the hull's trace unchanged
    }
    // Interpolate: shifting the hull's endpos back would round twice.
    trace.endpos = trace.fraction == 1.0f ? end : VectorLerp(start, end, trace.fraction);
    trace.plane.dist -= DotProduct(trace.plane.normal, shift);
    return trace;
}

/// Returns the contact of a point in solid: the nearest plane with free space on its other side,
/// among the nodes that lead to the point's leaf. If there is none, the normal is (0, 0, 1) and the
/// depth is 0.
static cm_contact_t hull_contact(const hull_t *hull, vec3_t point) {
    cm_contact_t contact = {.normal = {0.0f, 0.0f, 1.0f}, .surface = -1};
    float least = INFINITY;
    for (int32_t num = hull->root; num >= 0;) {
        const clipnode_t *node = &hull->nodes[num];
        const plane_t *plane = &hull->planes[CM_ClipNodePlane(node)];
        float d = PlaneDiff(point, plane);
        vec3_t out = VectorScale(plane->normal, d < 0.0f ? 1.0f : -1.0f);
        float depth = fabsf(d) + CM_DIST_EPSILON;
        if (depth < least &&
            CM_HullPointContents(hull, VectorMA(point, depth, out)) != CONTENTS_SOLID) {
            least = depth;
            contact.normal = out;
            contact.depth = fabsf(d);
        }
        num = node->children[d < 0.0f ? 1 : 0];
    }
    return contact;
}

static int32_t bsp_overlap(const cmap_t *map, const cm_object_t *object, bounds_t box,
                           cm_contact_t *contacts, int32_t max) {
    const brush_list_t *brushes = &map->models[object->model].brushes;
    cm_pose_t pose = CM_MakePose(object);
    if (brushes->exists) {
        return CM_BrushOverlap(brushes, &pose, box, contacts, max);
    }
    const hull_t *hull = CM_HullForBox(map, object->model, box.mins, box.maxs, NULL, NULL);
    vec3_t point = pose.turned
                       ? turned_point(&pose, hull, middle_offset(box.mins, box.maxs))
                       : VectorSubtract(VectorSubtract(box.mins, hull->clip_mins), object->origin);
    if (max < 1 || CM_HullPointContents(hull, point) != CONTENTS_SOLID) {
        return 0;
    }
    contacts[0] = hull_contact(hull, point);
    contacts[0].normal =
        VectorAdd(CM_TurnToWorld(&pose, contacts[0].normal), Vector(0.0f, 0.0f, 0.0f));
    return 1;
}

// ---- the query cache ----

// Reach of queries around the box, for a step and the search for ground.
#define STEP_REACH 8.0f // qu

static lanes_mask_t holds(const hull_region_t *region, lanes_t p1, lanes_t p2) {
    return (p1 >= region->mins) & (p1 <= region->maxs) & (p2 >= region->mins) &
           (p2 <= region->maxs);
}

/// Returns the region of a point's cell, or an empty region.
static hull_region_t region_around(const hull_t *hull, vec3_t point) {
    hull_region_t region = {.mins = Lanes_All(1.0f), .maxs = Lanes_All(-1.0f), .hull = hull};
    if (hull && hull->cells && CM_CellAt(hull->cells, point)) {
        bounds_t box;
        region.cell = CM_Cell(hull, CM_CellAround(hull->cells, point, &box));
        region.mins = (lanes_t){box.mins.x, box.mins.y, box.mins.z, 0.0f};
        region.maxs = (lanes_t){box.maxs.x, box.maxs.y, box.maxs.z, 1.0f};
        if (region.cell.groups) {
            __builtin_prefetch(region.cell.groups);
            __builtin_prefetch(&region.cell.groups->planes[0]);
            __builtin_prefetch(&region.cell.groups->planes[1]);
        }
    }
    return region;
}

static void bsp_cache_fill(cm_cache_t *cache, vec3_t origin) {
    hull_cache_t *near = &cache->hull;
    const cmap_t *map = cache->map;
    const vec3_t mins = {cache->mins[0], cache->mins[1], cache->mins[2]};
    const vec3_t maxs = {cache->maxs[0], cache->maxs[1], cache->maxs[2]};
    const lanes_t p = {origin.x, origin.y, origin.z, 0.0f};
    const lanes_t reach = {STEP_REACH, STEP_REACH, STEP_REACH, 0.0f};
    // A box that collides with brushes has no cached hull, so test the region of its points.
    const hull_region_t *region =
        near->hull.mins[3] > near->hull.maxs[3] ? &near->points : &near->hull;
    if (cache->is_filled && Lanes_Bits(holds(region, p - reach, p + reach)) == 15) {
        return;
    }
    const bool in_world = VectorWithin(origin, MAX_WORLD_COORD);
    vec3_t offset;
    const hull_t *hull = CM_HullForBox(map, 0, mins, maxs, &offset, NULL);
    const bool uses_hull =
        in_world && is_zero(offset) && !CM_UsesBrushes(map, cache->solids, mins, maxs);
    const vec3_t feet = {origin.x, origin.y, origin.z + mins.z};
    near->hull = region_around(uses_hull ? hull : NULL, origin);
    near->points =
        region_around(in_world && !map->brushes_only ? &map->models[0].hulls[0] : NULL, feet);
}

static bool bsp_cache_fill_region(cm_cache_t *cache, bounds_t region) {
    (void)cache;
    (void)region;
    return false; // not supported, because hull cells lack monster clip
}

// Use whole.p1.v and whole.p2.v only as vectors, otherwise gcc keeps the sweep in memory.
static bool bsp_cache_trace(cm_cache_t *cache) {
    const cm_sweep_t *sweep = &cache->last;
    const hull_region_t *region = &cache->hull.hull;
    // Add 0, so that the trace has no negative zeros.
    const lanes_t zero = {0.0f, 0.0f, 0.0f, 0.0f};
    const lanes_t last = {0.0f, 0.0f, 0.0f, 1.0f};
    const segment_t whole = {{sweep->start + zero}, {sweep->end + last}};
    const lanes_mask_t same_box = (sweep->mins == cache->mins) & (sweep->maxs == cache->maxs);
    if (Lanes_Bits(holds(region, whole.p1.v, whole.p2.v) & same_box) == 15) {
        cache->last_trace = CM_CellTrace(&region->cell, &whole);
        return true;
    }
    if (region->hull && Lanes_Bits(same_box) == 15) {
        cache->last_trace =
            CM_HullTrace(region->hull, VectorAdd(CM_SweepVec(sweep->start), vec3_zero),
                         VectorAdd(CM_SweepVec(sweep->end), vec3_zero));
        return true;
    }
    return false;
}

static contents_t bsp_cache_contents(const cm_cache_t *cache, vec3_t point) {
    const hull_region_t *region = &cache->hull.points;
    const sweep_point_t p = {{point.x, point.y, point.z, 0.0f}};
    if (Lanes_Bits(holds(region, p.v, p.v)) == 15) {
        return CM_CellContents(&region->cell, &p);
    }
    return region->hull ? CM_HullPointContents(region->hull, point)
                        : CM_PointContents(cache->map, 0, point);
}

static int32_t bsp_cache_overlap(const cm_cache_t *cache, bounds_t box, cm_contact_t *contacts,
                                 int32_t max) {
    const cm_object_t world = {.model = 0, .solids = cache->solids};
    return CM_Overlap(cache->map, &world, box, contacts, max);
}

const cm_kind_t CM_BspKind = {
    .trace = bsp_trace,
    .touches = bsp_touches,
    .contents = bsp_contents,
    .overlap = bsp_overlap,
    .cache_fill = bsp_cache_fill,
    .cache_fill_region = bsp_cache_fill_region,
    .cache_trace = bsp_cache_trace,
    .cache_contents = bsp_cache_contents,
    .cache_overlap = bsp_cache_overlap,
};
