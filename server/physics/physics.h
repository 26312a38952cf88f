/// physics/physics.h - SV_Physics: how edicts think and move. A file per routine.
//
// Floor:   physics.
// Units:   qu, qu/s, ms.

#ifndef EDICTD_PHYSICS_PHYSICS_H
#define EDICTD_PHYSICS_PHYSICS_H

#include "world/link.h"
#include "world/move.h"

/// Step 2 of the tick: every pusher (MOVETYPE_PUSH) that moves or has to think: sets in order of
/// their first edict, parents before children; all of a set moves or nothing does. Riders are
/// carried, what is in the way is pushed.
void SV_Pushers(sv_context_t *sv);

/// Step 5: followers copy their leaders, leaders first.
void SV_Followers(sv_context_t *sv);

/// Step 4 of the tick: every edict that is awake and neither a client's nor a pusher nor a
/// follower, by index: due thinks, then its movetype.
void SV_Physics(sv_context_t *sv);

/// One edict: due thinks, then its movetype.
void SV_PhysicsEdict(sv_context_t *sv, edict_t *edict);

/// Runs the thinks that are due (at most `max_thinks`), each seeing its own nextthink as the time.
/// False when the edict was removed.
bool SV_RunThink(sv_context_t *sv, edict_t *edict, int32_t max_thinks);

/// The time a think sees: its own nextthink while thinking, else the tick's end.
int64_t SV_Time(const sv_context_t *sv);

/// Clamps velocity to sv_maxvelocity per axis and quarantines NaN. False when quarantined.
bool SV_CheckVelocity(sv_context_t *sv, edict_t *edict);

/// Applies gravity for one tick.
void SV_AddGravity(const sv_context_t *sv, edict_t *edict);

/// Sweeps the edict by `push`, links it with touches, calls SV_Impact on a hit.
trace_t SV_PushEntity(sv_context_t *sv, edict_t *edict, vec3_t push);

/// Two edicts touched: both touch functions, the second only when nobody was removed.
void SV_Impact(sv_context_t *sv, edict_t *edict, edict_t *other, const trace_t *trace);

/// Clips a velocity at a plane.
vec3_t SV_ClipVelocity(vec3_t in, vec3_t normal, float overbounce);

// A routine per movetype.
void SV_Physics_None(sv_context_t *sv, edict_t *edict);
void SV_Physics_Noclip(sv_context_t *sv, edict_t *edict);
void SV_Physics_Toss(sv_context_t *sv, edict_t *edict); // toss, bounce, fly, both missiles
void SV_Physics_Step(sv_context_t *sv, edict_t *edict);
/// A walking edict that no client drives: pmove with an empty input.
void SV_Physics_Walk(sv_context_t *sv, edict_t *edict);

// ---- pushers ----

/// The local time of a pusher: the world's less what it stood blocked.
int64_t SV_PusherTime(const sv_context_t *sv, const edict_t *edict);

/// Where a pusher's motion puts it at its local time, its parents' motions included.
pose_t SV_PusherPose(const sv_context_t *sv, const edict_t *edict);

/// Starts a motion at the pusher's present local time. Base, delta and angles are in the world as
/// it was when it was glued; start_ms, parent and parent_base are set here. A record that is not
/// finite, of unknown kind or without duration is refused (false, logged).
bool SV_PusherStart(sv_context_t *sv, edict_t *edict, const motion_t *motion);

/// From where it is to a pose within duration_ms (0 = at once, in the next tick).
bool SV_PusherMoveTo(sv_context_t *sv, edict_t *edict, pose_t to, int32_t duration_ms);

/// Stays where it is.
void SV_PusherStop(sv_context_t *sv, edict_t *edict);

/// Puts a pusher into the set of another: all of it moves or nothing does.
void SV_PusherTeam(sv_context_t *sv, edict_t *edict, edict_t *with);

/// A pusher rides on another from now on, with its own motion on top. False (logged) for a cycle,
/// or when either is no pusher.
bool SV_PusherGlue(sv_context_t *sv, edict_t *child, edict_t *parent);

/// It rides no more, and goes on with its own motion from where it is. Called by SV_RemoveEdict for
/// what rode on the removed one.
void SV_PusherUnglue(sv_context_t *sv, edict_t *child);

// ---- followers ----

/// MOVETYPE_FOLLOW: from now on `edict` is where `leader` is, `offset` away in the leader's turned
/// space, turned by `angles` on top; of a player's turn only the yaw counts. It is hidden while its
/// leader is, and touches nothing. False (logged) for a cycle, for a pusher, or when the offset or
/// the angles are impossible. leader NULL: it is free again, as MOVETYPE_TOSS, shown, and on its
/// leader's side of any wall. A leader that goes frees its followers the same way.
bool SV_Follow(sv_context_t *sv, edict_t *edict, edict_t *leader, vec3_t offset, vec3_t angles);

// ---- monsters (MOVETYPE_STEP, and any edict a game walks by hand) ----

/// Moves by `move` along the ground, up and down steps, or through air or water (FL_FLY, FL_SWIM),
/// links it (with touches when `relink`). It may step out of a monster or player that it was put
/// into. False when blocked or it would fall: nothing changed.
bool SV_MoveStep(sv_context_t *sv, edict_t *edict, vec3_t move, bool relink);

/// Walks `dist` along `yaw`.
bool SV_WalkMove(sv_context_t *sv, edict_t *edict, float yaw, float dist);

/// Turns towards ideal_yaw `yaw` and walks along it if it could turn enough.
bool SV_StepDirection(sv_context_t *sv, edict_t *edict, float yaw, float dist);

/// Picks a new direction towards `goal` that is free for `dist`.
void SV_NewChaseDir(sv_context_t *sv, edict_t *edict, const edict_t *goal, float dist);

/// One step of a monster towards `goal`.
void SV_MoveToGoal(sv_context_t *sv, edict_t *edict, const edict_t *goal, float dist);

/// All four bottom corners stand on something within a step.
bool SV_CheckBottom(sv_context_t *sv, edict_t *edict);

/// Turns angles.y towards ideal_yaw by at most yaw_speed for one think interval of 0.1 s.
void SV_ChangeYaw(edict_t *edict);

#endif
