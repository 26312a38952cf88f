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

/// Angles go on by avelocity for one tick.
void SV_TurnAngles(const sv_context_t *sv, edict_t *edict);

/// True when what it stands on would wake it: the map never goes, and an edict finds what is linked
/// on it. What is not linked must not rest on an edict.
bool SV_MaySleep(const edict_t *edict);

/// True when what it stands on still holds it.
bool SV_HasGround(sv_context_t *sv, edict_t *edict);

/// Moves by the velocity for `seconds`, sliding along what is in the way (4 bumps, 5 planes); a
/// floor it meets becomes its ground. Impacts are told; it is linked with touches at the end. False
/// when the edict is gone, or was taken elsewhere on the way.
bool SV_FlyMove(sv_context_t *sv, edict_t *edict, float seconds);

/// A player walked into a crate: it goes on the way he wants to.
void SV_ShoveCrate(sv_context_t *sv, const edict_t *player, edict_t *crate);

/// Height of a crate's share under water, [0, 1].
float SV_Submersion(const sv_context_t *sv, const edict_t *edict);

/// What a sweep of this edict stops at: SV_PushEntity's choice.
move_type_t SV_MoveTypeOf(const edict_t *edict);

#endif
