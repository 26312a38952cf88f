#include "collide/cmodel.h"

#include "base/assert.h"
#include "collide/cmap.h"
#include "collide/kind.h"

#include <stdlib.h>
#include <string.h>

static const cm_kind_t *const kinds[NUM_MODEL_KINDS] = {
    [MODEL_BSP] = &CM_BspKind,
    [MODEL_MESH] = &CM_MeshKind,
};

const cm_kind_t *CM_KindOf(const cmap_t *map, int32_t model) {
    ASSERT(model >= 0 && model < map->num_models);
    return kinds[map->models[model].kind];
}

bool CM_IsMesh(const cmap_t *map, int32_t model) {
    return CM_KindOf(map, model) == &CM_MeshKind;
}

cm_info_t CM_Info(const cmap_t *map) {
    return (cm_info_t){
        .name = map->name,
        .format = map->format,
        .remark = map->remark,
        .entities = map->entities,
        .entities_bytes = map->entities_bytes,
        .hash = map->hash,
        .hullset = map->hullset,
        .num_recovered = map->num_recovered,
        .has_clip_hulls = map->has_clip_hulls,
        .brushes_only = map->brushes_only,
        .stops_boxes = map->has_clip_hulls || map->has_brushes || CM_IsMesh(map, 0),
    };
}

int32_t CM_NumModels(const cmap_t *map) {
    return map->num_models;
}

bounds_t CM_ModelBounds(const cmap_t *map, int32_t model) {
    const cmodel_t *one = &map->models[model];
    return (bounds_t){VectorSubtract(one->bounds.mins, one->pivot),
                      VectorSubtract(one->bounds.maxs, one->pivot)};
}

vec3_t CM_ModelPivot(const cmap_t *map, int32_t model) {
    return map->models[model].pivot;
}

const hull_t *CM_Hull(const cmap_t *map, int32_t model, int32_t hull) {
    return &map->models[model].hulls[hull];
}

const brush_list_t *CM_Brushes(const cmap_t *map, int32_t model) {
    const brush_list_t *brushes = &map->models[model].brushes;
    return brushes->exists ? brushes : NULL;
}

const mesh_t *CM_Meshes(const cmap_t *map, int32_t model, int32_t *count) {
    *count = CM_IsMesh(map, model) ? 1 + map->models[model].num_more_meshes : 0;
    return map->models[model].mesh;
}

cm_pose_t CM_ModelPose(const cmap_t *map, const cm_object_t *object) {
    cm_pose_t pose = CM_MakePose(object);
    vec3_t pivot = map->models[object->model].pivot;
    pose.origin = VectorSubtract(pose.origin, CM_TurnToWorld(&pose, pivot));
    return pose;
}

/// Returns the object to query: `object`, or `*moved` for a model with a pivot.
static inline const cm_object_t *placed(const cmap_t *map, const cm_object_t *object,
                                        cm_object_t *moved) {
    if (VectorCompare(map->models[object->model].pivot, vec3_zero)) {
        return object;
    }
    *moved = *object;
    moved->origin = CM_ModelPose(map, object).origin;
    return moved;
}

trace_t CM_BoxTrace(const cmap_t *map, const cm_object_t *object, vec3_t start, vec3_t end,
                    vec3_t mins, vec3_t maxs) {
    cm_object_t moved;
    object = placed(map, object, &moved);
    return CM_KindOf(map, object->model)->trace(map, object, start, end, mins, maxs);
}

bool CM_BoxTouches(const cmap_t *map, const cm_object_t *object, vec3_t origin, vec3_t mins,
                   vec3_t maxs) {
    cm_object_t moved;
    object = placed(map, object, &moved);
    return CM_KindOf(map, object->model)->touches(map, object, origin, mins, maxs);
}

contents_t CM_Contents(const cmap_t *map, const cm_object_t *object, vec3_t point) {
    cm_object_t moved;
    object = placed(map, object, &moved);
    return CM_KindOf(map, object->model)->contents(map, object, point);
}

int32_t CM_Overlap(const cmap_t *map, const cm_object_t *object, bounds_t box,
                   cm_contact_t *contacts, int32_t max) {
    cm_object_t moved;
    object = placed(map, object, &moved);
    return CM_KindOf(map, object->model)->overlap(map, object, box, contacts, max);
}

bounds_t CM_TurnedBounds(vec3_t origin, vec3_t angles, vec3_t mins, vec3_t maxs) {
    const cm_object_t object = {.origin = origin, .angles = angles};
    if (!CM_IsTurned(&object)) {
        return (bounds_t){VectorAdd(origin, mins), VectorAdd(origin, maxs)};
    }
    cm_pose_t pose = CM_MakePose(&object);
    vec3_t half = VectorScale(VectorSubtract(maxs, mins), 0.5f);
    vec3_t middle = VectorScale(VectorAdd(mins, maxs), 0.5f);
    middle = VectorAdd(CM_TurnToWorld(&pose, middle), origin);
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
    // Compare fractions even with startsolid, because a sweep may leave solid
    // and stop beyond `total`.
    bool nearer = next->fraction < total->fraction;
    bool solid_first = next->startsolid && !total->startsolid && next->fraction == total->fraction;
    if (nearer || solid_first) {
        *total = *next;
    }
    total->startsolid = startsolid;
}

contents_t CM_PointContents(const cmap_t *map, int32_t model, vec3_t point) {
    const cm_object_t object = {.model = model};
    return CM_Contents(map, &object, point);
}

int32_t CM_PointLeaf(const cmap_t *map, vec3_t point) {
    int32_t num = map->leaf_root;
    while (num >= 0) {
        const cnode_t *node = &map->nodes[num];
        num = node->children[PlaneDiff(point, &map->planes[node->plane]) > 0.0f ? 0 : 1];
    }
    return -1 - num;
}

bool CM_IsSeeThrough(const cmap_t *map, int32_t model, bounds_t box) {
    const brush_list_t *list = CM_Brushes(map, model);
    return list && map->brushes_only && CM_BrushSeeThrough(list, box);
}

void CM_FreeMap(cmap_t *map) {
    Arena_Free(&map->arena);
    Arena_Free(&map->cells_arena);
    Arena_Free(&map->brush_arena);
    Arena_Free(&map->occluder_arena);
    Arena_Free(&map->meshes_arena);
    for (int32_t i = 0; i < map->num_mesh_blocks; i++) {
        free(map->mesh_blocks[i]);
    }
    free(map->mesh_blocks);
    memset(map, 0, sizeof *map);
}
