#include "probe/thing.h"

#include "base/str.h"
#include "bsp/entity_text.h"
#include "bsp/map.h"
#include "math/angles.h"

#include <stdlib.h>
#include <string.h>

#define PUSH_SPEED_FACTOR  10.0f // Quake multiplies the "speed" of trigger_push by 10
#define PUSH_DEFAULT_SPEED 1000.0f
#define LOOK_LENGTH        96.0f // qu; length of the line that shows a view direction

static const struct {
    const char *prefix;
    thing_kind_t kind;
    bool needs_brushes;
    size_t cut; // leading bytes of the class name that the picture leaves out
} class_table[] = {
    {"info_player_", THING_SPAWN, false, 12},
    {"info_teleport_destination", THING_DESTINATION, false, 14},
    {"projectile_", THING_PROJECTILE, false, 0},
    {"trigger_teleport", THING_TELEPORT, true, 8},
    {"trigger_push", THING_PUSH, true, 8},
    {"trigger_", THING_TRIGGER, true, 8},
    {"func_", THING_SOLID, true, 5},
    {"misc_", THING_SOLID, true, 5}, // meshes that the map places
};

static vec3_t velocity_of(const entity_def_t *entity, thing_kind_t kind) {
    float speed = LOOK_LENGTH;
    if (kind == THING_PROJECTILE) {
        return BSP_EntityVector(entity, "velocity");
    }
    if (kind == THING_PUSH) {
        speed = PUSH_SPEED_FACTOR * BSP_EntityNumber(entity, "speed", PUSH_DEFAULT_SPEED);
    }
    return VectorScale(BSP_EntityDirection(entity), speed);
}

/// Finds the brush model "*n" of an entity and the pose. Returns false if there is none.
static bool set_model(const cmap_t *map, const entity_def_t *entity, thing_t *thing) {
    const char *value = BSP_EntityValue(entity, "model");
    int32_t model = value ? Map_FindModel(map, value) : -1;
    if (model < 1) {
        return false;
    }
    thing->model = model;
    thing->origin = VectorAdd(thing->origin, CM_ModelPivot(map, model));
    // In other classes (doors, conveyors) the angles are a direction, not a rotation.
    static const char *const turned[] = {"wall", "mesh", "model"};
    thing->angles = Vector(0.0f, 0.0f, 0.0f);
    for (size_t i = 0; i < COUNTOF(turned) && thing->kind == THING_SOLID; i++) {
        if (strcmp(thing->name, turned[i]) == 0) {
            const char *yaw = BSP_EntityValue(entity, "angle");
            thing->angles = BSP_EntityVector(entity, "angles");
            if (yaw && !Str_ToFloat(yaw, &thing->angles.y)) {
                thing->angles.y = 0.0f;
            }
        }
    }
    thing->bounds = CM_TurnedBounds(thing->origin, thing->angles, CM_ModelBounds(map, model).mins,
                                    CM_ModelBounds(map, model).maxs);
    return true;
}

/// Returns the rotation of an entity's model from "angles" or "angle" (-1: up, -2: down).
static vec3_t angles_of(const entity_def_t *entity) {
    const char *value = BSP_EntityValue(entity, "angle");
    float angle = 0.0f;
    if (!value || !Str_ToFloat(value, &angle)) {
        return BSP_EntityVector(entity, "angles");
    }
    bool is_upright = angle != -1.0f && angle != -2.0f;
    return Vector(is_upright       ? 0.0f
                  : angle == -1.0f ? -90.0f
                                   : 90.0f,
                  is_upright ? angle : 0.0f, 0.0f);
}

/// Adds a figure if the entity's model has hitboxes; the class does not matter.
static void add_figure(const cmap_t *map, const entity_def_t *entity, things_t *things) {
    const char *classname = BSP_EntityValue(entity, "classname");
    const char *file = BSP_EntityValue(entity, "model");
    if (!classname || !file) {
        return;
    }
    const model_t *model = Map_Skeleton(map, Map_FindSkeleton(map, file));
    if (!model || model->num_hitboxes == 0) {
        return;
    }
    if (things->num_figures == MAX_FIGURES) {
        things->dropped++;
        return;
    }
    const char *controllers = BSP_EntityValue(entity, "controllers");
    const char *animation = BSP_EntityValue(entity, "animation");
    figure_t *figure = &things->figures[things->num_figures++];
    *figure = (figure_t){.model = model};
    strlcpy(figure->name, classname, sizeof figure->name);
    figure->place.origin = BSP_EntityVector(entity, "origin");
    figure->place.angles = angles_of(entity);
    figure->request.animations[0] =
        Q_MaxI(animation ? Model_FindAnimation(figure->model, animation) : 0, 0);
    if (controllers) {
        (void)Figure_SetControllers(figure, controllers); // the server reports wrong values
    }
    Figure_Stand(figure);
}

static void add_thing(const cmap_t *map, const entity_def_t *entity, things_t *things) {
    const char *classname = BSP_EntityValue(entity, "classname");
    for (size_t i = 0; classname && i < COUNTOF(class_table); i++) {
        if (strncmp(classname, class_table[i].prefix, strlen(class_table[i].prefix)) != 0) {
            continue;
        }
        thing_t thing = {.kind = class_table[i].kind};
        thing.origin = BSP_EntityVector(entity, "origin");
        thing.bounds = (bounds_t){thing.origin, thing.origin};
        strlcpy(thing.name, classname + class_table[i].cut, sizeof(thing.name));
        if (class_table[i].needs_brushes && !set_model(map, entity, &thing)) {
            return;
        }
        if (things->count == MAX_THINGS) {
            things->dropped++;
            return;
        }
        const char *target = BSP_EntityValue(entity, "target");
        const char *targetname = BSP_EntityValue(entity, "targetname");
        strlcpy(thing.target, target ? target : "", sizeof(thing.target));
        strlcpy(thing.targetname, targetname ? targetname : "", sizeof(thing.targetname));
        thing.velocity = velocity_of(entity, thing.kind);
        things->list[things->count++] = thing;
        return;
    }
}

bool Probe_ReadThings(const cmap_t *map, things_t *things, err_t *err) {
    things->count = 0;
    things->dropped = 0;
    things->num_figures = 0;
    const cm_info_t info = CM_Info(map);
    entity_parser_t parser = {info.entities, info.entities + info.entities_bytes, 1};
    for (;;) {
        entity_def_t entity;
        entity_parse_t got = BSP_ParseEntity(&parser, &entity, err);
        if (got != ENTITY_PARSED) {
            return got == ENTITY_END;
        }
        add_thing(map, &entity, things);
        add_figure(map, &entity, things);
    }
}

vec3_t Probe_ThingCentre(const thing_t *thing) {
    return VectorLerp(thing->bounds.mins, thing->bounds.maxs, 0.5f);
}

const thing_t *Probe_FindDestination(const things_t *things, const char *targetname) {
    for (int32_t i = 0; i < things->count; i++) {
        const thing_t *thing = &things->list[i];
        if (thing->kind == THING_DESTINATION && strcmp(thing->targetname, targetname) == 0) {
            return thing;
        }
    }
    return NULL;
}
