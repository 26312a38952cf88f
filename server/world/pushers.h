/// world/pushers.h - sets of pushers (doors, lifts, trains) that move together. In a set, a pusher
/// may ride on another pusher, the parent.
//
// Memory:  parts of the world block. Each set has a list (chain.h) of the pushers without a parent.
//          Each pusher has a list of the pushers that ride on it. edict->pusher_set is the set's
//          number, edict->pusher_up the parent's number. Both are 0 if the pusher has no set.
//
//          links[set].first -> A <-> D          A, then B, C, E, then D: the order of Pushers_Next
//                  links[A].child -> B <-> E
//                  links[B].child -> C
//
// Cost:    joining and splitting sets takes time proportional to the smaller part.

#ifndef EDICTD_WORLD_PUSHERS_H
#define EDICTD_WORLD_PUSHERS_H

#include "world/world.h"

/// State of an edict before a push, restored if the push is blocked. All zero between pushes.
typedef struct {
    vec3_t origin, angles, velocity;
    edict_ref_t ground;
    uint32_t flags;
    int32_t next;       ///< next saved edict; -1 = the last; 0 = not saved
    int32_t next_rider; ///< next rider; -1 = the last; 0 = no rider
    int32_t carrier;    ///< n = moves with pusher n (a pusher: itself); -n = is near pusher n
    int32_t hit;        ///< 1 + number of the edict that it was carried into; 0 = none
    int32_t yaw_short;  ///< yaw rotation by the push, in units of AngleToShort
} push_save_t;

_Static_assert(sizeof(push_save_t) == 68, "no padding");

static inline push_save_t *World_PushSave(const world_t *world, int32_t number) {
    ASSERT(number > 0 && number < world->max_edicts);
    return (push_save_t *)((uintptr_t)world + world->ofs_pushes) + number;
}

/// The lists of edict n and of set n share entry n. Entry 0 holds the list of free set numbers.
typedef struct {
    int32_t child; ///< edict: first pusher that rides on it
    int32_t first; ///< set: first pusher without a parent; free set and entry 0: next free set
    int32_t count; ///< set: number of pushers, 0 = free; entry 0: set numbers ever used
} pusher_links_t;

_Static_assert(sizeof(pusher_links_t) == 12, "no padding");

/// Returns the entry of an edict number or set number.
static inline pusher_links_t *World_PusherLinks(const world_t *world, int32_t number) {
    ASSERT(number >= 0 && number < world->max_edicts);
    uintptr_t saves = (uintptr_t)world + world->ofs_pushes;
    return (pusher_links_t *)(saves + (size_t)world->max_edicts * sizeof(push_save_t)) + number;
}

/// Returns a bit per edict: 1 = an awake pusher, which SV_Pushers visits.
static inline uint64_t *World_PusherBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_pushers);
}

/// Returns the time for which a pusher was blocked, ms. 0 for other edicts.
static inline int64_t World_PusherLag(const edict_t *edict) {
    return edict->movetype == MOVETYPE_PUSH && edict->lag_ms > 0 ? edict->lag_ms : 0;
}

/// Returns the world time of a time of the edict, which is local for a pusher; 0 = never.
static inline int64_t World_TimeOf(const edict_t *edict, int64_t time_ms) {
    int64_t lag_ms = World_PusherLag(edict);
    return time_ms <= 0 ? 0 : time_ms <= INT64_MAX - lag_ms ? time_ms + lag_ms : INT64_MAX;
}

/// Returns the world time of an edict's next think or timer; 0 = never.
static inline int64_t World_ThinkTime(const world_t *world, const edict_t *edict) {
    return World_TimeOf(edict, World_NextDue(world, edict));
}

/// Returns the first pusher of the edict's set. Returns `edict` if it has no set.
edict_t *Pushers_Root(const world_t *world, edict_t *edict);

/// Returns the pusher after `edict` in the list of all pushers of its set, or NULL. A parent comes
/// before its riders.
edict_t *Pushers_Next(const world_t *world, const edict_t *edict);

/// Returns the pusher that `edict` rides on, or NULL.
edict_t *Pushers_Parent(const world_t *world, const edict_t *edict);

/// Joins the sets of two pushers. Does nothing if both are in one set.
void Pushers_Join(world_t *world, edict_t *edict, edict_t *with);

/// Makes `edict` ride on `parent` and joins their sets. `edict` must have no parent yet, and
/// `parent` must not ride on `edict`. Does not change edict->motion.
void Pushers_Hang(world_t *world, edict_t *edict, edict_t *parent);

/// Detaches a pusher from its parent. The pusher continues from its current pose, with its motion
/// in world space, and forms a set with its riders.
void Pushers_Unhang(world_t *world, edict_t *edict);

/// Wakes all pushers of the edict's set. Does nothing without a set.
void Pushers_Wake(world_t *world, const edict_t *edict);

/// Takes a removed or quarantined pusher out of its set. The other pushers continue, but pushers
/// that ride on a quarantined one stop.
void Pushers_Leave(world_t *world, edict_t *edict);

#endif
