/// mapc/entities.h - which entities become the world, models or points; the text that goes out.
//
// Floor:   tool. mapfile, brush, texture.
// Units:   qu.
// Memory:  the keep pool given.
// Errors:  reported with the entity's line.

#ifndef EDICTD_MAPC_ENTITIES_H
#define EDICTD_MAPC_ENTITIES_H

#include "mapc/brush.h"
#include "mapc/fill.h"

/// A model of the compiled map: the world (0) or a brush entity's.
typedef struct {
    mc_brush_t *brushes;
    int32_t num_brushes;
    int32_t entity;  ///< in mc_map_t
    bool has_origin; ///< an origin brush said where the model's origin is
    dvec_t origin;
} mc_model_t;

/// What a map's entities came to.
typedef struct {
    mc_model_t *models; ///< [0] is the world
    int32_t num_models;
    int32_t *model_of; ///< per entity: its model, 0 = part of the world, -1 = a point, -2 = gone
    mc_seeds_t seeds;  ///< the points that must be inside
} mc_scene_t;

/// Sorts the entities and makes their brushes. func_group and func_detail* brushes join the world
/// (func_detail_illusionary's vanish); layers that their editor omits from export are left out.
void MC_MakeScene(mc_scene_t *scene, mc_pools_t *pools, mc_planes_t *table, mc_report_t *report,
                  const mc_map_t *map, bool halflife);

/// The entity text of the compiled map: "model" "*n" and "origin" put in, editor's keys ("_tb_...")
/// and entities that joined the world left out. NULL after an error (a key, value or number of keys
/// over the limits of base/limits.h).
char *MC_EntityText(const mc_scene_t *scene, mc_pools_t *pools, mc_report_t *report,
                    const mc_map_t *map, size_t *size);

#endif
