/// collide/mesh/mesh_model.c - the questions asked of a model of triangles: meshes side by side,
/// one for each contents.
//
// Floor:   collide.
// Units:   qu.
// Memory:  none.

#include "collide/kind.h"
#include "collide/segment.h"

static int32_t num_meshes(const cmodel_t *model) {
    return 1 + model->num_more_meshes;
}

const mesh_t *CM_SolidMesh(const cmodel_t *model, bool *is_sole, bool *is_dry) {
    const mesh_t *first = NULL;
    *is_sole = true;
    *is_dry = true;
    for (int32_t i = 0; i < num_meshes(model); i++) {
        const mesh_t *mesh = &model->mesh[i];
        *is_dry = *is_dry && !(mesh->flags & MESH_VOLUME);
        if (CM_IsBrushSolid(mesh->contents, false)) {
            *is_sole = first == NULL;
            first = first ? first : mesh;
        }
    }
    return first;
}

/// True when the next trace, begun there, would start in one of the parts.
static bool stands_in(const cmodel_t *model, const cm_pose_t *pose, vec3_t at, bounds_t size) {
    for (int32_t i = 0; i < num_meshes(model); i++) {
        const mesh_t *mesh = &model->mesh[i];
        if (CM_IsBrushSolid(mesh->contents, false) &&
            CM_MeshTrace(mesh, pose, at, at, size.mins, size.maxs).startsolid) {
            return true;
        }
    }
    return false;
}

/// Each part has looked at the end of its own trace. Where one of several stopped the box, rounding
/// may have put it into another that it passed: it goes back until it is free.
static void leave_parts(const cmodel_t *model, const cm_pose_t *pose, bounds_t way, bounds_t size,
                        trace_t *trace) {
    float step = trace->fraction * CM_BACKUP_STEP;
    for (int32_t i = 0; i < 10 && stands_in(model, pose, trace->endpos, size); i++) {
        trace->fraction = i == 9 ? 0.0f : trace->fraction - step;
        trace->endpos = VectorLerp(way.mins, way.maxs, trace->fraction);
    }
}

trace_t CM_TraceMeshes(const cmap_t *map, const cm_place_t *place, mesh_gather_t *gather,
                       bounds_t way, bounds_t size) {
    const cmodel_t *model = &map->models[place->model];
    cm_pose_t pose = CM_MakePose(place);
    bool is_point = VectorCompare(size.mins, size.maxs);
    int32_t solids = 0;
    trace_t total = {
        .fraction = 1.0f, .endpos = way.maxs, .contents = CONTENTS_EMPTY, .entnum = TRACE_NOTHING};
    for (int32_t i = 0; i < num_meshes(model); i++) {
        const mesh_t *mesh = &model->mesh[i];
        if (CM_IsBrushSolid(mesh->contents, is_point)) {
            trace_t trace =
                gather && gather->mesh == mesh
                    ? CM_MeshGatherTrace(gather, way.mins, way.maxs, size.mins, size.maxs)
                    : CM_MeshTrace(mesh, &pose, way.mins, way.maxs, size.mins, size.maxs);
            CM_CombineTrace(&total, &trace);
            solids++;
        }
    }
    bool stopped = total.fraction > 0.0f && total.fraction < 1.0f && !total.startsolid;
    if (stopped && !is_point && solids > 1) {
        leave_parts(model, &pose, way, size, &total);
    }
    if (is_point && !total.allsolid) {
        total.contents = CM_Contents(map, place, VectorAdd(total.endpos, size.mins));
    }
    return total;
}

static trace_t mesh_trace(const cmap_t *map, const cm_place_t *place, vec3_t start, vec3_t end,
                          vec3_t mins, vec3_t maxs) {
    return CM_TraceMeshes(map, place, NULL, (bounds_t){start, end}, (bounds_t){mins, maxs});
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

int32_t CM_OverlapMeshes(const cmap_t *map, const cm_place_t *place, const mesh_gather_t *gather,
                         bounds_t box, cm_contact_t *contacts, int32_t max) {
    const cmodel_t *model = &map->models[place->model];
    cm_pose_t pose = CM_MakePose(place);
    int32_t count = 0;
    for (int32_t i = 0; i < num_meshes(model); i++) {
        const mesh_t *mesh = &model->mesh[i];
        cm_contact_t more[MAX_CONTACTS];
        if (!CM_IsBrushSolid(mesh->contents, false)) {
            continue;
        }
        int32_t num_more = gather && gather->mesh == mesh
                               ? CM_MeshGatherOverlap(gather, box, more, MAX_CONTACTS)
                               : CM_MeshOverlap(mesh, &pose, box, more, MAX_CONTACTS);
        for (int32_t n = 0; n < num_more; n++) {
            count = CM_AddContact(contacts, count, max, &more[n]);
        }
    }
    return count;
}

static int32_t mesh_overlap(const cmap_t *map, const cm_place_t *place, bounds_t box,
                            cm_contact_t *contacts, int32_t max) {
    return CM_OverlapMeshes(map, place, NULL, box, contacts, max);
}

const cm_kind_t CM_MeshKind = {
    .trace = mesh_trace,
    .touches = mesh_touches,
    .contents = mesh_contents,
    .overlap = mesh_overlap,
};
