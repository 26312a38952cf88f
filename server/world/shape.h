/// world/shape.h - the collision shape of an edict: its brush model or its box.

#ifndef EDICTD_WORLD_SHAPE_H
#define EDICTD_WORLD_SHAPE_H

#include "collide/cmodel.h"
#include "world/world.h"

/// Returns true if the edict's shape is a brush model, false for a box.
static inline bool World_IsBrushModel(const sv_context_t *sv, const edict_t *edict) {
    return edict->model >= 1 && edict->model < CM_NumModels(sv->map) &&
           (edict->solid == SOLID_BSP || edict->solid == SOLID_TRIGGER);
}

/// Returns true for a monster clip brush, which stops only the boxes of monsters.
static inline bool World_IsMonsterClip(const edict_t *edict) {
    return edict->solid == SOLID_BSP && edict->contents == CONTENTS_MONSTERCLIP;
}

/// Returns the edict's brush model at the edict's origin and angles.
static inline cm_object_t World_Object(const sv_context_t *sv, const edict_t *edict) {
    return (cm_object_t){.model = edict->model,
                         .solids = sv->world->cvars.move.sv_solids,
                         .origin = edict->origin,
                         .angles = edict->angles};
}

/// Returns the box in the world around an edict's shape.
static inline bounds_t World_Box(const sv_context_t *sv, const edict_t *edict) {
    vec3_t none = {0.0f, 0.0f, 0.0f};
    vec3_t angles = World_IsBrushModel(sv, edict) ? edict->angles : none;
    return CM_TurnedBounds(edict->origin, angles, edict->mins, edict->maxs);
}

#endif
