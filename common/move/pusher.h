/// move/pusher.h - poses of pushers, and the rigid motion from one pose to another. The server's
/// push and the client's prediction call the same code.
//
// Units:   qu, degrees, qu/s, degrees/s, ms of the pusher's local time.
// Repeat:  pure functions; doubles with +, -, *, / only, rounded once at the end. Any bits in a
//          motion record give a pose; linking rejects a pose far outside the world.
//
// A client predicts a rider tick by tick, before the tick's commands:
//   from = PM_PusherPose(motion, ltime - tick_ms, ...), to = PM_PusherPose(motion, ltime, ...);
//   carry = PM_Carry(from, to); PM_CarryPlayer(&carry, &player);

#ifndef EDICTD_MOVE_PUSHER_H
#define EDICTD_MOVE_PUSHER_H

#include "state/motion.h"
#include "state/player_state.h"

/// Returns the pusher's pose at local time `ltime_ms`. Before the start this is the base pose;
/// after the end of a MOTION_MOVE, base + delta. `parent`: pose of the pusher that carries this
/// one, or NULL.
pose_t PM_PusherPose(const motion_t *motion, int64_t ltime_ms, const pose_t *parent);

/// Returns true if the pusher's own motion still changes its pose after `ltime_ms`.
bool PM_PusherGoesOn(const motion_t *motion, int64_t ltime_ms);

/// A rigid motion: a rotation about `from`, then a translation from `from` to `to`.
typedef struct {
    vec3_t from, to;
    bool is_turned;
    double turn[3][3]; ///< rotation matrix; valid only if is_turned
    float yaw;         ///< rotation about the vertical, degrees
    int32_t yaw_short; ///< yaw in the steps of AngleToShort, exact over many ticks
} pm_carry_t;

/// Returns the rigid motion from one pose to another.
pm_carry_t PM_Carry(pose_t from, pose_t to);

/// Applies the motion to a point.
vec3_t PM_CarryPoint(const pm_carry_t *carry, vec3_t point);

/// Applies the motion's rotation to a direction, velocity or offset.
vec3_t PM_CarryVector(const pm_carry_t *carry, vec3_t v);

/// Applies the motion's rotation to the angles of an edict, for a pusher on a pusher.
vec3_t PM_CarryAngles(const pm_carry_t *carry, vec3_t angles);

/// Carries a player: moves the origin, and turns the velocity and the view about the vertical.
void PM_CarryPlayer(const pm_carry_t *carry, player_state_t *player);

/// Returns the velocity of a point on a pusher with this pose, velocity and angular velocity.
vec3_t PM_PusherVelocity(pose_t pose, vec3_t velocity, vec3_t avelocity, vec3_t point);

/// Adds the mean velocities, over `dt` seconds, of a pusher that moves from one pose to another.
void PM_AddPusherSpeed(pose_t from, pose_t to, float dt, vec3_t *velocity, vec3_t *avelocity);

#endif
