/// collide/mesh_model.c - the questions asked of a model that is a triangle mesh.
//
// Floor:   collide.
// Units:   qu.
// Memory:  none.

#include "collide/kind.h"

static trace_t mesh_trace(const cmap_t *map, const cm_place_t *place, vec3_t start, vec3_t end,
                          vec3_t mins, vec3_t maxs) {
    cm_pose_t pose = CM_MakePose(place);
    return CM_MeshTrace(map->models[place->model].mesh, &pose, start, end, mins, maxs);
}

static bool mesh_touches(const cmap_t *map, const cm_place_t *place, vec3_t origin, vec3_t mins,
                         vec3_t maxs) {
    cm_pose_t pose = CM_MakePose(place);
    return CM_MeshTouches(map->models[place->model].mesh, &pose, origin, mins, maxs);
}

static contents_t mesh_contents(const cmap_t *map, const cm_place_t *place, vec3_t point) {
    cm_pose_t pose = CM_MakePose(place);
    return CM_MeshContents(map->models[place->model].mesh, &pose, point);
}

static int32_t mesh_overlap(const cmap_t *map, const cm_place_t *place, bounds_t box,
                            cm_contact_t *contacts, int32_t max) {
    cm_pose_t pose = CM_MakePose(place);
    return CM_MeshOverlap(map->models[place->model].mesh, &pose, box, contacts, max);
}

const cm_kind_t CM_MeshKind = {
    .trace = mesh_trace,
    .touches = mesh_touches,
    .contents = mesh_contents,
    .overlap = mesh_overlap,
};
