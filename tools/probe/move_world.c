/// probe/move_world.c - the world for pmove: model 0 and the brush entities.

#include "base/str.h"
#include "bsp/entity_text.h"
#include "bsp/map.h"
#include "probe/move.h"

#include <stdio.h>
#include <string.h>

static const char *const solid_classes[] = {
    "func_door",  "func_wall",        "func_button",   "func_plat",
    "func_train", "func_door_secret", "func_bossgate", "func_episodegate",
};

static bool is_solid_class(const char *classname) {
    for (size_t i = 0; i < COUNTOF(solid_classes); i++) {
        if (classname && strcmp(classname, solid_classes[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool parse_vector(const char *text, vec3_t *out) {
    char words[3][32];
    char rest;
    return sscanf(text, "%31s %31s %31s %c", words[0], words[1], words[2], &rest) == 3 &&
           Str_ToFloat(words[0], &out->x) && Str_ToFloat(words[1], &out->y) &&
           Str_ToFloat(words[2], &out->z) && VectorWithin(*out, MAX_WORLD_COORD);
}

static bool add_solid(move_world_t *world, const entity_def_t *entity, err_t *err) {
    const cmap_t *map = world->map;
    const char *model_text = BSP_EntityValue(entity, "model");
    const char *origin_text = BSP_EntityValue(entity, "origin");
    vec3_t origin = {0};
    if (!model_text) {
        return true;
    }
    int32_t model = Map_FindModel(map, model_text);
    if (model < 1) {
        return Err_Set(err, "%s: entities: line %d: expected a model *1..*%d, found \"%.40s\"",
                       CM_Info(map).name, entity->line, CM_NumModels(map) - 1, model_text);
    }
    if (origin_text && !parse_vector(origin_text, &origin)) {
        return Err_Set(err, "%s: entities: line %d: expected three numbers, found \"%.40s\"",
                       CM_Info(map).name, entity->line, origin_text);
    }
    if (world->num_solids == MAX_MAP_MODELS) {
        return Err_Set(err, "%s: entities: line %d: expected at most %d solids, found more",
                       CM_Info(map).name, entity->line, MAX_MAP_MODELS);
    }
    bounds_t bounds = CM_ModelBounds(map, model);
    world->solids[world->num_solids++] = (move_solid_t){
        .model = model,
        .origin = origin,
        .bounds = {VectorAdd(bounds.mins, origin), VectorAdd(bounds.maxs, origin)},
    };
    return true;
}

static bool find_solids(move_world_t *world, err_t *err) {
    const cmap_t *map = world->map;
    const cm_info_t info = CM_Info(map);
    entity_parser_t parser = {info.entities, info.entities + info.entities_bytes, 1};
    for (;;) {
        entity_def_t entity;
        err_t why;
        switch (BSP_ParseEntity(&parser, &entity, &why)) {
        case ENTITY_END:
            return true;
        case ENTITY_ERROR:
            return Err_Set(err, "%s: entities: %s", CM_Info(map).name, why.text);
        case ENTITY_PARSED:
            break;
        }
        if (is_solid_class(BSP_EntityValue(&entity, "classname")) &&
            !add_solid(world, &entity, err)) {
            return false;
        }
    }
}

static trace_t trace_world(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const move_world_t *world = context;
    trace_t trace = CM_BoxTrace(world->map, &(cm_object_t){.solids = world->collide_with}, start,
                                end, mins, maxs);
    if (trace.fraction < 1.0f || trace.startsolid) {
        trace.entnum = 0;
    }
    return trace;
}

static trace_t trace_bmodels(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const move_world_t *world = context;
    trace_t total = trace_world(context, start, mins, maxs, end);
    bounds_t sweep = BoundsOfSweep(start, end, mins, maxs, 1.0f);
    for (int32_t i = 0; i < world->num_solids; i++) {
        const move_solid_t *solid = &world->solids[i];
        if (!BoundsTouch(sweep, solid->bounds)) {
            continue;
        }
        const cm_object_t place = {
            .model = solid->model, .solids = world->collide_with, .origin = solid->origin};
        trace_t trace = CM_BoxTrace(world->map, &place, start, end, mins, maxs);
        if (trace.fraction < 1.0f || trace.startsolid) {
            trace.entnum = solid->model;
        }
        CM_CombineTrace(&total, &trace);
    }
    return total;
}

static contents_t contents_world(void *context, vec3_t point) {
    const move_world_t *world = context;
    return CM_PointContents(world->map, 0, point);
}

static contents_t contents_bmodels(void *context, vec3_t point) {
    const move_world_t *world = context;
    contents_t contents = CM_PointContents(world->map, 0, point);
    for (int32_t i = 0; i < world->num_solids && contents != CONTENTS_SOLID; i++) {
        const move_solid_t *solid = &world->solids[i];
        if (BoundsTouch((bounds_t){point, point}, solid->bounds) &&
            CM_PointContents(world->map, solid->model, VectorSubtract(point, solid->origin)) ==
                CONTENTS_SOLID) {
            contents = CONTENTS_SOLID;
        }
    }
    return contents;
}

bool Moves_InitWorld(moves_t *moves, const cmap_t *map, err_t *err) {
    moves->world.map = map;
    moves->world.num_solids = 0;
    moves->pm_worlds[0] = (pm_world_t){
        .context = &moves->world, .trace = trace_world, .point_contents = contents_world};
    moves->pm_worlds[1] = (pm_world_t){
        .context = &moves->world, .trace = trace_bmodels, .point_contents = contents_bmodels};
    return find_solids(&moves->world, err);
}
