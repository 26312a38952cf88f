/// state/entity_state.h - what others see of an edict, quantised before it is compared, so that
/// server and client hold the same numbers.
//
// Floor:   state.
// Units:   integers of the wire; see each field. The record of a motion is told to the last bit.
// Memory:  plain data without padding.

#ifndef EDICTD_STATE_ENTITY_STATE_H
#define EDICTD_STATE_ENTITY_STATE_H

#include "base/types.h"
#include "state/motion.h"

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

/// `motion` of what has no record: its origin and angles are told as they are. Else it is 1 + its
/// motion_kind_t: where it is follows from the record, and origin and angles are zero on the wire.
#define ENTITY_NO_MOTION 0

/// Numbers of models with bones: below are those of the game's table, from here on those of the map,
/// so that neither changes the other's.
#define FIRST_MAP_SKELETON 16

/// What is told of a blend, and of a controller's degree or qu.
#define ENTITY_BLEND_SCALE      255
#define ENTITY_CONTROLLER_SCALE 32

typedef struct {
    int32_t number;      ///< edict number, 1..65535
    int32_t generation;  ///< low 8 bits of the edict's generation: another means another thing
    int32_t type;        ///< entity_type_t
    uint16_t model;      ///< brush model number, or a number of the game
    uint16_t skeleton;   ///< number of its model with bones; 0 = none, or it is not told
    int32_t solid;       ///< solid_t
    int32_t effects;     ///< bits of the game
    int32_t owner;       ///< client slot + 1 of a player, else 0
    int32_t origin[3];   ///< 1/16 qu, +-65,536 qu
    int32_t velocity[3]; ///< qu/s, +-16,383
    int32_t angles[3];   ///< AngleToShort
    int32_t mins[3];     ///< 1/16 qu
    int32_t maxs[3];     ///< 1/16 qu
    // Pushers, solid brush models and volumes: exact, so that prediction stands and rides on them.
    int32_t contents;        ///< contents_t of a volume; 0 = none
    vec3_t surface_velocity; ///< qu/s; of what stands on it or is in it
    float friction;          ///< of its surface; 0 counts as 1
    int32_t motion;          ///< ENTITY_NO_MOTION, or 1 + motion_kind_t
    int32_t duration_ms;     ///< as in motion_t, 0 with MOTION_NONE
    int32_t start_lo;        ///< low half of the start: the time when n ticks have run is
    int32_t start_hi;        ///< n * tick_ms, and this is on that scale (it moves when blocked)
    pose_t base;
    vec3_t delta, delta_angles, bend; ///< 0 with MOTION_NONE
    int32_t parent;                   ///< number of the pusher it rides on; 0 = none
    pose_t parent_base;
    // What its bones do: all zero without a skeleton. The time an animation has run is the time of
    // the world, n * tick_ms when n ticks have run, less its start, and 0 before that. It goes on
    // by itself: one that loops begins again after its last frame, which leads over to its first;
    // others stay at their last frame (model_animation_t says which). Both animations are
    // evaluated, each by its own time, and blended, bone by bone; then controllers turn or move
    // their bones, within the limits of the model. model/pose.h does all of it; the file says what
    // there is to do.
    int32_t animations[2];    ///< 1 + the number; 0 = the bind pose, or it does not count
    int32_t anim_start_lo[2]; ///< halves of when each began, ms; 0 where animations has 0
    int32_t anim_start_hi[2];
    int32_t anim_blend;     ///< share of the second, 0..ENTITY_BLEND_SCALE; at 0 that is not told
    int32_t controllers[4]; ///< degrees or qu times ENTITY_CONTROLLER_SCALE
} entity_state_t;

_Static_assert(sizeof(entity_state_t) == 88 + 4 * (5 + 4 + 6 + 9 + 7) + 4 * 11, "no padding");
_Static_assert(offsetof(entity_state_t, skeleton) == offsetof(entity_state_t, model) + 2 &&
                   __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "one word of the wire: model + 65536 * skeleton");

#endif
