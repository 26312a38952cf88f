/// physics/physics.h - moves edicts and runs their thinks.
//
// Units:   qu, qu/s, ms.

#ifndef EDICTD_PHYSICS_PHYSICS_H
#define EDICTD_PHYSICS_PHYSICS_H

#include "world/link.h"
#include "world/move.h"

/// Runs the due thinks of all pushers and moves the pushers with riders and obstacles. Step 2 of
/// the tick.
void SV_Pushers(sv_context_t *sv);

/// Logs and removes velocities that the game wrote into pushers in this tick. Call last.
void SV_RefuseSpeeds(sv_context_t *sv);

/// Moves every MOVETYPE_FOLLOW edict with its leader. Step 5 of the tick.
void SV_Followers(sv_context_t *sv);

/// Runs every awake edict except clients, pushers and followers. Step 4 of the tick.
void SV_Physics(sv_context_t *sv);

/// Runs an edict's due thinks, then moves it by its movetype.
void SV_PhysicsEdict(sv_context_t *sv, edict_t *edict);

/// Runs at most `max_thinks` due thinks. Inside a think, the time is the edict's nextthink. Returns
/// false if the edict was removed.
bool SV_RunThink(sv_context_t *sv, edict_t *edict, int32_t max_thinks);

/// Returns the time for game code, ms. Inside a think, this is the time at which the think was due,
/// otherwise world->time_ms.
int64_t SV_Time(const sv_context_t *sv);

/// Clamps an edict's velocity to sv_maxvelocity along each axis. If a value such as the origin is
/// NaN or out of range, quarantines the edict (FL_QUARANTINED: it stops) and returns false.
bool SV_CheckVelocity(sv_context_t *sv, edict_t *edict);

void SV_AddGravity(const sv_context_t *sv, edict_t *edict);

/// Moves the edict by `push` up to the first obstacle, and calls the touch callbacks of both.
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
