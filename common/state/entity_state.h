/// state/entity_state.h - the state of an edict as clients receive it, rounded as on the wire.
//
// Units:   see each field. Motion records are exact.
// Memory:  plain data without padding.

#ifndef EDICTD_STATE_ENTITY_STATE_H
#define EDICTD_STATE_ENTITY_STATE_H

#include "base/limits.h"
#include "base/types.h"
#include "state/entity_type.h"
#include "state/motion.h"
#include "state/movetype.h"

/// Units per qu in `origin`, `mins` and `maxs`.
#define ENTITY_ORIGIN_SCALE 16

/// `motion` of an edict with pose `origin` and `angles`. Otherwise `motion` is 1 + motion_kind_t or
/// ENTITY_FOLLOWS, and `origin` and `angles` are zero.
#define ENTITY_NO_MOTION 0

/// `motion` of an edict that follows its leader, `parent`: `base` is its offset and its angles in
/// the space of the leader, or of the leader's `bone`.
#define ENTITY_FOLLOWS (1 + MOTION_COUNT)

/// Numbers of records that are no edicts. They have nothing but `fields`.
#define RECORD_CLIENT(slot) (MAX_EDICTS + (slot))
#define RECORD_WORLD        (MAX_EDICTS + PROTO_MAX_CLIENTS)

/// Fields of the game that an edict, a client or the world sends.
#define MAX_SENT_FIELDS 32

/// Units of `anim_blend` (full weight) and `controllers` (degree or qu).
#define ENTITY_BLEND_SCALE      255
#define ENTITY_CONTROLLER_SCALE 32

typedef struct {
    int32_t number;      ///< edict number, 1..65535, or RECORD_CLIENT, RECORD_WORLD
    uint32_t field_mask; ///< bit i is set if fields[i] is not 0
    int32_t velocity[3]; ///< qu/s, +-16,383
    int32_t origin[3];   ///< 1/16 qu, +-65,536 qu
    int32_t angles[3];   ///< AngleToShort
    int32_t mins[3];     ///< 1/16 qu
    int32_t maxs[3];     ///< 1/16 qu
    int32_t generation;  ///< low 8 bits of the edict's generation; a change means another entity
    int32_t type;        ///< entity_type_t
    uint16_t model;      ///< Entity_IsBrush: brush model; else a number of the table of models
    uint16_t skeleton;   ///< model with bones; 0 = none, or not sent
    int32_t solid;       ///< solid_t
    int32_t effects;     ///< bits of the game
    int32_t owner;       ///< client slot + 1 of a player; 0 = none
    int32_t classname;   ///< number in the table of classes; 0 = none
    // Exact values: clients predict pushers, brush models and volumes.
    int32_t contents;        ///< contents_t of a volume; 0 = none
    vec3_t surface_velocity; ///< qu/s; moves players on the surface or in the volume
    float friction;          ///< factor of the surface; 0 counts as 1
    int32_t motion;          ///< ENTITY_NO_MOTION, 1 + motion_kind_t, or ENTITY_FOLLOWS
    int32_t duration_ms;     ///< as in motion_t, 0 with MOTION_NONE
    int32_t start_lo;        ///< low half of the start, ms of world time
    int32_t start_hi;        ///< high half of the start
    pose_t base;
    vec3_t delta, delta_angles, bend; ///< 0 with MOTION_NONE
    int32_t parent;                   ///< number of the carrying pusher, or leader; 0 = none
    pose_t parent_base;
    int32_t bone; ///< ENTITY_FOLLOWS: 1 + bone of the leader's skeleton; 0 = its origin
    // Animation; zero without a skeleton. See model/pose.h. An animation starts at its start time
    // and loops or stays at the last frame.
    int32_t animations[2];           ///< 1 + number; 0 = bind pose or unused
    int32_t anim_start_lo[2];        ///< low halves of the starts, ms; 0 if unused
    int32_t anim_start_hi[2];        ///< high halves
    int32_t anim_blend;              ///< weight of animations[1], 0..255; 0 = animations[1] is 0
    int32_t controllers[4];          ///< degrees or qu, times ENTITY_CONTROLLER_SCALE
    int32_t fields[MAX_SENT_FIELDS]; ///< words of the game; see proto/fields.h
} entity_state_t;

static_assert(offsetof(entity_state_t, fields) == 4 * (2 + 22 + 6 + 26 + 11) &&
                  sizeof(entity_state_t) == 4 * (67 + MAX_SENT_FIELDS),
              "entity_state_t must have no padding");
static_assert(offsetof(entity_state_t, skeleton) == offsetof(entity_state_t, model) + 2 &&
                  __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "model and skeleton are sent as one word: model + 65536 * skeleton");

/// Returns true if `model` is the number of a brush model.
static inline bool Entity_IsBrush(const entity_state_t *state) {
    return state->type == ENTITY_BRUSH || state->solid == SOLID_BSP || state->contents != 0;
}

#endif
