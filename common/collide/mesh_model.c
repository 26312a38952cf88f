/// collide/mesh_model.c - the questions asked of a model of triangles: meshes side by side, one for
/// each contents.
//
// Floor:   collide.
// Units:   qu.
// Memory:  none.

#include "collide/kind.h"

static int32_t num_meshes(const cmodel_t *model) {
    return 1 + model->num_more_meshes;
}

static trace_t mesh_trace(const cmap_t *map, const cm_place_t *place, vec3_t start, vec3_t end,
                          vec3_t mins, vec3_t maxs) {
    const cmodel_t *model = &map->models[place->model];
    cm_pose_t pose = CM_MakePose(place);
    bool is_point = VectorCompare(mins, maxs);
    trace_t total = {
        .fraction = 1.0f, .endpos = end, .contents = CONTENTS_EMPTY, .entnum = TRACE_NOTHING};
    for (int32_t i = 0; i < num_meshes(model); i++) {
        if (CM_IsBrushSolid(model->mesh[i].contents, is_point)) {
            trace_t trace = CM_MeshTrace(&model->mesh[i], &pose, start, end, mins, maxs);
            CM_CombineTrace(&total, &trace);
        }
    }
    if (is_point && !total.allsolid) {
        total.contents = CM_Contents(map, place, VectorAdd(total.endpos, mins));
    }
    return total;
}

static bool mesh_touches(const cmap_t *map, const cm_place_t *place, vec3_t origin, vec3_t mins,
                         vec3_t maxs) {
    const cmodel_t *model = &map->models[place->model];
    cm_pose_t pose = CM_MakePose(place);
    for (int32_t i = 0; i < num_meshes(model); i++) {
        if (CM_MeshTouches(&model->mesh[i], &pose, origin, mins, maxs)) {
            return true;
        }
    }
    return false;
}

/// Of several that hold the point solid, else the first. Clip is nothing to a point.
static contents_t mesh_contents(const cmap_t *map, const cm_place_t *place, vec3_t point) {
    const cmodel_t *model = &map->models[place->model];
    cm_pose_t pose = CM_MakePose(place);
    contents_t found = CONTENTS_EMPTY;
    for (int32_t i = 0; i < num_meshes(model) && found != CONTENTS_SOLID; i++) {
        contents_t contents = CM_MeshContents(&model->mesh[i], &pose, point);
        bool counts = contents == CONTENTS_SOLID || found == CONTENTS_EMPTY;
        found = counts && contents != CONTENTS_CLIP ? contents : found;
    }
    return found;
}

static int32_t mesh_overlap(const cmap_t *map, const cm_place_t *place, bounds_t box,
                            cm_contact_t *contacts, int32_t max) {
    const cmodel_t *model = &map->models[place->model];
    cm_pose_t pose = CM_MakePose(place);
    int32_t count = 0;
    for (int32_t i = 0; i < num_meshes(model); i++) {
        cm_contact_t more[MAX_CONTACTS];
        if (!CM_IsBrushSolid(model->mesh[i].contents, false)) {
            continue;
        }
        int32_t num_more = CM_MeshOverlap(&model->mesh[i], &pose, box, more, MAX_CONTACTS);
        for (int32_t n = 0; n < num_more; n++) {
            count = CM_AddContact(contacts, count, max, &more[n]);
        }
    }
    return count;
}

const cm_kind_t CM_MeshKind = {
    .trace = mesh_trace,
    .touches = mesh_touches,
    .contents = mesh_contents,
    .overlap = mesh_overlap,
};
