/// collide/mesh_model.c - implements kind.h for meshes, one per contents.

#include "collide/cmap.h"
#include "collide/kind.h"
#include "collide/segment.h"
#include "state/trace_make.h"

static int32_t num_meshes(const cmodel_t *model) {
    return 1 + model->num_more_meshes;
}

/// Returns true if a trace from `at` would start in solid.
static bool is_stuck(const cmodel_t *model, const cm_pose_t *pose, vec3_t at, bounds_t size) {
    for (int32_t i = 0; i < num_meshes(model); i++) {
        const mesh_t *mesh = &model->mesh[i];
        if (CM_IsBrushSolid(mesh->contents, false) &&
            CM_MeshTrace(mesh, pose, at, at, size.mins, size.maxs).startsolid) {
            return true;
        }
    }
    return false;
}

/// Moves the box back until it is free of all meshes, because rounding may put a stop into another
/// mesh.
static void leave_parts(const cmodel_t *model, const cm_pose_t *pose, bounds_t path, bounds_t size,
                        trace_t *trace) {
    float step = trace->fraction * CM_BACKUP_STEP;
    for (int32_t i = 0; i < 10 && is_stuck(model, pose, trace->endpos, size); i++) {
        trace->fraction = i == 9 ? 0.0f : trace->fraction - step;
        trace->endpos = VectorLerp(path.mins, path.maxs, trace->fraction);
    }
}

static trace_t trace_meshes(const cmap_t *map, const cm_object_t *object,
                            const triangle_cache_t *cached, bounds_t path, bounds_t size) {
    const cmodel_t *model = &map->models[object->model];
    cm_pose_t pose = CM_MakePose(object);
    bool is_point = VectorCompare(size.mins, size.maxs);
    int32_t solids = 0;
    trace_t total = Trace_Free(path.maxs);
    for (int32_t i = 0; i < num_meshes(model); i++) {
        const mesh_t *mesh = &model->mesh[i];
        if (CM_IsBrushSolid(mesh->contents, is_point)) {
            trace_t trace =
                cached && cached->mesh == mesh
                    ? CM_CachedMeshTrace(cached, path.mins, path.maxs, size.mins, size.maxs)
                    : CM_MeshTrace(mesh, &pose, path.mins, path.maxs, size.mins, size.maxs);
            CM_CombineTrace(&total, &trace);
            solids++;
        }
    }
    bool stopped = total.fraction > 0.0f && total.fraction < 1.0f && !total.startsolid;
    if (stopped && !is_point && solids > 1) {
        leave_parts(model, &pose, path, size, &total);
    }
    if (is_point && !total.allsolid) {
        total.contents = CM_Contents(map, object, VectorAdd(total.endpos, size.mins));
    }
    return total;
}

static trace_t mesh_trace(const cmap_t *map, const cm_object_t *object, vec3_t start, vec3_t end,
                          vec3_t mins, vec3_t maxs) {
    return trace_meshes(map, object, NULL, (bounds_t){start, end}, (bounds_t){mins, maxs});
}

static bool mesh_touches(const cmap_t *map, const cm_object_t *object, vec3_t origin, vec3_t mins,
                         vec3_t maxs) {
    const cmodel_t *model = &map->models[object->model];
    cm_pose_t pose = CM_MakePose(object);
    for (int32_t i = 0; i < num_meshes(model); i++) {
        if (CM_MeshTouches(&model->mesh[i], &pose, origin, mins, maxs)) {
            return true;
        }
    }
    return false;
}

/// Returns CONTENTS_SOLID in a solid mesh, otherwise the first contents that are not empty. Clip
/// does not count.
static contents_t mesh_contents(const cmap_t *map, const cm_object_t *object, vec3_t point) {
    const cmodel_t *model = &map->models[object->model];
    cm_pose_t pose = CM_MakePose(object);
    contents_t found = CONTENTS_EMPTY;
    for (int32_t i = 0; i < num_meshes(model) && found != CONTENTS_SOLID; i++) {
        contents_t contents = CM_MeshContents(&model->mesh[i], &pose, point);
        bool counts = contents == CONTENTS_SOLID || found == CONTENTS_EMPTY;
        found = counts && contents != CONTENTS_CLIP ? contents : found;
    }
    return found;
}

static int32_t overlap_meshes(const cmap_t *map, const cm_object_t *object,
                              const triangle_cache_t *cached, bounds_t box, cm_contact_t *contacts,
                              int32_t max) {
    const cmodel_t *model = &map->models[object->model];
    cm_pose_t pose = CM_MakePose(object);
    int32_t count = 0;
    for (int32_t i = 0; i < num_meshes(model); i++) {
        const mesh_t *mesh = &model->mesh[i];
        cm_contact_t more[MAX_CONTACTS];
        if (!CM_IsBrushSolid(mesh->contents, false)) {
            continue;
        }
        int32_t num_more = cached && cached->mesh == mesh
                               ? CM_CachedMeshOverlap(cached, box, more, MAX_CONTACTS)
                               : CM_MeshOverlap(mesh, &pose, box, more, MAX_CONTACTS);
        for (int32_t n = 0; n < num_more; n++) {
            count = CM_AddContact(contacts, count, max, &more[n], false);
        }
    }
    return count;
}

static int32_t mesh_overlap(const cmap_t *map, const cm_object_t *object, bounds_t box,
                            cm_contact_t *contacts, int32_t max) {
    return overlap_meshes(map, object, NULL, box, contacts, max);
}

// ---- the query cache ----

// Reach of a player's queries in one step. A cache serves origins within ORIGIN_REACH.
#define ORIGIN_REACH  20.0f // qu
#define REACH_FORWARD 20.0f // qu
#define REACH_DOWN    60.0f // qu
#define REACH_UP      20.0f // qu

/// Returns the first mesh that stops boxes, or NULL. Sets is_only and has_volumes.
static const mesh_t *first_solid(mesh_cache_t *near, const cmodel_t *model) {
    const mesh_t *first = NULL;
    near->is_only = true;
    near->has_volumes = false;
    for (int32_t i = 0; i < num_meshes(model); i++) {
        const mesh_t *mesh = &model->mesh[i];
        near->has_volumes = near->has_volumes || (mesh->flags & MESH_VOLUME);
        if (CM_IsBrushSolid(mesh->contents, false)) {
            near->is_only = first == NULL;
            first = first ? first : mesh;
        }
    }
    return first;
}

static bool fill_around(cm_cache_t *cache, const mesh_t *mesh, vec3_t origin, float reach) {
    mesh_cache_t *near = &cache->mesh;
    const vec3_t r = {reach, reach, reach};
    const vec3_t low = {cache->mins[0] - REACH_FORWARD, cache->mins[1] - REACH_FORWARD,
                        cache->mins[2] - REACH_DOWN};
    const vec3_t high = {cache->maxs[0] + REACH_FORWARD, cache->maxs[1] + REACH_FORWARD,
                         cache->maxs[2] + REACH_UP};
    near->origins = (bounds_t){VectorSubtract(origin, r), VectorAdd(origin, r)};
    return CM_FillTriangleCache(
        &near->triangles, mesh,
        (bounds_t){VectorAdd(near->origins.mins, low), VectorAdd(near->origins.maxs, high)});
}

/// Caches the triangles around several steps, or around one step if they do not fit. If even these
/// do not fit, queries at `origin` walk the tree.
static void mesh_cache_fill(cm_cache_t *cache, vec3_t origin) {
    mesh_cache_t *near = &cache->mesh;
    if (cache->is_filled && BoundsTouch(near->origins, (bounds_t){origin, origin})) {
        return;
    }
    CM_EmptyTriangleCache(&near->triangles, NULL);
    near->origins = (bounds_t){{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};
    const mesh_t *mesh = first_solid(near, &cache->map->models[0]);
    if (mesh && VectorWithin(origin, MAX_WORLD_COORD) &&
        !fill_around(cache, mesh, origin, ORIGIN_REACH)) {
        fill_around(cache, mesh, origin, 0.0f);
    }
}

static bool mesh_cache_fill_region(cm_cache_t *cache, bounds_t region) {
    mesh_cache_t *near = &cache->mesh;
    CM_EmptyTriangleCache(&near->triangles, NULL);
    near->origins = (bounds_t){{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};
    const mesh_t *mesh = first_solid(near, &cache->map->models[0]);
    return mesh && CM_FillTriangleCache(&near->triangles, mesh, region);
}

static bool mesh_cache_trace(cm_cache_t *cache) {
    const cm_sweep_t *sweep = &cache->last;
    const mesh_cache_t *near = &cache->mesh;
    const vec3_t start = CM_SweepVec(sweep->start);
    const vec3_t end = CM_SweepVec(sweep->end);
    const vec3_t mins = CM_SweepVec(sweep->mins);
    const vec3_t maxs = CM_SweepVec(sweep->maxs);
    const mesh_t *mesh = near->triangles.mesh;
    const bool is_point = VectorCompare(mins, maxs);
    if (mesh && near->is_only &&
        (!is_point || (!near->has_volumes && mesh->contents == CONTENTS_SOLID))) {
        cache->last_trace = CM_CachedMeshTrace(&near->triangles, start, end, mins, maxs);
    } else {
        const cm_object_t world = {.model = 0, .solids = cache->solids};
        cache->last_trace = trace_meshes(cache->map, &world, &near->triangles,
                                         (bounds_t){start, end}, (bounds_t){mins, maxs});
    }
    return true;
}

static contents_t mesh_cache_contents(const cm_cache_t *cache, vec3_t point) {
    return cache->mesh.has_volumes ? CM_PointContents(cache->map, 0, point) : CONTENTS_EMPTY;
}

static int32_t mesh_cache_overlap(const cm_cache_t *cache, bounds_t box, cm_contact_t *contacts,
                                  int32_t max) {
    const cm_object_t world = {.model = 0, .solids = cache->solids};
    return overlap_meshes(cache->map, &world, &cache->mesh.triangles, box, contacts, max);
}

const cm_kind_t CM_MeshKind = {
    .trace = mesh_trace,
    .touches = mesh_touches,
    .contents = mesh_contents,
    .overlap = mesh_overlap,
    .cache_fill = mesh_cache_fill,
    .cache_fill_region = mesh_cache_fill_region,
    .cache_trace = mesh_cache_trace,
    .cache_contents = mesh_cache_contents,
    .cache_overlap = mesh_cache_overlap,
};
