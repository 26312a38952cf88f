/// collide/kind.h - the questions that every kind of model answers. Inside of collide/ only.
//
// Floor:   collide.
// A new kind is a file with a row like these, and a place for it in cmodel.c's list.

#ifndef EDICTD_COLLIDE_KIND_H
#define EDICTD_COLLIDE_KIND_H

#include "collide/cmodel.h"
#include "collide/mesh/mesh_gather.h"

/// As CM_BoxTrace, CM_BoxTouches, CM_Contents and CM_Overlap say; place->model is of the kind.
typedef struct {
    trace_t (*trace)(const cmap_t *map, const cm_place_t *place, vec3_t start, vec3_t end,
                     vec3_t mins, vec3_t maxs);
    bool (*touches)(const cmap_t *map, const cm_place_t *place, vec3_t origin, vec3_t mins,
                    vec3_t maxs);
    contents_t (*contents)(const cmap_t *map, const cm_place_t *place, vec3_t point);
    int32_t (*overlap)(const cmap_t *map, const cm_place_t *place, bounds_t box,
                       cm_contact_t *contacts, int32_t max);
} cm_kind_t;

/// Of a model of meshes the first that stops boxes, or NULL. *is_sole: there is no other; *is_dry: none
/// has an inside, so that all points are empty.
const mesh_t *CM_SolidMesh(const cmodel_t *model, bool *is_sole, bool *is_dry);

/// The questions of a model of meshes, that mesh being asked by a gather; or none, NULL.
trace_t CM_TraceMeshes(const cmap_t *map, const cm_place_t *place, mesh_gather_t *gather,
                       bounds_t way, bounds_t size);
int32_t CM_OverlapMeshes(const cmap_t *map, const cm_place_t *place, const mesh_gather_t *gather,
                         bounds_t box, cm_contact_t *contacts, int32_t max);

extern const cm_kind_t CM_BspKind;  // bsp_model.c
extern const cm_kind_t CM_MeshKind; // mesh_model.c

#endif
