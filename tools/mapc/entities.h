/// mapc/entities.h - makes the models of a map from its entities, and writes the entity text.
//
// Memory:  allocated from pools->keep.
// Errors:  reported with the line of the entity.

#ifndef EDICTD_MAPC_ENTITIES_H
#define EDICTD_MAPC_ENTITIES_H

#include "mapc/brush.h"
#include "mapc/fill.h"

/// A model of the compiled map. Number 0 is the world, 1 and up are brush entities.
typedef struct {
    mc_brush_t *brushes;
    int32_t num_brushes;
    int32_t entity;  ///< number in mc_map_t
    bool has_origin; ///< an origin brush sets the model's origin
    dvec_t origin;
} mc_model_t;

typedef struct {
    mc_model_t *models; ///< [0] is the world
    int32_t num_models;
    int32_t *model_of; ///< model of each entity; 0 = the world, -1 = a point, -2 = not written
    mc_seeds_t seeds;  ///< origins of point entities
} mc_scene_t;

/// Makes the models with brushes. Adds the brushes of func_group and func_detail* to the world.
/// Drops func_detail_illusionary and editor layers marked "omit from export".
void MC_MakeScene(mc_scene_t *scene, mc_pools_t *pools, mc_planes_t *table, mc_report_t *report,
                  const mc_map_t *map, bool halflife);

/// Returns the entity text of the compiled map. Drops the editor's keys ("_tb_..."). Returns NULL
/// for a long key or value, or too many keys in an entity.
char *MC_EntityText(const mc_scene_t *scene, mc_pools_t *pools, mc_report_t *report,
                    const mc_map_t *map, size_t *size);

#endif
