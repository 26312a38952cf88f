/// world/world_local.h - the parts of the block that only world/ uses: timers, sets of edicts.

#ifndef EDICTD_WORLD_WORLD_LOCAL_H
#define EDICTD_WORLD_WORLD_LOCAL_H

#include "world/bits.h"
#include "world/block.h"

#define WORLD_MAGIC UINT64_C(0x35646c7774636465) // "edctwld5" in memory

/// Offsets of the parts of a block, and the size of the block.
typedef struct {
    uint64_t edicts, clients, area, active, timers, written, grounds, pushers, pushes;
    uint64_t bytes;
} world_layout_t;

/// Lays out a block. Each part starts on a new cache line.
world_layout_t World_Layout(const world_params_t *params);

/// Initial value of names_hash and strings_hash.
#define WORLD_HASH_SEED UINT64_C(0)

/// Returns names_hash of the callback names of a world.
uint64_t World_NamesHash(const world_t *world);

/// Returns the set of edicts that SV_Physics visits, a bit per edict.
static inline uint64_t *World_ActiveBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_active);
}

/// Returns the set of edicts on which other edicts may rest, a bit per edict.
static inline uint64_t *World_GroundBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_grounds);
}

/// Returns the set of edicts on the list of written edicts, a bit per edict; the list follows.
static inline uint64_t *World_WrittenBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_written);
}

static inline int32_t *World_WrittenList(const world_t *world) {
    return (int32_t *)(World_WrittenBits(world) + Bits_Words(world->max_edicts));
}

/// Does what World_MarkWritten does, by edict number.
static inline void World_MarkNumber(world_t *world, int32_t number) {
    uint64_t *bits = World_WrittenBits(world);
    if (!Bits_Get(bits, number)) {
        Bits_Set(bits, number);
        World_WrittenList(world)[world->num_written++] = number;
    }
}

/// An entry of the timer heap: entries 1..num_timers, none later than its children 2n and 2n + 1.
typedef struct {
    int64_t time_ms;
    int32_t number; ///< edict number
    int32_t zero;
} timer_entry_t;

_Static_assert(sizeof(timer_entry_t) == 16, "no padding");

static inline timer_entry_t *World_TimerHeap(const world_t *world) {
    return (timer_entry_t *)((uintptr_t)world + world->ofs_timers);
}

/// Returns each edict's entry in the heap, 0 = none.
static inline int32_t *World_TimerPlaces(const world_t *world) {
    return (int32_t *)(World_TimerHeap(world) + world->max_edicts + 1);
}

/// Adds edict `number` to the heap at `time_ms`, or moves its entry there; 0 removes it.
void Timers_Set(world_t *world, int32_t number, int64_t time_ms);

/// Removes the earliest timer that is due at `now_ms` and returns its edict, or -1.
int32_t Timers_PopDue(world_t *world, int64_t now_ms);

static inline bool World_IsRefTo(edict_ref_t ref, int32_t number, const edict_t *edict) {
    return ref.generation == edict->generation && ref.index == (uint32_t)number;
}

/// Returns true if `edict` is `pass` (NULL = none), its owner or owned by it: they do not collide.
static inline bool World_PassesThrough(const edict_t *pass, int32_t pass_number,
                                       const edict_t *edict, int32_t number) {
    return pass && (edict == pass || World_IsRefTo(edict->owner, pass_number, pass) ||
                    World_IsRefTo(pass->owner, number, edict));
}

/// Parts of World_Check.
bool Followers_Check(const world_t *world, err_t *err);
bool Pushers_Check(const world_t *world, err_t *err);
bool Timers_Check(const world_t *world, err_t *err);
bool Strings_Check(const world_t *world, err_t *err);

#endif
