/// proto/ring_local.h - the structs of a snapshot ring. Private to proto/.
//
// Memory:  one block: the ring, its slots, the states, then indices.

#ifndef EDICTD_PROTO_RING_LOCAL_H
#define EDICTD_PROTO_RING_LOCAL_H

#include "proto/entity_fields.h"
#include "proto/snapshot_ring.h"
#include "state/ticks.h"

#define NO_STATE (-1)

/// A record of a snapshot. Comparing numbers and marks leaves the states out of the CPU's cache.
typedef struct {
    uint16_t state;  ///< index of its state
    uint16_t number; ///< of an entity; of an info record less MAX_EDICTS
    uint32_t mark;   ///< snapshot_parts_t.info_marks of an info record; 0 = unknown
} ring_record_t;

/// A state in two lines of the CPU's cache, if it is plain.
typedef struct {
    _Alignas(64) int64_t tick; ///< of the packet that sent the state: the record tick
    entity_state_t state;
} ring_state_t;

/// A snapshot. `records`: sorted by number: entities, then info records.
typedef struct {
    snapshot_t snapshot;
    int32_t count, num_entities;
    ring_record_t *records; ///< [MAX_SNAPSHOT_RECORDS]
} ring_slot_t;

/// An edict whose state did not fit in the newest snapshot.
typedef struct {
    int32_t number;
    int32_t age; ///< snapshots in a row without space for it
} ring_deferred_t;

struct snapshot_ring_s {
    uint32_t epoch;
    int32_t rate_mhz;
    const field_schema_t *schema; ///< never NULL
    int32_t num_slots, num_states;
    int32_t base, newest; ///< slots of baseline and newest snapshot, -1 = none
    uint32_t turn;        ///< the info record that the next snapshot begins with
    int32_t num_deferred;
    ring_slot_t *slots;
    int64_t ticks[SNAPSHOT_BACKUP]; ///< ticks of the slots, 0 = free
    ring_state_t *states;
    uint8_t *refs;    ///< refs[i]: slots that contain states[i]
    uint16_t *unused; ///< free states: unused[0..num_unused)
    int32_t num_unused;
    entity_state_t zero;      ///< baseline of a new record: zero but for its number
    entity_state_t read;      ///< record of a message
    snapshot_events_t events; ///< of the newest snapshot that was read
    ring_deferred_t deferred[2 * MAX_SNAPSHOT_ENTS]; ///< sorted by number
};

/// Returns the slot of a tick, or -1.
int32_t Ring_FindSlot(const snapshot_ring_t *ring, int64_t tick);

/// Returns a free slot for Ring_Store. If none is free, empties the slot of the
/// oldest snapshot, but not slot `keep` (-1 = none) nor the newest.
int32_t Ring_NewSlot(snapshot_ring_t *ring, int32_t keep);

void Ring_ClearSlot(snapshot_ring_t *ring, int32_t slot);

/// Drops older snapshots, which cannot become the baseline any more. Saves CPU cache.
void Ring_DropBefore(snapshot_ring_t *ring, int64_t tick);

/// Stores a snapshot in a slot with its records, as the newest.
void Ring_Store(snapshot_ring_t *ring, int32_t slot, const snapshot_t *snapshot);

/// Stores a state of a packet's tick and returns its index for Ring_Append. If states[] is full,
/// empties the slots of the oldest snapshots, but not slot `keep` nor the newest. Returns NO_STATE
/// if states[] is still full.
int32_t Ring_NewState(snapshot_ring_t *ring, int32_t keep, int64_t tick,
                      const entity_state_t *state);

#define RING_PREFETCH 4 // states ahead

/// Loads a state into the CPU cache, because the states of many clients do not fit.
static inline void Ring_Prefetch(const snapshot_ring_t *ring, int32_t index) {
    const entity_state_t *state = &ring->states[index].state;
    __builtin_prefetch(state);
    __builtin_prefetch((const uint8_t *)state + 64);
}

/// Returns the state n of a slot, as it was sent.
static inline const entity_state_t *Ring_State(const snapshot_ring_t *ring, int32_t slot,
                                               int32_t n) {
    return &ring->states[ring->slots[slot].records[n].state].state;
}

/// Returns the time from a state's record tick to a later tick, 0..ENTITY_CARRY_MS.
static inline int32_t Ring_ElapsedMs(const snapshot_ring_t *ring, int32_t state, int64_t tick) {
    const int64_t sent_ms = Ticks_EndMs(ring->rate_mhz, ring->states[state].tick);
    const int64_t elapsed_ms = Ticks_EndMs(ring->rate_mhz, tick) - sent_ms;
    return elapsed_ms < ENTITY_CARRY_MS ? (int32_t)elapsed_ms : ENTITY_CARRY_MS;
}

/// Returns the number of the record n of a slot.
static inline int32_t Ring_Number(const ring_slot_t *slot, int32_t n) {
    return slot->records[n].number + (n < slot->num_entities ? 0 : MAX_EDICTS);
}

/// Returns true if a slot has space for a record of this number.
static inline bool Ring_HasSpace(const snapshot_ring_t *ring, int32_t slot, int32_t number) {
    const ring_slot_t *s = &ring->slots[slot];
    return number < MAX_EDICTS ? s->num_entities < MAX_SNAPSHOT_ENTS
                               : s->count - s->num_entities < MAX_SNAPSHOT_INFOS;
}

/// Appends a record to a slot with space.
void Ring_Append(snapshot_ring_t *ring, int32_t slot, int32_t number, int32_t state, uint32_t mark);

#endif
