/// physics/physics_local.h - private declarations of physics/.

#ifndef EDICTD_PHYSICS_PHYSICS_LOCAL_H
#define EDICTD_PHYSICS_PHYSICS_LOCAL_H

#include "physics/physics.h"

/// Angles beyond this are reduced modulo 360 degrees.
#define MAX_TURN 3600.0f // degrees

/// A plane with a smaller normal.z is too steep to rest on.
#define FLOOR_NORMAL_Z 0.7f

/// Speeds below this along an axis become 0 when a velocity is clipped.
#define STOP_SPEED_EPSILON 0.1f // qu/s

/// Returns basevelocity plus the ground's surface_velocity, clamped. Resets edict->basevelocity.
vec3_t SV_TakeBaseVelocity(const sv_context_t *sv, edict_t *edict);

/// Returns the speed that gravity adds in one tick.
float SV_FallSpeed(const sv_context_t *sv, const edict_t *edict);

static inline bool SV_IsStill(const edict_t *edict) {
    return VectorCompare(edict->velocity, vec3_zero) && VectorCompare(edict->avelocity, vec3_zero);
}

/// Sweeps the edict's box from the origin to `end`.
trace_t SV_SweepEdict(sv_context_t *sv, const edict_t *edict, vec3_t end);

/// Sweeps the edict down by 1 qu, to find ground just below it.
trace_t SV_ProbeGround(sv_context_t *sv, const edict_t *edict);

/// Turns the edict by avelocity for one tick.
void SV_TurnAngles(const sv_context_t *sv, edict_t *edict);

/// Returns true if the edict may sleep. An unlinked edict on another edict may not sleep, because
/// nothing would wake it.
bool SV_MaySleep(const edict_t *edict);

/// Returns true if the edict's ground still supports it.
bool SV_HasGround(sv_context_t *sv, edict_t *edict);

/// Moves a MOVETYPE_STEP edict for a tick with the controller edict->mover (move/body.h).
void SV_MoveBody(sv_context_t *sv, edict_t *edict);

/// Moves an edict with a mover along the ground, like SV_MoveStep. Does not link.
bool SV_BodyStep(sv_context_t *sv, edict_t *edict, vec3_t move, trace_t *blocked);

/// Makes a player push the crate that it walks into. Does nothing if `player` is not a client's
/// edict.
void SV_ShoveCrate(sv_context_t *sv, edict_t *player, edict_t *crate);

/// Sets FL_INWATER to `is_wet`. Sends a splash effect if the flag changes, unless `is_first`: this
/// is the first call after the spawn.
void SV_SetInWater(sv_context_t *sv, edict_t *edict, bool is_wet, bool is_first);

/// Sets waterlevel (0..3: feet, middle, near the top), watertype (at the feet) and FL_INWATER.
void SV_CheckWater(sv_context_t *sv, edict_t *edict);

/// Keeps the speed of a landing that no water breaks, in edict->landing_speed.
void SV_NoteLanding(const sv_context_t *sv, edict_t *edict, float speed);

/// Returns what stops the edict's sweeps. Only the map and brush models stop a non-solid edict.
move_type_t SV_MoveTypeOf(const edict_t *edict);

/// Like SV_MoveStep, but a flyer or swimmer also rises or sinks towards `goal` (may be NULL), and
/// `blocked` keeps an obstacle that it already has.
bool SV_StepTowards(sv_context_t *sv, edict_t *edict, vec3_t move, const vec3_t *goal, bool relink,
                    trace_t *blocked);

/// Sets `blocked` (may be NULL) to "no obstacle".
static inline void SV_ClearBlocked(trace_t *blocked, const edict_t *edict) {
    if (blocked) {
        *blocked = (trace_t){.fraction = 1.0f, .endpos = edict->origin, .entnum = TRACE_NOTHING};
    }
}

#endif
