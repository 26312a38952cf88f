/// state/entity_type.h - how clients show an edict, and the numbers of models with bones.

#ifndef EDICTD_STATE_ENTITY_TYPE_H
#define EDICTD_STATE_ENTITY_TYPE_H

/// How a client may show an edict.
typedef enum {
    ENTITY_GENERAL, ///< a point or box
    ENTITY_PLAYER,
    ENTITY_BRUSH, ///< a brush model of the map; `model` is its number
    ENTITY_PROJECTILE,
    ENTITY_TYPE_COUNT
} entity_type_t;

/// Numbers of models with bones below this are in the game's table; the others are the map's.
#define FIRST_MAP_SKELETON 16

#endif
