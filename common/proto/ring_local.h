/// proto/ring_local.h - the structs of a snapshot ring. Private to proto/.
//
// Memory:  one block: the ring, its slots, then their records.

#ifndef EDICTD_PROTO_RING_LOCAL_H
#define EDICTD_PROTO_RING_LOCAL_H

#include "proto/pool_local.h"
#include "proto/snapshot_ring.h"
#include "state/ticks.h"

/// A record: the index of a state in the pool. A negative record r says that the snapshot lacks
/// info record -1 - r.
typedef int32_t ring_record_t;

#define INFO_WORDS ((MAX_SNAPSHOT_INFOS + 63) / 64)

/// The first RING_WHOLE slots store each list in one piece; most clients use no further slots. The
/// others store lists in chunks: the first chunk of each slot, then the second of each slot, and so
/// on. Short lists of many slots share pages, so a client that acknowledges nothing takes few.
#define RING_WHOLE  8
#define RING_CHUNK  64
#define RING_CHUNKS ((MAX_SNAPSHOT_RECORDS + RING_CHUNK - 1) / RING_CHUNK)

/// A snapshot. Lists are sorted by number. Info records seldom change, so a slot has only those
/// that differ from the baseline's.
typedef struct {
    snapshot_t snapshot;
    int32_t count, num_infos;
    int32_t num_new;        ///< states that this snapshot sent
    int32_t turn;           ///< the info record with which a delta against this begins
    bool has_infos;         ///< false: older than the baseline
    uint32_t stride;        ///< records from a chunk to the next one
    ring_record_t *records; ///< see Ring_Record
} ring_slot_t;

/// Bits of 64 info records.
typedef struct {
    uint64_t stale;  ///< the baseline's may not be the newest
    uint64_t listed; ///< snapshot_parts_t.infos of the last Snapshot_Write
} info_marks_t;

_Static_assert(INFO_WORDS <= 32, "a bit of snapshot_ring_s.marked for each word");

/// Members that each snapshot uses come first.
struct snapshot_ring_s {
    uint32_t epoch;
    int32_t rate_mhz;
    state_pool_t *pool;
    ring_slot_t *slots;
    int32_t base, newest;         ///< slots of baseline and newest snapshot, -1 = none
    int32_t end;                  ///< slots from here on are free
    int32_t num_new;              ///< states of the snapshot in work
    int32_t num_pinned;           ///< sum of num_new, at most RING_STATES
    int32_t turn;                 ///< that of the last Snapshot_Write
    int64_t infos_tick;           ///< of the last Snapshot_Write, -1 = none
    const field_schema_t *schema; ///< never NULL
    ring_record_t *records;       ///< chunks of RING_WHOLE slots, then those of num_slots slots
    int32_t num_slots;
    uint32_t marked;                ///< bit i is set if marks[i] may not be zero
    int64_t ticks[SNAPSHOT_BACKUP]; ///< ticks of the slots, 0 = free
    info_marks_t marks[INFO_WORDS];
    int32_t infos[MAX_SNAPSHOT_INFOS]; ///< the baseline's info records: state + 1, 0 = none
    state_pool_t *own_pool;            ///< NULL = the pool is shared
    entity_state_t zero;               ///< baseline of a new record: zero but for its number
    entity_state_t read;               ///< record of a message
    snapshot_events_t events;          ///< of the newest snapshot that was read
};

/// Returns the slot of a tick, or -1.
int32_t Ring_FindSlot(const snapshot_ring_t *ring, int64_t tick);

/// Returns a free slot for Ring_Store. If none is free, empties the slot of the
/// oldest snapshot, but not slot `keep` (-1 = none) nor the newest.
int32_t Ring_NewSlot(snapshot_ring_t *ring, int32_t keep);

void Ring_ClearSlot(snapshot_ring_t *ring, int32_t slot);

/// Drops older snapshots, which cannot become the baseline any more. Saves CPU cache.
void Ring_DropBefore(snapshot_ring_t *ring, int64_t tick);

/// Returns one common state for a settled state of an entity: an equal one that other rings hold,
/// if both are at least ENTITY_EXPECT_MS old, so that their record ticks have no effect. Otherwise
/// returns `state`, which other rings may share from then on.
int32_t Ring_ShareAtRest(snapshot_ring_t *ring, int64_t tick, int32_t number, int32_t state);

/// Stores a snapshot in a slot with its records, as the newest.
void Ring_Store(snapshot_ring_t *ring, int32_t slot, const snapshot_t *snapshot);

/// Stores a state of a packet's tick and returns its index, for one Ring_Append. `place`: of a
/// shared state in the pool's tick, which other rings store as well; or NO_PLACE. If the pool or
/// the ring's part of it is full, empties the slots of the oldest snapshots, but not slot `keep`
/// nor the newest. Returns NO_STATE if that is not enough.
int32_t Ring_NewState(snapshot_ring_t *ring, int32_t keep, int64_t tick,
                      const entity_state_t *state, int32_t place);

/// Returns the record for a state, or for the missing info record `number` if `state` is NO_STATE.
static inline ring_record_t Ring_RecordOf(int32_t state, int32_t number) {
    return state != NO_STATE ? state : MAX_EDICTS - 1 - number;
}

static inline int32_t Ring_Number(const snapshot_ring_t *ring, ring_record_t record) {
    return record >= 0 ? ring->pool->numbers[record] : MAX_EDICTS - 1 - record;
}

/// Returns record n of a slot: its entities, from MAX_SNAPSHOT_ENTS on its changed info records.
static inline ring_record_t *Ring_SlotRecord(const ring_slot_t *slot, int32_t n) {
    const uint32_t at = (uint32_t)n;
    return &slot->records[at / RING_CHUNK * slot->stride + at % RING_CHUNK];
}

static inline ring_record_t *Ring_Record(const snapshot_ring_t *ring, int32_t slot, int32_t n) {
    return Ring_SlotRecord(&ring->slots[slot], n);
}

/// Returns record n of a slot, for a loop. `before`: record n - 1, if n is not 0.
static inline const ring_record_t *Ring_Next(const snapshot_ring_t *ring, int32_t slot, int32_t n,
                                             const ring_record_t *before) {
    return (uint32_t)n % RING_CHUNK != 0 ? before + 1 : Ring_Record(ring, slot, n);
}

/// Returns changed info record n of a slot.
static inline ring_record_t *Ring_Info(const snapshot_ring_t *ring, int32_t slot, int32_t n) {
    return Ring_Record(ring, slot, MAX_SNAPSHOT_ENTS + n);
}

/// Returns the state n of a slot, as it was sent.
static inline const entity_state_t *Ring_State(const snapshot_ring_t *ring, int32_t slot,
                                               int32_t n) {
    return &ring->pool->states[*Ring_Record(ring, slot, n)].state;
}

/// Returns the time from a state's record tick to a later tick, 0..ENTITY_EXPECT_MS.
static inline int32_t Ring_ElapsedMs(const snapshot_ring_t *ring, int32_t state, int64_t tick) {
    const int64_t sent_ms = Ticks_EndMs(ring->rate_mhz, ring->pool->holds[state].tick);
    const int64_t elapsed_ms = Ticks_EndMs(ring->rate_mhz, tick) - sent_ms;
    return elapsed_ms < ENTITY_EXPECT_MS ? (int32_t)elapsed_ms : ENTITY_EXPECT_MS;
}

/// Returns true if a slot has space for a record of this number, which is above all in the slot.
static inline bool Ring_HasSpace(const snapshot_ring_t *ring, int32_t slot, int32_t number) {
    return number >= MAX_EDICTS || ring->slots[slot].count < MAX_SNAPSHOT_ENTS;
}

/// Notes that the baseline's info record may not be the newest.
static inline void Ring_MarkStale(snapshot_ring_t *ring, int32_t index) {
    ring->marks[index / 64].stale |= UINT64_C(1) << (index % 64);
    ring->marked |= UINT32_C(1) << (index / 64);
}

/// Returns the bits of a word of info records from `from` to before `end`.
static inline uint64_t Ring_BitsWithin(int32_t word, int32_t from, int32_t end) {
    const int32_t low = Q_ClampI(from - word * 64, 0, 64);
    const int32_t high = Q_ClampI(end - word * 64, 0, 64);
    return (high < 64 ? (UINT64_C(1) << high) - 1 : UINT64_MAX) &
           (low < 64 ? UINT64_MAX << low : 0);
}

/// Makes a slot the baseline, -1 = none. Older slots lose their info records.
void Ring_SetBase(snapshot_ring_t *ring, int32_t slot);

/// Returns the state of an info record in a slot, -1 = none; or NO_STATE.
int32_t Ring_InfoState(const snapshot_ring_t *ring, int32_t slot, int32_t number);

/// Appends a record to a slot with space. The caller has a hold on its state for it.
static inline void Ring_Append(snapshot_ring_t *ring, int32_t slot, int32_t state, int32_t number) {
    ring_slot_t *s = &ring->slots[slot];
    const int32_t n = number < MAX_EDICTS ? s->count++ : MAX_SNAPSHOT_ENTS + s->num_infos++;
    ASSERT(n != MAX_SNAPSHOT_ENTS || number >= MAX_EDICTS);
    *Ring_Record(ring, slot, n) = Ring_RecordOf(state, number);
}

/// Appends the entities of slot `from` (-1 = none) whose numbers are below `number`, from record
/// *at on. Advances *at past them. Returns false if they do not fit.
bool Ring_AppendBelow(snapshot_ring_t *ring, int32_t slot, int32_t from, int32_t *at,
                      int32_t number);

/// As Ring_AppendBelow from the baseline, to a slot with space for all. Skips record `number`.
void Ring_KeepBelow(snapshot_ring_t *ring, int32_t slot, int32_t *at, int32_t number);

#endif
