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
/// ENTITY_FOLLOWS, and `origin` and `angles` are zero, or it is ENTITY_LOOSE.
#define ENTITY_NO_MOTION 0

/// `motion` of an edict that follows its leader, `parent`: `base` is its offset and its angles in
/// the space of the leader, or of the leader's `bone`.
#define ENTITY_FOLLOWS (1 + MOTION_COUNT)

/// `motion` of a crate or vehicle that its receiver may reach, with pose `origin` and `angles`.
/// Exact are `base.origin`, velocity `delta`, gravity `bend.x`, bits `duration_ms`, ground
/// `parent`, and of a vehicle the yaw, `base.angles.y`.
#define ENTITY_LOOSE (2 + MOTION_COUNT)

#define ENTITY_LOOSE_STANDS  1 // on `parent`; 0 = the world
#define ENTITY_LOOSE_CARRIES 2 // what rests on it loses its ground when it moves
#define ENTITY_LOOSE_VEHICLE 4 // no crate; also of a follower: its leader drives it

/// Numbers of records that are no edicts. They have nothing but `fields`.
#define RECORD_CLIENT(slot) (MAX_EDICTS + (slot))
#define RECORD_WORLD        (MAX_EDICTS + PROTO_MAX_CLIENTS)

/// Fields of the game that an edict, a client or the world sends.
#define MAX_SENT_FIELDS 32

/// Units of `anim_blend` (full weight) and `controllers` (degree or qu).
#define ENTITY_BLEND_SCALE      255
#define ENTITY_CONTROLLER_SCALE 32

/// edict/types.h describes the fields. With MOTION_NONE, duration, deltas and bend are 0.
typedef cl_entity_state_t entity_state_t;

static_assert(offsetof(entity_state_t, fields) == 4 * (2 + 23 + 6 + 26 + 11 + 11) &&
                  sizeof(entity_state_t) == 4 * (79 + MAX_SENT_FIELDS),
              "entity_state_t must have no padding");
static_assert(offsetof(entity_state_t, skeleton) == offsetof(entity_state_t, model) + 2 &&
                  __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "model and skeleton are sent as one word: model + 65536 * skeleton");

/// Returns true if `model` is the number of a brush model.
static inline bool Entity_IsBrush(const entity_state_t *state) {
    return state->type == ENTITY_BRUSH || state->solid == SOLID_BSP || state->contents != 0;
}

#endif
