/// world/world_local.h - private declarations of the world block: layout, timers, bit sets.

#ifndef EDICTD_WORLD_WORLD_LOCAL_H
#define EDICTD_WORLD_WORLD_LOCAL_H

#include "world/bits.h"
#include "world/block.h"
#include "world/edict_timers.h"

#define WORLD_MAGIC UINT64_C(0x38646c7774636465) // "edctwld8" in memory

/// Offsets of the parts of a block, and the size of the block.
typedef struct {
    uint64_t edicts, clients, area, active, timers, written, grounds, pushers, pushes, history;
    uint64_t bytes;
} world_layout_t;

/// Computes the layout of a block. Each part starts on a new cache line.
world_layout_t World_Layout(const world_params_t *params);

/// Initial value of names_hash and strings_hash.
#define WORLD_HASH_SEED UINT64_C(0)

/// Computes world->names_hash, a hash of the callback names that the tick hash includes.
uint64_t World_NamesHash(const world_t *world);

/// Returns a bit per edict: 1 = awake, so SV_Physics runs it.
static inline uint64_t *World_ActiveBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_active);
}

/// Returns a bit per edict: 1 = other edicts may rest on it.
static inline uint64_t *World_GroundBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_grounds);
}

/// Returns a bit per edict: 1 = written in this tick, so it is on World_WrittenList.
static inline uint64_t *World_WrittenBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_written);
}

/// Like World_MarkWritten, with an edict number.
static inline void World_MarkNumber(world_t *world, int32_t number) {
    uint64_t *bits = World_WrittenBits(world);
    if (!Bits_Get(bits, number)) {
        Bits_Set(bits, number);
        World_WrittenList(world)[world->num_written++] = number;
    }
}

/// An entry of the timer heap, a binary heap in entries 1..num_timers with the earliest time first.
typedef struct {
    int64_t time_ms;
    int32_t number; ///< edict number
    int32_t zero;
} timer_entry_t;

_Static_assert(sizeof(timer_entry_t) == 16, "no padding");

static inline timer_entry_t *World_TimerHeap(const world_t *world) {
    return (timer_entry_t *)((uintptr_t)world + world->ofs_timers);
}

/// Returns an array by edict number: the index of the edict's timer in the heap, or 0 = none.
static inline int32_t *World_TimerPlaces(const world_t *world) {
    return (int32_t *)((edict_timer_t *)(World_TimerHeap(world) + world->max_edicts + 1) +
                       World_MaxTimers(world->max_edicts) + 1);
}

/// Sets the timer of edict `number`; 0 removes it.
void Timers_Set(world_t *world, int32_t number, int64_t time_ms);

/// Removes the earliest timer that is due at `now_ms`. Returns the edict number, or -1.
int32_t Timers_PopDue(world_t *world, int64_t now_ms);

static inline bool World_IsRefTo(edict_ref_t ref, int32_t number, const edict_t *edict) {
    return ref.generation == edict->generation && ref.index == (uint32_t)number;
}

/// Returns true if two edicts do not collide: they are equal, or one edict owns the other edict.
/// `pass` may be NULL.
static inline bool World_PassesThrough(const edict_t *pass, int32_t pass_number,
                                       const edict_t *edict, int32_t number) {
    return pass && (edict == pass || World_IsRefTo(edict->owner, pass_number, pass) ||
                    World_IsRefTo(pass->owner, number, edict));
}

/// A field that must have a value in lo..hi.
typedef struct {
    const char *name;
    int32_t value, lo, hi;
} world_range_t;

/// Reports the first value outside its range as "WHAT NUMBER" and returns false.
bool World_CheckRanges(const char *what, int32_t number, const world_range_t *ranges, size_t count,
                       err_t *err);

/// Check parts of the block for World_Check. Return false with the reason.
bool Followers_Check(const world_t *world, err_t *err);
bool Pushers_Check(const world_t *world, err_t *err);
bool Timers_Check(const world_t *world, err_t *err);
bool EdictTimers_Check(const world_t *world, err_t *err);
bool Strings_Check(const world_t *world, err_t *err);

#endif
