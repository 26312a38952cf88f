/// core/see_through.c - which brush models of a map players see through: water, glass, grates.
//
// A model is opaque unless its surfaces or the keys of its entity say otherwise.

#include "bsp/entity_text.h"
#include "bsp/map.h"
#include "collide/vis.h"
#include "core/sight.h"

#include <string.h>

// Returns true if the entity of a brush model says that it is see-through.
static bool is_see_through(const entity_def_t *entity) {
    const char *classname = BSP_EntityValue(entity, "classname");
    return BSP_EntityNumber(entity, "rendermode", 0.0f) != 0.0f ||
           BSP_EntityNumber(entity, "alpha", 1.0f) < 1.0f ||
           BSP_EntityNumber(entity, "see_through", 0.0f) != 0.0f ||
           (classname && strstr(classname, "glass"));
}

void Sight_FindSeeThrough(const cmap_t *map, bool see_through[MAX_MAP_MODELS]) {
    const cm_info_t info = CM_Info(map);
    entity_parser_t parser = {info.entities, info.entities + info.entities_bytes, 1};
    entity_def_t entity;
    err_t err;
    memset(see_through, 0, MAX_MAP_MODELS * sizeof see_through[0]);
    for (int32_t i = 1; i < CM_NumModels(map) && i < MAX_MAP_MODELS; i++) {
        see_through[i] = CM_IsSeeThrough(map, i, CM_ModelBounds(map, i));
    }
    while (BSP_ParseEntity(&parser, &entity, &err) == ENTITY_PARSED) {
        const char *model = BSP_EntityValue(&entity, "model");
        const int32_t number = model ? Map_FindModel(map, model) : -1;
        if (number > 0 && number < MAX_MAP_MODELS && is_see_through(&entity)) {
            see_through[number] = true;
        }
    }
}
