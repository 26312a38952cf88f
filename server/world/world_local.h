/// world/world_local.h - the parts of the block that only world/ itself touches: timers, sets.
//
// Floor:   world.

#ifndef EDICTD_WORLD_WORLD_LOCAL_H
#define EDICTD_WORLD_WORLD_LOCAL_H

#include "world/bits.h"
#include "world/block.h"

#define WORLD_MAGIC UINT64_C(0x35646c7774636465) // "edctwld5" in memory

/// Where the parts of a block lie, and how long it is.
typedef struct {
    uint64_t edicts, clients, area, active, timers, written, grounds, pushers, pushes;
    uint64_t bytes;
} world_layout_t;

/// Lays out a block: every part on a cache line of its own.
world_layout_t World_Layout(const world_params_t *params);

/// The sums over nothing of names_hash and strings_hash.
#define WORLD_HASH_SEED UINT64_C(0)

/// names_hash of a table of callback names.
uint64_t World_NamesHash(const world_t *world);

/// Bit per edict: visit it in SV_Physics.
static inline uint64_t *World_ActiveBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_active);
}

/// Bit per edict: somebody may rest on it.
static inline uint64_t *World_GroundBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_grounds);
}

/// Bit per edict: it is on the list of written edicts, which follows the bits.
static inline uint64_t *World_WrittenBits(const world_t *world) {
    return (uint64_t *)((uintptr_t)world + world->ofs_written);
}

static inline int32_t *World_WrittenList(const world_t *world) {
    return (int32_t *)(World_WrittenBits(world) + Bits_Words(world->max_edicts));
}

/// World_MarkWritten by number.
static inline void World_MarkNumber(world_t *world, int32_t number) {
    uint64_t *bits = World_WrittenBits(world);
    if (!Bits_Get(bits, number)) {
        Bits_Set(bits, number);
        World_WrittenList(world)[world->num_written++] = number;
    }
}

/// An entry of the timer heap: entries 1..num_timers, each not later than its children 2n, 2n + 1.
typedef struct {
    int64_t time_ms;
    int32_t number; ///< edict
    int32_t zero;
} timer_entry_t;

_Static_assert(sizeof(timer_entry_t) == 16, "no padding");

static inline timer_entry_t *World_TimerHeap(const world_t *world) {
    return (timer_entry_t *)((uintptr_t)world + world->ofs_timers);
}

/// Per edict its entry in the heap, 0 = none. Follows the heap.
static inline int32_t *World_TimerPlaces(const world_t *world) {
    return (int32_t *)(World_TimerHeap(world) + world->max_edicts + 1);
}

/// Puts edict `number` on the heap at `time_ms`, moves it there, or takes it off (0).
void Timers_Set(world_t *world, int32_t number, int64_t time_ms);

/// Takes the earliest timer off that is due at `now_ms`; its edict, or -1.
int32_t Timers_PopDue(world_t *world, int64_t now_ms);

static inline bool World_IsRefTo(edict_ref_t ref, int32_t number, const edict_t *edict) {
    return ref.generation == edict->generation && ref.index == (uint32_t)number;
}

/// True when `pass` (NULL = nobody) goes through an edict: itself, what it owns, its owner.
static inline bool World_PassesThrough(const edict_t *pass, int32_t pass_number,
                                       const edict_t *edict, int32_t number) {
    return pass && (edict == pass || World_IsRefTo(edict->owner, pass_number, pass) ||
                    World_IsRefTo(pass->owner, number, edict));
}

/// Checks of World_Check that live with what they check.
bool Timers_Check(const world_t *world, err_t *err);
bool Strings_Check(const world_t *world, err_t *err);

#endif
