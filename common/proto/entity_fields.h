/// proto/entity_fields.h - the fields of entity_state_t on the wire, delta-coded.
//
// Units:   as in entity_state_t.

#ifndef EDICTD_PROTO_ENTITY_FIELDS_H
#define EDICTD_PROTO_ENTITY_FIELDS_H

#include "base/limits.h"
#include "proto/fields.h"
#include "proto/msg.h"
#include "state/contents.h"
#include "state/entity_state.h"
#include "state/movetype.h"
#include "state/shown.h"

/// How a field is coded against the older state.
typedef enum {
    FIELD_DIFF, ///< signed difference; of an origin, to the expected origin
    FIELD_TURN, ///< signed difference of 16-bit angles, shorter direction
    FIELD_BITS, ///< XOR of the old and the new bits
    FIELD_WRAP, ///< signed difference modulo 2^32
    FIELD_REAL  ///< a float, MSG_Real
} entity_field_kind_t;

/// Groups of fields that usually change together, with one bit each: changed. One more bit tells
/// whether any group from GROUP_BOX on has changed. From GROUP_ANGLES on, fields of a changed group
/// have such bits, too. The code of an origin needs the velocity. Without a skeleton, GROUP_BONES
/// is zero and not coded; without a MOTION_MOVE, GROUP_NEXT is. GROUP_FIELDS is coded by the game's
/// schema.
typedef enum {
    GROUP_VELOCITY,
    GROUP_ORIGIN,
    GROUP_ANGLES,
    GROUP_BOX,
    GROUP_WHAT,
    GROUP_MOTION,
    GROUP_NEXT,
    GROUP_BONES,
    GROUP_FIELDS,
    GROUP_COUNT
} entity_group_t;

#define ENTITY_MAX_ORIGIN   (MAX_WORLD_COORD * ENTITY_ORIGIN_SCALE)
#define ENTITY_MAX_CORNER   (2 * ENTITY_MAX_ORIGIN)
#define ENTITY_MAX_VELOCITY 16383
#define ENTITY_MAX_MODEL    65535

/// Maximum of Shown_Generation.
#define ENTITY_MAX_GENERATION 8191

/// Maximum of model + 65536 * skeleton.
#define ENTITY_MAX_MODELS ((ENTITY_MAX_SKELETON << 16) + ENTITY_MAX_MODEL)

#define ENTITY_MAX_BONES 128 // equal to MAX_BONES of model.h

/// Limits of the floats of a motion record.
#define ENTITY_MAX_DISTANCE (4 * MAX_WORLD_COORD) // qu
#define ENTITY_MAX_TURN     (1 << 20)             // degrees
#define ENTITY_MAX_FRICTION 100

#define ENTITY_FLOAT(X, field) X(field, FIELD_REAL, INT32_MIN, INT32_MAX, 0)
#define ENTITY_VECTOR(X, field)                                                                    \
    ENTITY_FLOAT(X, field.x) ENTITY_FLOAT(X, field.y) ENTITY_FLOAT(X, field.z)

/// Size of the first part of a state. Without motion record, bones and fields, the rest is zero.
#define ENTITY_PLAIN_BYTES offsetof(entity_state_t, duration_ms)

/// All words between `field_mask` and `fields`, in order: X(field, kind, lowest, highest, k). `k`:
/// order of the Golomb code (MSG_WriteVar), measured with bench_proto. Velocity, origin and angles
/// have other orders in a new record, and after ENTITY_EXPECT_MS.
#define ENTITY_FIELDS(X)                                                                           \
    X(velocity[0], FIELD_DIFF, -ENTITY_MAX_VELOCITY, ENTITY_MAX_VELOCITY, 4)                       \
    X(velocity[1], FIELD_DIFF, -ENTITY_MAX_VELOCITY, ENTITY_MAX_VELOCITY, 4)                       \
    X(velocity[2], FIELD_DIFF, -ENTITY_MAX_VELOCITY, ENTITY_MAX_VELOCITY, 0)                       \
    X(origin[0], FIELD_DIFF, -ENTITY_MAX_ORIGIN, ENTITY_MAX_ORIGIN, 3)                             \
    X(origin[1], FIELD_DIFF, -ENTITY_MAX_ORIGIN, ENTITY_MAX_ORIGIN, 3)                             \
    X(origin[2], FIELD_DIFF, -ENTITY_MAX_ORIGIN, ENTITY_MAX_ORIGIN, 0)                             \
    X(angles[0], FIELD_TURN, 0, 65535, 9)                                                          \
    X(angles[1], FIELD_TURN, 0, 65535, 11)                                                         \
    X(angles[2], FIELD_TURN, 0, 65535, 9)                                                          \
    X(mins[0], FIELD_DIFF, -ENTITY_MAX_CORNER, ENTITY_MAX_CORNER, 8)                               \
    X(mins[1], FIELD_DIFF, -ENTITY_MAX_CORNER, ENTITY_MAX_CORNER, 8)                               \
    X(mins[2], FIELD_DIFF, -ENTITY_MAX_CORNER, ENTITY_MAX_CORNER, 8)                               \
    X(maxs[0], FIELD_DIFF, -ENTITY_MAX_CORNER, ENTITY_MAX_CORNER, 8)                               \
    X(maxs[1], FIELD_DIFF, -ENTITY_MAX_CORNER, ENTITY_MAX_CORNER, 8)                               \
    X(maxs[2], FIELD_DIFF, -ENTITY_MAX_CORNER, ENTITY_MAX_CORNER, 8)                               \
    X(generation, FIELD_DIFF, 0, ENTITY_MAX_GENERATION, 4)                                         \
    X(type, FIELD_DIFF, 0, ENTITY_TYPE_COUNT - 1, 1)                                               \
    X(model, FIELD_DIFF, 0, ENTITY_MAX_MODELS, 4)                                                  \
    X(solid, FIELD_DIFF, 0, SOLID_COUNT - 1, 1)                                                    \
    X(effects, FIELD_BITS, INT32_MIN, INT32_MAX, 4)                                                \
    X(owner, FIELD_DIFF, 0, PROTO_MAX_CLIENTS, 3)                                                  \
    X(classname, FIELD_DIFF, 0, NAMES_MAX - 1, 4)                                                  \
    X(ground, FIELD_DIFF, 0, MAX_EDICTS - 1, 5)                                                    \
    X(contents, FIELD_DIFF, CONTENTS_MANNED, 0, 2)                                                 \
    ENTITY_VECTOR(X, surface_velocity)                                                             \
    ENTITY_FLOAT(X, friction)                                                                      \
    X(motion, FIELD_DIFF, 0, ENTITY_LOOSE, 0)                                                      \
    X(duration_ms, FIELD_DIFF, 0, INT32_MAX, 11)                                                   \
    X(start_lo, FIELD_WRAP, INT32_MIN, INT32_MAX, 14)                                              \
    X(start_hi, FIELD_WRAP, INT32_MIN, INT32_MAX, 0)                                               \
    ENTITY_VECTOR(X, base.origin)                                                                  \
    ENTITY_VECTOR(X, base.angles)                                                                  \
    ENTITY_VECTOR(X, delta)                                                                        \
    ENTITY_VECTOR(X, delta_angles)                                                                 \
    ENTITY_VECTOR(X, bend)                                                                         \
    X(parent, FIELD_DIFF, 0, MAX_EDICTS - 1, 5)                                                    \
    ENTITY_VECTOR(X, parent_base.origin)                                                           \
    ENTITY_VECTOR(X, parent_base.angles)                                                           \
    X(bone, FIELD_DIFF, 0, ENTITY_MAX_BONES, 4)                                                    \
    X(next_wait_ms, FIELD_DIFF, 0, INT32_MAX, 11)                                                  \
    X(next_duration_ms, FIELD_DIFF, 0, INT32_MAX, 11)                                              \
    ENTITY_VECTOR(X, next_delta)                                                                   \
    ENTITY_VECTOR(X, next_delta_angles)                                                            \
    ENTITY_VECTOR(X, next_bend)                                                                    \
    X(animations[0], FIELD_DIFF, 0, ENTITY_MAX_ANIMATIONS, 2)                                      \
    X(animations[1], FIELD_DIFF, 0, ENTITY_MAX_ANIMATIONS, 2)                                      \
    X(anim_start_lo[0], FIELD_WRAP, INT32_MIN, INT32_MAX, 12)                                      \
    X(anim_start_lo[1], FIELD_WRAP, INT32_MIN, INT32_MAX, 12)                                      \
    X(anim_start_hi[0], FIELD_WRAP, INT32_MIN, INT32_MAX, 0)                                       \
    X(anim_start_hi[1], FIELD_WRAP, INT32_MIN, INT32_MAX, 0)                                       \
    X(anim_blend, FIELD_DIFF, 0, ENTITY_BLEND_SCALE, 5)                                            \
    X(controllers[0], FIELD_DIFF, -ENTITY_MAX_CONTROLLER, ENTITY_MAX_CONTROLLER, 7)                \
    X(controllers[1], FIELD_DIFF, -ENTITY_MAX_CONTROLLER, ENTITY_MAX_CONTROLLER, 7)                \
    X(controllers[2], FIELD_DIFF, -ENTITY_MAX_CONTROLLER, ENTITY_MAX_CONTROLLER, 7)                \
    X(controllers[3], FIELD_DIFF, -ENTITY_MAX_CONTROLLER, ENTITY_MAX_CONTROLLER, 7)

/// Returns true if the state has a motion record.
static inline bool Entity_HasRecord(const entity_state_t *state) {
    return state->motion > ENTITY_NO_MOTION && state->motion < ENTITY_FOLLOWS;
}

/// Returns the motion record in world time: n ticks are Ticks_EndMs. Entity_HasRecord must be true.
motion_t Entity_Motion(const entity_state_t *state);

/// Stores a motion record in a zeroed state. `start_ms`: world time.
void Entity_SetMotion(entity_state_t *state, const motion_t *motion, int64_t start_ms);

/// Stores the leg after the state's MOTION_MOVE.
void Entity_SetNext(entity_state_t *state, const leg_t *leg);

/// The exact part of a crate or vehicle, see ENTITY_LOOSE.
typedef struct {
    vec3_t origin, velocity;
    float gravity;
    float yaw;       ///< of a vehicle
    int32_t ground;  ///< edict below; 0 = the world, -1 = in the air
    bool carries;    ///< ENTITY_LOOSE_CARRIES
    bool is_vehicle; ///< ENTITY_LOOSE_VEHICLE
} entity_loose_t;

/// Adds the exact part of a crate or vehicle to a state without motion record. Returns false,
/// without a change, if the numbers are out of range.
bool Entity_SetLoose(entity_state_t *state, const entity_loose_t *loose);

/// Makes a follower of its leader's origin the vehicle that the leader drives. Returns false,
/// without a change, if the gravity is out of range.
bool Entity_SetDriven(entity_state_t *state, float gravity);

/// Makes the state follow `leader`. `bone`: of the leader, -1 = its origin. `offset`: pose in the
/// space of the bone or leader.
void Entity_Follow(entity_state_t *state, int32_t leader, int32_t bone, pose_t offset);

/// Stores an animation, rounded (Shown_RoundBones).
void Entity_SetBones(entity_state_t *state, const entity_bones_t *bones);

/// Returns the stored animation. state->skeleton must not be 0.
entity_bones_t Entity_Bones(const entity_state_t *state);

/// Clamps all fields. Zeroes an invalid motion record, and an animation without skeleton. Returns
/// true if it changed anything. The number must be 1..MAX_EDICTS-1.
bool Entity_Clamp(entity_state_t *state);

/// Returns true if both states are equal, with their numbers.
bool Entity_Equal(const entity_state_t *a, const entity_state_t *b);

/// Copies a state over another valid one, which is fast if both are plain.
void Entity_Copy(entity_state_t *to, const entity_state_t *from);

/// Time for which a velocity moves an entity that snapshots leave out, ms. Then it stands.
#define ENTITY_EXPECT_MS 200

/// Returns true if a state differs from its expected one some time later.
static inline bool Entity_IsMoving(const entity_state_t *state) {
    return state->motion == ENTITY_NO_MOTION &&
           (state->velocity[0] | state->velocity[1] | state->velocity[2]) != 0;
}

/// Writes the origin where a client expects an entity: moved by the mean of the old velocity and
/// `velocity`. `elapsed_ms`: 0..ENTITY_EXPECT_MS. An entity with a motion record is not moved.
void Entity_ExpectedOrigin(const entity_state_t *from, const int32_t velocity[3],
                           int32_t elapsed_ms, int32_t origin[3]);

/// How a record is coded.
typedef struct {
    int32_t elapsed_ms;          ///< since the older state was sent, 0..ENTITY_EXPECT_MS
    const sent_fields_t *fields; ///< schema of fields[]
    bool is_new;                 ///< there is no older state
} entity_coding_t;

/// Writes the difference from `from` to `to`, of one entity. All fields of `to` must be in range.
/// Returns false if `to` is as expected: `from` with the expected origin.
bool Entity_Write(msg_writer_t *msg, const entity_state_t *from, const entity_state_t *to,
                  const entity_coding_t *coding);

/// Reads what Entity_Write wrote and returns what it returned; *to must be a valid state, and gets
/// the number of `from`. Fails the message if a value is invalid, or coded though unchanged.
bool Entity_Read(msg_reader_t *msg, const entity_state_t *from, entity_state_t *to,
                 const entity_coding_t *coding);

#endif
