/// move/pusher.h - where a pusher is, and what happens to a rider when it goes from one pose to
/// another: the same code in the server's push and in the client's prediction.
//
// Floor:   move.
// Units:   qu, degrees, qu/s, degrees/s, ms of the pusher's local time.
// Memory:  none; everything by value.
// Repeat:  pure functions; doubles with +, -, *, / only, rounded once at the end. Any bits of a
//          record give a pose; it may be far outside the world, which linking refuses.
//
// How a client predicts its rider, tick by tick, before the tick's commands:
//   from = PM_PusherPose(motion, ltime - tick_ms, ...), to = PM_PusherPose(motion, ltime, ...);
//   carry = PM_Carry(from, to); PM_CarryPlayer(&carry, &player);

#ifndef EDICTD_MOVE_PUSHER_H
#define EDICTD_MOVE_PUSHER_H

#include "state/motion.h"
#include "state/player_state.h"

/// Where the motion puts the pusher at local time `ltime_ms`. Before the start it is at its base; a
/// MOTION_MOVE that is over is at base + delta exactly. `parent`: where the pusher that it rides on
/// stands, or NULL. It is carried by the parent's rigid motion from parent_base; its angles stay
/// exactly its own unless the parent is turned.
pose_t PM_PusherPose(const motion_t *motion, int64_t ltime_ms, const pose_t *parent);

/// True when the pose still changes after `ltime_ms` by the motion itself (not by the parent's).
bool PM_PusherGoesOn(const motion_t *motion, int64_t ltime_ms);

/// One rigid motion: turned about `from`, and shifted from there to `to`.
typedef struct {
    vec3_t from, to;
    bool is_turned;
    double turn[3][3]; ///< only when turned
    float yaw;         ///< degrees that it turns about the vertical
    int32_t yaw_short; ///< the same as AngleToShort's steps, without drift over many ticks
} pm_carry_t;

/// The rigid motion of something that goes from one pose to another.
pm_carry_t PM_Carry(pose_t from, pose_t to);

/// Where it takes a point.
vec3_t PM_CarryPoint(const pm_carry_t *carry, vec3_t point);

/// How it turns a direction, a velocity or an offset.
vec3_t PM_CarryVector(const pm_carry_t *carry, vec3_t v);

/// How it turns the angles of something that is turned with it (a pusher on a pusher).
vec3_t PM_CarryAngles(const pm_carry_t *carry, vec3_t angles);

/// What it does to a player who stands on it: carries the box, turns his speed on it, and his view
/// about the vertical (through delta_yaw, because the view in his commands is absolute).
void PM_CarryPlayer(const pm_carry_t *carry, player_state_t *player);

/// The speed of a point of a pusher: what who leaves it there takes along (sv_pushermomentum).
/// `velocity` and `avelocity` are the pusher's own over the present tick.
vec3_t PM_PusherVelocity(pose_t pose, vec3_t velocity, vec3_t avelocity, vec3_t point);

/// Adds what a pusher did in `dt` seconds, from one pose to the next, to its velocity and avelocity.
void PM_AddPusherSpeed(pose_t from, pose_t to, float dt, vec3_t *velocity, vec3_t *avelocity);

#endif
