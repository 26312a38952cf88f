/// physics/physics.h - SV_Physics: how edicts think and move. A file per routine.
//
// Floor:   physics.
// Units:   qu, qu/s, ms.

#ifndef EDICTD_PHYSICS_PHYSICS_H
#define EDICTD_PHYSICS_PHYSICS_H

#include "world/link.h"

/// Step 4 of the tick: every edict that is awake and not a client's, by index: due thinks, then its
/// movetype.
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
void SV_Physics_Toss(sv_context_t *sv, edict_t *edict); // toss, bounce, fly, flymissile
/// A walking edict that no client drives: pmove with an empty input.
void SV_Physics_Walk(sv_context_t *sv, edict_t *edict);

#endif
