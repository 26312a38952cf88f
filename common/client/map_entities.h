/// client/map_entities.h - the entities of a map, with the keys that matter to routes.
//
// Memory:  a list of fixed size; owned by the caller.

#ifndef EDICTD_CLIENT_MAP_ENTITIES_H
#define EDICTD_CLIENT_MAP_ENTITIES_H

#include "base/err.h"
#include "base/limits.h"
#include "collide/cmodel.h"

#define MAX_MAP_ENTITIES 1024

typedef struct {
    char classname[MAX_KEY_BYTES], target[MAX_KEY_BYTES], targetname[MAX_KEY_BYTES];
    vec3_t origin;
    int32_t model;   ///< of the submodel, 0 = none
    bounds_t bounds; ///< the submodel's bounds at the entity's origin
    vec3_t throws;   ///< velocity given by a trigger_push: speed * 10 along angle or angles
    float damage;    ///< key dmg
    bool is_wall;    ///< stops players: until it is broken or found, or, of a door, when it is open
    vec3_t wall_origin, wall_angles; ///< where its model is then
} map_entity_t;

typedef struct {
    map_entity_t list[MAX_MAP_ENTITIES];
    int32_t count;
} map_entities_t;

/// Reads the entities. If the text is malformed, a submodel does not exist or the list is full,
/// returns false and keeps what was read before.
bool MapEntities_Read(map_entities_t *entities, const cmap_t *map, err_t *err);

/// Returns the next entity after `after` (NULL = start) whose class name begins with `prefix`, or
/// NULL.
const map_entity_t *MapEntities_Next(const map_entities_t *entities, const map_entity_t *after,
                                     const char *prefix);

/// Returns the teleport destination of this name, or NULL.
const map_entity_t *MapEntities_Destination(const map_entities_t *entities, const char *name);

#endif
