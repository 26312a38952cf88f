/// bsp/map_turn.c - finds the turning brush entities without an ORIGIN brush (see map.h).

#include "bsp/entity_text.h"
#include "bsp/map_local.h"

#include <stdlib.h>
#include <string.h>

bool Map_IsTurningClass(const char *classname) {
    static const char *const classes[] = {
        "func_rotating",   "func_door_rotating", "func_pendulum",
        "func_platrot",    "func_rot_button",    "momentary_rot_button",
        "func_tracktrain", "func_trackchange",   "func_trackautochange"};
    for (size_t i = 0; i < COUNTOF(classes); i++) {
        if (strcmp(classes[i], classname) == 0) {
            return true;
        }
    }
    return false;
}

turn_about_t Map_TurnAbout(const char *value) {
    return !value                         ? TURN_ABOUT_DEFAULT
           : strcmp(value, "middle") == 0 ? TURN_ABOUT_MIDDLE
           : strcmp(value, "map") == 0    ? TURN_ABOUT_MAP
                                          : TURN_ABOUT_BAD;
}

static bool turns_about_middle(const entity_def_t *entity) {
    const char *classname = BSP_EntityValue(entity, "classname");
    turn_about_t about = Map_TurnAbout(BSP_EntityValue(entity, "turn_about"));
    bool by_default = about != TURN_ABOUT_MAP && classname && Map_IsTurningClass(classname);
    return !BSP_EntityValue(entity, "origin") && (by_default || about == TURN_ABOUT_MIDDLE);
}

bool Map_FindPivots(cmap_t *map, const char *path, err_t *err) {
    entity_def_t *entity = malloc(sizeof *entity); // too large for the stack
    if (!entity) {
        return Err_Set(err, "%s: no memory", path);
    }
    entity_parser_t parser = {map->entities, map->entities + map->entities_bytes, 1};
    while (BSP_ParseEntity(&parser, entity, NULL) == ENTITY_PARSED) {
        const char *name = BSP_EntityValue(entity, "model");
        int32_t number = name && name[0] == '*' ? Map_FindModel(map, name) : -1;
        if (number < 1 || !turns_about_middle(entity)) {
            continue;
        }
        cmodel_t *model = &map->models[number];
        model->pivot = VectorScale(VectorAdd(model->bounds.mins, model->bounds.maxs), 0.5f);
    }
    free(entity);
    return true;
}
