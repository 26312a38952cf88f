/// physics/physics.h - SV_Physics: runs the thinks and movetypes of edicts.
//
// Units:   qu, qu/s, ms.

#ifndef EDICTD_PHYSICS_PHYSICS_H
#define EDICTD_PHYSICS_PHYSICS_H

#include "world/link.h"
#include "world/move.h"

/// Step 2 of the tick: runs every pusher (MOVETYPE_PUSH) that moves or has a think due. Sets run in
/// order of their first edict, parents before children. A set moves as a whole or not at all. It
/// carries its riders and pushes obstacles away.
void SV_Pushers(sv_context_t *sv);

/// Step 5 of the tick: followers copy their leaders, leaders first.
void SV_Followers(sv_context_t *sv);

/// Step 4 of the tick: runs every awake edict by index, except clients, pushers and followers.
void SV_Physics(sv_context_t *sv);

/// Runs one edict: due thinks, then its movetype.
void SV_PhysicsEdict(sv_context_t *sv, edict_t *edict);

/// Runs the thinks that are due, at most `max_thinks`. Each think sees its own nextthink as the
/// time. Returns false if the edict was removed.
bool SV_RunThink(sv_context_t *sv, edict_t *edict, int32_t max_thinks);

/// Returns the time for game code: a running think's nextthink, otherwise the end of the tick.
int64_t SV_Time(const sv_context_t *sv);

/// Clamps velocity to sv_maxvelocity along each axis. Quarantines the edict and returns false if
/// its velocity, angles, origin or gravity is NaN or out of range.
bool SV_CheckVelocity(sv_context_t *sv, edict_t *edict);

void SV_AddGravity(const sv_context_t *sv, edict_t *edict);

/// Sweeps the edict by `push`, links it with touches, and calls SV_Impact on a hit.
trace_t SV_PushEntity(sv_context_t *sv, edict_t *edict, vec3_t push);

/// Calls the touch callback of `edict`, then that of `other` if both edicts are still live.
void SV_Impact(sv_context_t *sv, edict_t *edict, edict_t *other, const trace_t *trace);

/// Returns a velocity clipped to a plane. `overbounce`: 1 slides, 2 reflects.
vec3_t SV_ClipVelocity(vec3_t in, vec3_t normal, float overbounce);

// One function per movetype.
void SV_Physics_Noclip(sv_context_t *sv, edict_t *edict);
void SV_Physics_Toss(sv_context_t *sv, edict_t *edict); // toss, bounce, fly, both missiles
void SV_Physics_Step(sv_context_t *sv, edict_t *edict);
/// Moves a walking edict without a client: pmove with an empty input.
void SV_Physics_Walk(sv_context_t *sv, edict_t *edict);

#endif
