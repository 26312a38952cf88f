#include "client/map_entities.h"

#include "base/str.h"
#include "bsp/entity_text.h"
#include "math/angles.h"

#include <stdlib.h>
#include <string.h>

// Spawnflags and defaults of doors, as in the reference game.
#define DOOR_BACKWARDS 2
#define DOOR_ROLLS     64
#define DOOR_PITCHES   128
#define DOOR_TURN      90.0f // degrees
#define DOOR_LIP       8.0f  // qu

static vec3_t throw_of(const entity_def_t *def) {
    float speed = 10.0f * BSP_EntityNumber(def, "speed", 1000.0f);
    return VectorScale(BSP_EntityDirection(def),
                       Q_ClampF(speed, -MAX_WORLD_COORD, MAX_WORLD_COORD));
}

static void copy_value(const entity_def_t *def, const char *key, char out[MAX_KEY_BYTES]) {
    const char *value = BSP_EntityValue(def, key);
    strlcpy(out, value ? value : "", MAX_KEY_BYTES);
}

static bool is_class(const map_entity_t *entity, const char *classname) {
    return strcmp(entity->classname, classname) == 0;
}

/// Sets where a brush entity stops players. A door does so where it is open, beside its doorway.
static void place_wall(map_entity_t *entity, const entity_def_t *def) {
    int32_t flags = Q_ToInt(BSP_EntityNumber(def, "spawnflags", 0.0f), 0, (1 << 24) - 1);
    float angle = BSP_EntityNumber(def, "angle", 0.0f);
    entity->wall_origin = entity->origin;
    entity->is_wall = is_class(entity, "func_wall") || is_class(entity, "func_breakable") ||
                      is_class(entity, "func_door_secret");
    if (is_class(entity, "func_door_rotating") && (flags & (DOOR_ROLLS | DOOR_PITCHES)) == 0) {
        float turn = BSP_EntityNumber(def, "distance", DOOR_TURN);
        entity->wall_angles.y = flags & DOOR_BACKWARDS ? -turn : turn;
        entity->is_wall = true;
    } else if (is_class(entity, "func_door") && entity->targetname[0] == '\0' && angle >= 0.0f) {
        vec3_t size = VectorSubtract(entity->bounds.maxs, entity->bounds.mins);
        vec3_t forward;
        AngleVectors(Vector(0.0f, angle, 0.0f), &forward, NULL, NULL);
        float travel = fabsf(forward.x) * size.x + fabsf(forward.y) * size.y;
        entity->wall_origin =
            VectorMA(entity->origin, travel - BSP_EntityNumber(def, "lip", DOOR_LIP), forward);
        entity->is_wall = true;
    }
}

bool MapEntities_Read(map_entities_t *entities, const cmap_t *map, err_t *err) {
    entities->count = 0;
    const cm_info_t info = CM_Info(map);
    entity_parser_t parser = {info.entities, info.entities + info.entities_bytes, 1};
    for (;;) {
        entity_def_t def;
        entity_parse_t got = BSP_ParseEntity(&parser, &def, err);
        if (got != ENTITY_PARSED) {
            return got == ENTITY_END;
        }
        if (entities->count == MAX_MAP_ENTITIES) {
            return Err_Set(err, "more than %d entities", MAX_MAP_ENTITIES);
        }
        map_entity_t *entity = &entities->list[entities->count++];
        *entity = (map_entity_t){.origin = BSP_EntityVector(&def, "origin"),
                                 .throws = throw_of(&def),
                                 .damage = BSP_EntityNumber(&def, "dmg", 0.0f)};
        copy_value(&def, "classname", entity->classname);
        copy_value(&def, "target", entity->target);
        copy_value(&def, "targetname", entity->targetname);
        const char *model = BSP_EntityValue(&def, "model");
        if (model && model[0] == '*') {
            int64_t index = 0;
            if (!Str_ToInt(model + 1, 1, CM_NumModels(map) - 1, &index)) {
                return Err_Set(err, "line %d: there is no model %s", def.line, model);
            }
            entity->model = (int32_t)index;
            entity->origin = VectorAdd(entity->origin, CM_ModelPivot(map, entity->model));
            bounds_t bounds = CM_ModelBounds(map, entity->model);
            entity->bounds.mins = VectorAdd(bounds.mins, entity->origin);
            entity->bounds.maxs = VectorAdd(bounds.maxs, entity->origin);
            place_wall(entity, &def);
        }
    }
}

const map_entity_t *MapEntities_Next(const map_entities_t *entities, const map_entity_t *after,
                                     const char *prefix) {
    for (int32_t i = after ? (int32_t)(after - entities->list) + 1 : 0; i < entities->count; i++) {
        if (strncmp(entities->list[i].classname, prefix, strlen(prefix)) == 0) {
            return &entities->list[i];
        }
    }
    return NULL;
}

const map_entity_t *MapEntities_Destination(const map_entities_t *entities, const char *name) {
    for (const map_entity_t *at = MapEntities_Next(entities, NULL, "info_teleport_destination"); at;
         at = MapEntities_Next(entities, at, "info_teleport_destination")) {
        if (strcmp(at->targetname, name) == 0) {
            return at;
        }
    }
    return NULL;
}
