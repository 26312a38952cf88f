/// move/pusher.h - poses of pushers, and the rigid motion from one pose to the next. The server's
/// push and the client's prediction call the same code.
//
// Units:   qu, degrees, qu/s, degrees/s, ms of the pusher's local time.
// Memory:  none; everything by value.
// Repeat:  pure functions; doubles with +, -, *, / only, rounded once at the end. Any bits of a
//          record give a pose. A pose far outside the world is refused by linking.
//
// A client predicts its ride tick by tick, before the tick's commands:
//   from = PM_PusherPose(motion, ltime - tick_ms, ...), to = PM_PusherPose(motion, ltime, ...);
//   carry = PM_Carry(from, to); PM_CarryPlayer(&carry, &player);

#ifndef EDICTD_MOVE_PUSHER_H
#define EDICTD_MOVE_PUSHER_H

#include "state/motion.h"
#include "state/player_state.h"

/// Returns the pusher's pose at local time `ltime_ms`: its base before the start; exactly base +
/// delta after the end of a MOTION_MOVE. `parent`: pose of the pusher that it rides on, or NULL.
/// The parent's rigid motion from parent_base is applied on top; the angles change only if the
/// parent is turned.
pose_t PM_PusherPose(const motion_t *motion, int64_t ltime_ms, const pose_t *parent);

/// Returns true if the motion itself (not the parent's) still changes the pose after `ltime_ms`.
bool PM_PusherGoesOn(const motion_t *motion, int64_t ltime_ms);

/// A rigid motion: a turn about `from`, then a shift from `from` to `to`.
typedef struct {
    vec3_t from, to;
    bool is_turned;
    double turn[3][3]; ///< rotation matrix; only if is_turned
    float yaw;         ///< degrees; turn about the vertical
    int32_t yaw_short; ///< yaw in AngleToShort's steps, exact over many ticks
} pm_carry_t;

/// Returns the rigid motion from one pose to another.
pm_carry_t PM_Carry(pose_t from, pose_t to);

/// Returns the point after the motion.
vec3_t PM_CarryPoint(const pm_carry_t *carry, vec3_t point);

/// Returns a direction, velocity or offset after the motion's turn.
vec3_t PM_CarryVector(const pm_carry_t *carry, vec3_t v);

/// Returns the angles of an edict that turns with the motion (a pusher on a pusher).
vec3_t PM_CarryAngles(const pm_carry_t *carry, vec3_t angles);

/// Carries a player: moves the origin, turns the velocity, and turns the view about the vertical
/// (through delta_yaw, because usercmds hold absolute views).
void PM_CarryPlayer(const pm_carry_t *carry, player_state_t *player);

/// Returns the velocity of a point of a pusher; a player who leaves the pusher there keeps it
/// (sv_pushermomentum). `velocity` and `avelocity`: the pusher's in this tick.
vec3_t PM_PusherVelocity(pose_t pose, vec3_t velocity, vec3_t avelocity, vec3_t point);

/// Adds the mean speeds of a pusher that goes from one pose to another in `dt` seconds.
void PM_AddPusherSpeed(pose_t from, pose_t to, float dt, vec3_t *velocity, vec3_t *avelocity);

#endif
