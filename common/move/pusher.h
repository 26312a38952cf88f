/// move/pusher.h - poses of pushers, and the rigid motion between two poses, for the server and for
/// the client's prediction.
//
// Units:   qu, degrees, qu/s, degrees/s, ms of the pusher's local time.
// Repeat:  doubles with +, -, *, / only; equal on every CPU. Any bits in a motion_t give a
//          pose; linking rejects a pose far outside the world.
//
// A client predicts a rider before each tick's commands:
//   from = PM_PusherPose(motion, ltime - tick_ms, ...), to = PM_PusherPose(motion, ltime, ...);
//   carry = PM_Carry(from, to); PM_CarryPlayer(&carry, &player);

#ifndef EDICTD_MOVE_PUSHER_H
#define EDICTD_MOVE_PUSHER_H

#include "state/motion.h"
#include "state/player_state.h"

/// Returns the pusher's pose at local time `ltime_ms`: the base pose before the start, base + delta
/// after the end of a MOTION_MOVE. `parent`: pose of the pusher that carries this one, or NULL.
pose_t PM_PusherPose(const motion_t *motion, int64_t ltime_ms, const pose_t *parent);

/// Returns the motion of the leg after a MOTION_MOVE. It starts at the pose that `motion` has then,
/// less whole turns of the yaw.
motion_t PM_NextMotion(const motion_t *motion, const leg_t *leg);

/// Returns the pose of a follower: `offset` is its pose in the leader's space, along forward, left
/// and up. A player's pitch and roll count as 0.
pose_t PM_FollowerPose(pose_t leader, bool is_player, pose_t offset);

/// Returns the pose of a follower of a bone.
pose_t PM_PoseOnBone(pose_t bone, pose_t offset);

/// Returns true if the pusher's own motion still changes its pose after `ltime_ms`.
bool PM_PusherGoesOn(const motion_t *motion, int64_t ltime_ms);

/// A rigid motion: a turn about `from`, then a move from `from` to `to`.
typedef struct {
    vec3_t from, to;
    bool is_turned;
    bool is_tilted;    ///< is_turned, and not level before or after: gaps open below riders
    double turn[3][3]; ///< rotation matrix, if is_turned
    float yaw;         ///< turn about the vertical, degrees
    int32_t yaw_short; ///< yaw in AngleToShort's steps, exact over many ticks
} pm_carry_t;

/// Returns the motion between two poses.
pm_carry_t PM_Carry(pose_t from, pose_t to);

/// Moves and turns a point.
vec3_t PM_CarryPoint(const pm_carry_t *carry, vec3_t point);

/// Turns a direction, velocity or offset.
vec3_t PM_CarryVector(const pm_carry_t *carry, vec3_t v);

/// Turns the angles of a carried edict.
vec3_t PM_CarryAngles(const pm_carry_t *carry, vec3_t angles);

/// Moves and turns the pose of a rider. Only the yaw of a player turns.
pose_t PM_CarryPose(const pm_carry_t *carry, pose_t rider, bool is_player);

/// Moves a player, and turns velocity and view about the vertical.
void PM_CarryPlayer(const pm_carry_t *carry, player_state_t *player);

/// Returns the velocity of a point on a pusher.
vec3_t PM_PusherVelocity(pose_t pose, vec3_t velocity, vec3_t avelocity, vec3_t point);

/// Adds the mean velocities of a motion in `dt` seconds.
void PM_AddPusherSpeed(pose_t from, pose_t to, float dt, vec3_t *velocity, vec3_t *avelocity);

#endif
