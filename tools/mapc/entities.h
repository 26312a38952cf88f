/// mapc/entities.h - sorts entities into the world, brush models and points; writes the entity
/// text.
//
// Memory:  from the keep pool given.
// Errors:  reported with the line of the entity.

#ifndef EDICTD_MAPC_ENTITIES_H
#define EDICTD_MAPC_ENTITIES_H

#include "mapc/brush.h"
#include "mapc/fill.h"

/// A model of the compiled map: number 0 is the world, the others are brush entities.
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
    int32_t *model_of; ///< per entity: its model; 0: the world, -1: a point, -2: not written
    mc_seeds_t seeds;  ///< origins of point entities
} mc_scene_t;

/// Sorts the entities and makes their brushes. Brushes of func_group and func_detail* join the
/// world; those of func_detail_illusionary are dropped. Layers omitted from export are skipped.
void MC_MakeScene(mc_scene_t *scene, mc_pools_t *pools, mc_planes_t *table, mc_report_t *report,
                  const mc_map_t *map, bool halflife);

/// Returns the entity text of the compiled map. Adds "model" "*n" and "origin". Drops keys of the
/// editor ("_tb_...") and entities that joined the world. Returns NULL with an error if a key, a
/// value or the number of keys exceeds a limit of base/limits.h.
char *MC_EntityText(const mc_scene_t *scene, mc_pools_t *pools, mc_report_t *report,
                    const mc_map_t *map, size_t *size);

#endif
