/// state/entity_state.h - what others see of an edict, quantised before it is compared, so that
/// server and client hold the same numbers.
//
// Floor:   state.
// Units:   integers of the wire; see each field.
// Memory:  plain data without padding.

#ifndef EDICTD_STATE_ENTITY_STATE_H
#define EDICTD_STATE_ENTITY_STATE_H

#include "base/types.h"

/// Origins and box corners on the wire: 1/16 qu.
#define ENTITY_ORIGIN_SCALE 16

/// What a client may show it as.
typedef enum {
    ENTITY_GENERAL, ///< a point or box
    ENTITY_PLAYER,
    ENTITY_BRUSH, ///< a brush model of the map, `model` is its number
    ENTITY_PROJECTILE,
    ENTITY_TYPE_COUNT
} entity_type_t;

typedef struct {
    int32_t number;      ///< edict number, 1..65535
    int32_t generation;  ///< low 8 bits of the edict's generation: another means another thing
    int32_t type;        ///< entity_type_t
    int32_t model;       ///< brush model number, or a number of the game
    int32_t solid;       ///< solid_t
    int32_t effects;     ///< bits of the game
    int32_t owner;       ///< client slot + 1 of a player, else 0
    int32_t origin[3];   ///< 1/16 qu, +-65,536 qu
    int32_t velocity[3]; ///< qu/s, +-16,383
    int32_t angles[3];   ///< AngleToShort
    int32_t mins[3];     ///< 1/16 qu
    int32_t maxs[3];     ///< 1/16 qu
} entity_state_t;

_Static_assert(sizeof(entity_state_t) == 88, "no padding");

#endif
