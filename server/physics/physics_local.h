/// physics/physics_local.h - what the files of physics/ share with each other only.
//
// Floor:   physics.

#ifndef EDICTD_PHYSICS_PHYSICS_LOCAL_H
#define EDICTD_PHYSICS_PHYSICS_LOCAL_H

#include "physics/physics.h"

/// Angles are wrapped into a turn when they leave +- this many degrees.
#define MAX_TURN 3600.0f

/// Length of a tick in seconds.
float SV_TickSeconds(const sv_context_t *sv);

/// What carries it in this tick on top of its own velocity: its basevelocity, which is used up, and
/// the surface of what it stands on. At most sv_maxvelocity per axis.
vec3_t SV_TakeCarry(const sv_context_t *sv, edict_t *edict);

/// Angles go on by avelocity for one tick.
void SV_TurnAngles(const sv_context_t *sv, edict_t *edict);

/// True when what it stands on would wake it: the map never goes, and an edict finds what is linked
/// on it. What is not linked must not rest on an edict.
bool SV_MaySleep(const edict_t *edict);

/// True when what it stands on still holds it.
bool SV_HasGround(sv_context_t *sv, edict_t *edict);

/// Moves for a tick by its velocity and by `carried` on top of it, sliding along what is in the way
/// (4 bumps, 5 planes); a floor it meets becomes its ground. Its own velocity is clipped as far as
/// it goes into what is in the way itself; what it is in the middle of is its ground. Impacts are
/// told; linking is left to the caller. False when the edict is gone, or was taken elsewhere on the
/// way.
bool SV_FlyMove(sv_context_t *sv, edict_t *edict, vec3_t carried);

/// Moves a STEP edict by the pusher it has chosen (edict->mover; move/body.h) for a tick. An
/// impossible pusher quarantines it.
void SV_MoveBody(sv_context_t *sv, edict_t *edict);

/// A player walked into a crate: it goes on the way he wants to, and he with it. Nothing happens
/// when `player` is no client's edict.
void SV_ShoveCrate(sv_context_t *sv, edict_t *player, edict_t *crate);

/// Water, slime, lava, or water that flows.
bool SV_IsLiquid(contents_t contents);

/// Sets waterlevel (0..3: feet, middle, near the top), watertype and FL_INWATER, with a splash on
/// the way in and out; the first look makes none.
void SV_LookForWater(sv_context_t *sv, edict_t *edict);

/// The share of its height that is under water, [0, 1].
float SV_Submersion(const sv_context_t *sv, const edict_t *edict);

/// What the water it is in carries it with: by its waterlevel, as players,
/// a crate by its share under water; and volumes that flow.
vec3_t SV_CurrentAt(const sv_context_t *sv, const edict_t *edict);

/// What a sweep of this edict stops at: SV_PushEntity's choice.
move_type_t SV_MoveTypeOf(const edict_t *edict);

#endif
