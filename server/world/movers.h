/// world/movers.h - sets of movers (teams and what is glued), who of them is awake, and what a set
/// that is just moving has moved. physics/ moves them; here is what removal, timers and World_Check
/// need to know.
//
// Floor:   world.
// Memory:  parts of the world block. A set is a chain: mover_root of each member, the root's own
//          too, is the root; mover_next leads from the root through all, parents before what rides
//          on them. A mover alone has neither.

#ifndef EDICTD_WORLD_MOVERS_H
#define EDICTD_WORLD_MOVERS_H

#include "world/world.h"

/// How something was before the set that moves now: kept until that is done, all zero otherwise.
typedef struct {
    vec3_t origin, angles, velocity;
    edict_ref_t ground;
    uint32_t flags;
    int32_t next;       ///< the one saved next: edict number; -1 = the last; 0 = not saved
    int32_t next_rider; ///< the same for what is carried
    int32_t carrier;    ///< the mover that carries it; negative: that it is near; a part: itself
    int32_t hit;        ///< 1 + edict number of what it was carried into; 0 = nothing
    int32_t yaw_short;  ///< how far it was turned, in AngleToShort's steps
} push_save_t;

_Static_assert(sizeof(push_save_t) == 68, "no padding");

static inline push_save_t *World_PushSave(const world_t *world, int32_t number) {
    ASSERT(number > 0 && number < world->max_edicts);
    return (push_save_t *)((uintptr_t)world + world->ofs_pushes) + number;
}

/// Bit per edict: a mover that SV_Movers has to look at.
static inline uint64_t *World_MoverBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_movers);
}

/// World time less local time: nothing but for a mover, and never less than 0.
static inline int64_t World_MoverLag(const edict_t *edict) {
    return edict->movetype == MOVETYPE_PUSH && edict->lag_ms > 0 ? edict->lag_ms : 0;
}

/// World time of its next think; 0 = never.
static inline int64_t World_ThinkTime(const edict_t *edict) {
    int64_t lag_ms = World_MoverLag(edict);
    int64_t time_ms = edict->nextthink_ms;
    return time_ms <= 0 ? 0 : time_ms <= INT64_MAX - lag_ms ? time_ms + lag_ms : INT64_MAX;
}

/// The first of its set; itself when it is alone.
edict_t *Movers_Root(const world_t *world, edict_t *edict);

/// The next of its set, or NULL.
edict_t *Movers_Next(const world_t *world, const edict_t *edict);

/// Puts all of the set of `edict` behind the set of `with`. Nothing happens within one set.
void Movers_Join(world_t *world, edict_t *edict, edict_t *with);

/// Takes it, with all that rides on it, out of its set: they are one of their own.
void Movers_Split(world_t *world, edict_t *edict);

/// The mover that it rides on, or NULL.
edict_t *Movers_Parent(const world_t *world, const edict_t *edict);

/// It rides on its parent no more, but goes on from where it is: its motion is in the world's space
/// as it is now.
void Movers_Free(world_t *world, edict_t *edict);

/// It goes: what rides on it rides no more, and its set goes on without it.
void Movers_Leave(world_t *world, edict_t *edict);

/// Checks sets and motions of a block that came from outside.
bool Movers_Check(const world_t *world, err_t *err);

#endif
