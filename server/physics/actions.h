/// physics/actions.h - functions with which a game moves pushers, followers and monsters.
//
// Units:   qu, qu/s, degrees, ms.

#ifndef EDICTD_PHYSICS_ACTIONS_H
#define EDICTD_PHYSICS_ACTIONS_H

#include "world/world.h"

// ---- pushers ----

/// Returns a pusher's local time: world time minus the time for which the pusher was blocked.
int64_t SV_PusherTime(const sv_context_t *sv, const edict_t *edict);

/// Returns a pusher's current position and angles.
pose_t SV_PusherPose(const sv_context_t *sv, const edict_t *edict);

/// Starts a motion now. Sets start_ms, parent and parent_base. For a glued pusher, the other fields
/// are in world coordinates of the moment of SV_PusherGlue. Logs and returns false for a client's
/// edict, an unknown kind, a duration that is not positive or a number that is not finite. If the
/// motion was announced for now by SV_PusherNext, its base is the pose that clients predict.
bool SV_PusherStart(sv_context_t *sv, edict_t *edict, const motion_t *motion);

/// Announces the motion that the game will start `wait_ms` after the start of the present one, from
/// the pose that the pusher has then. Clients predict it. Logs, changes nothing and returns false
/// unless both are MOTION_MOVE, wait_ms is above 0 and all numbers are finite.
bool SV_PusherNext(sv_context_t *sv, edict_t *edict, const motion_t *motion, int32_t wait_ms);

/// Moves a pusher from its current pose to `to` in duration_ms (0 = in the next tick).
bool SV_PusherMoveTo(sv_context_t *sv, edict_t *edict, pose_t to, int32_t duration_ms);

void SV_PusherStop(sv_context_t *sv, edict_t *edict);

/// Joins the sets of two pushers. A set moves as a whole or not at all.
void SV_PusherTeam(sv_context_t *sv, edict_t *edict, edict_t *with);

/// Makes `child` ride on `parent`. The motion of `child` is added to that of `parent`. Logs and
/// returns false for a cycle or an edict that is no pusher.
bool SV_PusherGlue(sv_context_t *sv, edict_t *child, edict_t *parent);

/// Ends SV_PusherGlue. The pusher continues its own motion from its current pose.
void SV_PusherUnglue(sv_context_t *sv, edict_t *child);

// ---- projectiles ----

/// Moves a projectile that `shooter` launches as far as it would have flown from the time of the
/// shooter's view (unlag.h) to the end of the tick, at most `max_ms`. It meets edicts where they
/// were then, and touches them. It stops in front of anything else. Returns the time flown, ms.
int32_t SV_FlyUnlagged(sv_context_t *sv, edict_t *edict, const edict_t *shooter, int32_t max_ms);

// ---- followers ----

/// Attaches `edict` to `leader` with an offset and angles relative to the leader. The edict then
/// touches nothing, but edicts that move touch it if it is a trigger: also its leader. Clients that
/// may not see the leader do not see it. If `leader` is NULL, or
/// when the leader is removed, the edict falls (MOVETYPE_TOSS), or walks if it is a client's. A
/// client keeps its own view angles. Logs and returns false if `edict` is a pusher, if it would
/// follow itself, directly or through others, or if an offset or angle is out of range.
bool SV_Follow(sv_context_t *sv, edict_t *edict, edict_t *leader, vec3_t offset, vec3_t angles);

/// Attaches an edict that already follows a leader to a bone of the leader's model: its offset is
/// then along the bone's axes x, y, z, and its angles are relative to them. "" = the leader's
/// origin. While the leader's model has no such bone, the edict follows the leader's origin; this
/// is logged once per change of the model. Logs and returns false if it follows nothing or there
/// is no such bone now.
bool SV_FollowBone(sv_context_t *sv, edict_t *edict, const char *bone);

// ---- monsters (MOVETYPE_STEP, and other edicts that a game moves by these functions) ----
//
// `blocked` (may be NULL) receives the first obstacle of the move, also if the monster then went
// around it: entnum and plane are those of a sweep of its box. entnum TRACE_NOTHING: no obstacle;
// if the monster did not move, a ledge, the air or the water's surface stopped it.

/// Moves an edict by `move` along the ground, up and down steps. FL_FLY moves through air, FL_SWIM
/// through water. `relink`: also links the edict and touches triggers. Returns false and changes
/// nothing if the edict is blocked or would fall.
bool SV_MoveStep(sv_context_t *sv, edict_t *edict, vec3_t move, bool relink, trace_t *blocked);

/// Calls SV_MoveStep for `dist` qu along `yaw`. Does nothing if the edict is in the air and
/// neither flies nor swims.
bool SV_WalkMove(sv_context_t *sv, edict_t *edict, float yaw, float dist, trace_t *blocked);

/// Turns towards `yaw` and walks along it if the edict has turned far enough.
bool SV_StepDirection(sv_context_t *sv, edict_t *edict, float yaw, float dist, trace_t *blocked);

/// Moves a monster one step of `dist` towards `goal`, around obstacles. Does nothing within `dist`
/// of the goal's box.
void SV_MoveToGoal(sv_context_t *sv, edict_t *edict, const edict_t *goal, float dist,
                   trace_t *blocked);

/// Like SV_MoveToGoal, towards a position; for a walker, its height does not count. Returns true if
/// the monster still exists, found a free direction, and moved or turned.
bool SV_MoveToPoint(sv_context_t *sv, edict_t *edict, vec3_t point, float dist, trace_t *blocked);

/// Moves a monster at most `dist` straight towards a position, without turning it. Returns false if
/// the monster is blocked, in the air or there.
bool SV_Strafe(sv_context_t *sv, edict_t *edict, vec3_t point, float dist, trace_t *blocked);

/// Returns true if there is ground within a step below all four bottom corners.
bool SV_CheckBottom(sv_context_t *sv, edict_t *edict);

/// Turns angles.y towards ideal_yaw by at most yaw_speed, the turn of one think interval of 0.1 s.
void SV_ChangeYaw(edict_t *edict);

#endif
