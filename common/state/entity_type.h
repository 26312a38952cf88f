/// state/entity_type.h - how clients show an edict, and the numbers of models with bones.

#ifndef EDICTD_STATE_ENTITY_TYPE_H
#define EDICTD_STATE_ENTITY_TYPE_H

typedef enum {
    ENTITY_GENERAL, ///< a point or box
    ENTITY_PLAYER,
    ENTITY_BRUSH, ///< brush model `model` of the map
    ENTITY_PROJECTILE,
    ENTITY_TYPE_COUNT
} entity_type_t;

/// Models with bones: lower numbers are the game's, others the map's.
#define FIRST_MAP_SKELETON 16

#endif
