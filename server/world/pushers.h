/// world/pushers.h - sets of pushers (teams and what is glued), who of them is awake, and what a set
/// that is just moving has moved. physics/ moves them; here is what removal, timers and World_Check
/// need to know.
//
// Floor:   world.
// Memory:  parts of the world block. A set is a forest: what rides on a pusher is in its chain
//          (chain.h), who rides on nothing is in the set's; pusher_up leads to what one rides on,
//          pusher_set names the set. A pusher alone has none of these.
//
//          links[set].first -> A <-> D          A, then B, C, E, then D: so the set is walked
//                  links[A].child -> B <-> E    (Pushers_Next)
//                  links[B].child -> C
//
// Cost:    joining two sets and breaking one up takes as long as the smaller part is large.

#ifndef EDICTD_WORLD_PUSHERS_H
#define EDICTD_WORLD_PUSHERS_H

#include "world/world.h"

/// How something was before the set that moves now: kept until that is done, all zero otherwise.
typedef struct {
    vec3_t origin, angles, velocity;
    edict_ref_t ground;
    uint32_t flags;
    int32_t next;       ///< the one saved next: edict number; -1 = the last; 0 = not saved
    int32_t next_rider; ///< the same for what is carried
    int32_t carrier;    ///< the pusher that carries it; negative: that it is near; a part: itself
    int32_t hit;        ///< 1 + edict number of what it was carried into; 0 = nothing
    int32_t yaw_short;  ///< how far it was turned, in AngleToShort's steps
} push_save_t;

_Static_assert(sizeof(push_save_t) == 68, "no padding");

static inline push_save_t *World_PushSave(const world_t *world, int32_t number) {
    ASSERT(number > 0 && number < world->max_edicts);
    return (push_save_t *)((uintptr_t)world + world->ofs_pushes) + number;
}

/// Of edict n: what rides on it. Of set n: its members. Sets are numbered as they come, and a
/// number that is free again is the next to be taken; entry 0 is of none.
typedef struct {
    int32_t child; ///< edict: head of the chain of what rides on it
    int32_t first; ///< set: head of the chain of what rides on nothing; a free one: the next free
                   ///< one; 0: the first free one
    int32_t count; ///< set: members, 0 = free; 0: numbers ever taken
} pusher_links_t;

_Static_assert(sizeof(pusher_links_t) == 12, "no padding");

/// By edict number or by set.
static inline pusher_links_t *World_PusherLinks(const world_t *world, int32_t number) {
    ASSERT(number >= 0 && number < world->max_edicts);
    uintptr_t saves = (uintptr_t)world + world->ofs_pushes;
    return (pusher_links_t *)(saves + (size_t)world->max_edicts * sizeof(push_save_t)) + number;
}

/// Bit per edict: a pusher that SV_Pushers has to look at.
static inline uint64_t *World_PusherBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_pushers);
}

/// World time less local time: nothing but for a pusher, and never less than 0.
static inline int64_t World_PusherLag(const edict_t *edict) {
    return edict->movetype == MOVETYPE_PUSH && edict->lag_ms > 0 ? edict->lag_ms : 0;
}

/// World time of its next think; 0 = never.
static inline int64_t World_ThinkTime(const edict_t *edict) {
    int64_t lag_ms = World_PusherLag(edict);
    int64_t time_ms = edict->nextthink_ms;
    return time_ms <= 0 ? 0 : time_ms <= INT64_MAX - lag_ms ? time_ms + lag_ms : INT64_MAX;
}

/// The first of its set; itself when it is alone.
edict_t *Pushers_Root(const world_t *world, edict_t *edict);

/// The next of its set, or NULL: first what rides on it, then its neighbour, then its parent's.
edict_t *Pushers_Next(const world_t *world, const edict_t *edict);

/// The pusher that it rides on, or NULL.
edict_t *Pushers_Parent(const world_t *world, const edict_t *edict);

/// Puts all of the set of `edict` behind the set of `with`. Nothing happens within one set.
void Pushers_Join(world_t *world, edict_t *edict, edict_t *with);

/// The sets are joined, and `edict`, which rides on nothing, rides on `parent`, which must not ride
/// on it. Its motion is left to the caller.
void Pushers_Hang(world_t *world, edict_t *edict, edict_t *parent);

/// It rides on its parent no more, but goes on from where it is: its motion is in the world's space
/// as it is now. It and all that rides on it are a set of their own.
void Pushers_Unhang(world_t *world, edict_t *edict);

/// One that is awake wakes all of its set for the next step of the pushers: wakes one that lives.
void Pushers_Wake(world_t *world, const edict_t *edict);

/// It goes: what rides on it rides no more, and its set goes on without it. A tick that is in the
/// middle of the set goes on with it in the next one. What rode on a quarantined one stops where it
/// is, and is counted.
void Pushers_Leave(world_t *world, edict_t *edict);

/// Checks sets and motions of a block that came from outside.
bool Pushers_Check(const world_t *world, err_t *err);

#endif
