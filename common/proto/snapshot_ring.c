#include "proto/snapshot_ring.h"

#include "base/assert.h"
#include "proto/ring_local.h"

#include <stdlib.h>
#include <string.h>

snapshot_ring_t *SnapshotRing_Create(int32_t snapshots, state_pool_t *pool) {
    ASSERT(snapshots >= 3 && snapshots <= SNAPSHOT_BACKUP);
    size_t slots_bytes = (size_t)snapshots * sizeof(ring_slot_t);
    size_t chunks = RING_CHUNKS * (size_t)(RING_WHOLE + snapshots);
    size_t records_bytes = chunks * RING_CHUNK * sizeof(ring_record_t);
    _Static_assert(sizeof(snapshot_ring_t) % 8 == 0 && sizeof(ring_slot_t) % 8 == 0, "aligned");
    snapshot_ring_t *ring = malloc(sizeof *ring + slots_bytes + records_bytes);
    if (!ring) {
        return NULL;
    }
    memset(ring, 0, sizeof *ring + slots_bytes); // not the records: only used ones take memory
    ring->own_pool = pool ? NULL : StatePool_New(RING_STATES, false);
    ring->pool = pool ? pool : ring->own_pool;
    if (!ring->pool) {
        free(ring);
        return NULL;
    }
    ring->slots = (ring_slot_t *)(ring + 1);
    ring->records = (ring_record_t *)(ring->slots + snapshots);
    ring->num_slots = snapshots;
    SnapshotRing_Reset(ring, 0, TICKS_MIN_RATE_MHZ, NULL);
    return ring;
}

void SnapshotRing_Destroy(snapshot_ring_t *ring) {
    if (ring) {
        Ring_DropBefore(ring, INT64_MAX);
        StatePool_Destroy(ring->own_pool);
        free(ring);
    }
}

void SnapshotRing_Reset(snapshot_ring_t *ring, uint32_t epoch, int32_t rate_mhz,
                        const field_schema_t *schema) {
    static const field_schema_t no_fields;
    ASSERT(rate_mhz >= TICKS_MIN_RATE_MHZ && rate_mhz <= TICKS_MAX_RATE_MHZ);
    Ring_DropBefore(ring, INT64_MAX);
    ring->epoch = epoch;
    ring->schema = schema ? schema : &no_fields;
    ring->rate_mhz = rate_mhz;
    ring->base = -1;
    ring->newest = -1;
    ring->infos_tick = -1;
    ring->events.count = 0;
}

int32_t Ring_FindSlot(const snapshot_ring_t *ring, int64_t tick) {
    if (ring->newest >= 0 && ring->ticks[ring->newest] == tick) {
        return ring->newest;
    }
    if (ring->base >= 0 && ring->ticks[ring->base] == tick) {
        return ring->base;
    }
    for (int32_t i = 0; i < ring->end && tick > 0; i++) {
        if (ring->ticks[i] == tick) {
            return i;
        }
    }
    return -1;
}

// ---- info records ----

// Releases the states of records `first` to `end` of a slot.
static void release_records(snapshot_ring_t *ring, int32_t slot, int32_t first, int32_t end) {
    state_pool_t *pool = ring->pool;
    for (int32_t n = first; n < end; n += RING_CHUNK) { // `first` begins a chunk
        const ring_record_t *records = Ring_Record(ring, slot, n);
        for (int32_t i = 0; i < Q_MinI(end - n, RING_CHUNK); i++) {
            if (records[i] >= 0) {
                StatePool_Release(pool, records[i]);
            }
        }
    }
}

static void forget_infos(snapshot_ring_t *ring, int32_t slot) {
    ring_slot_t *s = &ring->slots[slot];
    release_records(ring, slot, MAX_SNAPSHOT_ENTS, MAX_SNAPSHOT_ENTS + s->num_infos);
    s->num_infos = 0;
    s->has_infos = false;
}

// Sets a record of the baseline. Takes over the caller's hold on the state.
static void set_info(snapshot_ring_t *ring, int32_t index, int32_t state) {
    if (ring->infos[index] != 0) {
        StatePool_Release(ring->pool, ring->infos[index] - 1);
    }
    ring->infos[index] = state + 1;
    Ring_MarkStale(ring, index);
}

// Returns the number of changed info record n of a slot.
static int32_t info_number(const snapshot_ring_t *ring, int32_t slot, int32_t n) {
    return Ring_Number(ring, *Ring_Info(ring, slot, n));
}

// Makes the changes of a slot relative to another slot, which will be the baseline. Adds the
// records that only the other changes.
static void rebase_infos(snapshot_ring_t *ring, int32_t slot, int32_t base) {
    ring_slot_t *s = &ring->slots[slot];
    const ring_slot_t *b = &ring->slots[base];
    int32_t at = s->num_infos;
    int32_t added = 0;
    for (int32_t i = 0, k = 0; i < b->num_infos; i++) {
        const int32_t number = info_number(ring, base, i);
        while (k < s->num_infos && info_number(ring, slot, k) < number) {
            k++;
        }
        added += k == s->num_infos || info_number(ring, slot, k) > number ? 1 : 0;
    }
    s->num_infos += added;
    for (int32_t to = s->num_infos, i = b->num_infos; to > at;) {
        const int32_t number = info_number(ring, base, i - 1);
        const int32_t last = at > 0 ? info_number(ring, slot, at - 1) : -1;
        if (last >= number) {
            i -= last == number ? 1 : 0;
            *Ring_Info(ring, slot, --to) = *Ring_Info(ring, slot, --at);
        } else {
            const int32_t state = ring->infos[number - MAX_EDICTS] - 1;
            *Ring_Info(ring, slot, --to) = Ring_RecordOf(state, number);
            if (state >= 0) {
                ring->pool->refs[state]++;
            }
            i--;
        }
    }
}

void Ring_SetBase(snapshot_ring_t *ring, int32_t slot) {
    if (slot == ring->base) {
        return;
    }
    const int64_t before = SnapshotRing_Base(ring); // snapshots older than it have no info records
    for (int32_t i = 0; i < ring->end; i++) {
        if (ring->ticks[i] == 0 || i == slot || ring->ticks[i] < before) {
            continue;
        }
        if (slot < 0 || ring->ticks[i] < ring->ticks[slot]) {
            forget_infos(ring, i);
        } else if (ring->slots[slot].num_infos > 0) {
            rebase_infos(ring, i, slot);
        }
    }
    for (int32_t i = 0; slot < 0 && i < MAX_SNAPSHOT_INFOS; i++) {
        set_info(ring, i, NO_STATE);
    }
    for (int32_t i = 0; slot >= 0 && i < ring->slots[slot].num_infos; i++) {
        const ring_record_t record = *Ring_Info(ring, slot, i);
        set_info(ring, Ring_Number(ring, record) - MAX_EDICTS, Q_MaxI(record, NO_STATE));
    }
    if (slot >= 0) {
        ring->slots[slot].num_infos = 0;
    }
    ring->base = slot;
}

// Returns the index of a record among records `first` to `end` of a slot, which are sorted; or -1.
// `first`: of a chunk.
static int32_t find_record(const snapshot_ring_t *ring, int32_t slot, int32_t first, int32_t end,
                           int32_t number) {
    int32_t chunk = first / RING_CHUNK;
    for (int32_t last = (end - 1) / RING_CHUNK; chunk < last;) {
        const int32_t middle = (chunk + last + 1) / 2;
        const ring_record_t first_of = *Ring_Record(ring, slot, middle * RING_CHUNK);
        const bool is_above = Ring_Number(ring, first_of) > number;
        last = is_above ? middle - 1 : last;
        chunk = is_above ? chunk : middle;
    }
    const ring_record_t *list = Ring_Record(ring, slot, chunk * RING_CHUNK);
    const int32_t count = Q_MinI(end - chunk * RING_CHUNK, RING_CHUNK);
    int32_t lo = 0;
    int32_t hi = count;
    while (lo < hi) {
        int32_t middle = (lo + hi) / 2;
        if (Ring_Number(ring, list[middle]) < number) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    const bool is_found = lo < count && Ring_Number(ring, list[lo]) == number;
    return is_found ? chunk * RING_CHUNK + lo : -1;
}

_Static_assert(MAX_SNAPSHOT_ENTS % RING_CHUNK == 0, "info records begin a chunk");

int32_t Ring_InfoState(const snapshot_ring_t *ring, int32_t slot, int32_t number) {
    if (slot < 0 || !ring->slots[slot].has_infos) {
        return NO_STATE;
    }
    const int32_t end = MAX_SNAPSHOT_ENTS + ring->slots[slot].num_infos;
    const int32_t n = find_record(ring, slot, MAX_SNAPSHOT_ENTS, end, number);
    return n >= 0 ? Q_MaxI(*Ring_Record(ring, slot, n), NO_STATE)
                  : ring->infos[number - MAX_EDICTS] - 1;
}

// ---- slots ----

void Ring_ClearSlot(snapshot_ring_t *ring, int32_t slot) {
    ring_slot_t *s = &ring->slots[slot];
    if (ring->base == slot) {
        Ring_SetBase(ring, -1);
    }
    release_records(ring, slot, 0, s->count);
    forget_infos(ring, slot);
    ring->num_pinned -= s->num_new;
    s->count = s->num_new = 0;
    ring->ticks[slot] = 0;
    ring->newest = ring->newest == slot ? -1 : ring->newest;
    while (ring->end > 0 && ring->ticks[ring->end - 1] == 0) {
        ring->end--;
    }
}

// Returns the oldest slot except `keep` and the newest; -1 = none.
static int32_t oldest_slot(const snapshot_ring_t *ring, int32_t keep) {
    int32_t oldest = -1;
    for (int32_t i = 0; i < ring->end; i++) {
        int64_t tick = ring->ticks[i];
        if (i != keep && i != ring->newest && tick > 0 &&
            (oldest < 0 || tick < ring->ticks[oldest])) {
            oldest = i;
        }
    }
    return oldest;
}

// Sets where the records of a slot are.
static void place_records(snapshot_ring_t *ring, int32_t slot) {
    ring_slot_t *s = &ring->slots[slot];
    const bool is_whole = slot < RING_WHOLE;
    const int32_t chunk = is_whole ? slot * RING_CHUNKS : RING_WHOLE * RING_CHUNKS + slot;
    s->records = ring->records + (size_t)chunk * RING_CHUNK;
    s->stride = (is_whole ? 1 : (uint32_t)ring->num_slots) * RING_CHUNK;
}

// Empties the slot of the oldest snapshot, but not slot `keep`, which is the baseline from now on.
// Returns the slot, or -1 if there is none.
static int32_t drop_oldest(snapshot_ring_t *ring, int32_t keep) {
    int32_t slot = oldest_slot(ring, keep);
    if (slot >= 0 && slot == ring->base) {
        Ring_SetBase(ring, keep); // a client's message has another baseline than the one before
    }
    if (slot >= 0) {
        Ring_ClearSlot(ring, slot);
    }
    return slot;
}

int32_t Ring_NewSlot(snapshot_ring_t *ring, int32_t keep) {
    int32_t slot = 0;
    while (slot < ring->end && ring->ticks[slot] != 0) {
        slot++;
    }
    if (slot == ring->num_slots) {
        slot = drop_oldest(ring, keep);
        ASSERT(slot >= 0); // a ring has at least three slots
    }
    ring_slot_t *s = &ring->slots[slot];
    place_records(ring, slot);
    s->has_infos = true;
    ring->num_pinned -= ring->num_new; // of a snapshot that was not stored
    ring->num_new = 0;
    ASSERT(s->count == 0 && s->num_infos == 0);
    return slot;
}

void Ring_Store(snapshot_ring_t *ring, int32_t slot, const snapshot_t *snapshot) {
    ring->slots[slot].snapshot = *snapshot;
    ring->slots[slot].num_new = ring->num_new;
    ring->num_new = 0;
    ring->ticks[slot] = snapshot->tick;
    ring->newest = slot;
    ring->end = ring->end > slot ? ring->end : slot + 1;
}

int32_t Ring_NewState(snapshot_ring_t *ring, int32_t keep, int64_t tick,
                      const entity_state_t *state, int32_t place) {
    while (ring->num_pinned == RING_STATES) {
        if (drop_oldest(ring, keep) < 0) {
            return NO_STATE;
        }
    }
    int32_t index = place >= 0 ? StatePool_Find(ring->pool, place, state) : NO_STATE;
    if (index == NO_STATE) {
        do {
            index = StatePool_Add(ring->pool, tick, state);
        } while (index == NO_STATE && drop_oldest(ring, keep) >= 0);
        if (index == NO_STATE) {
            return NO_STATE;
        }
        if (place >= 0) {
            StatePool_Share(ring->pool, index, place);
        }
    }
    ring->pool->refs[index]++;
    ring->num_new++;
    ring->num_pinned++;
    return index;
}

bool Ring_AppendBelow(snapshot_ring_t *ring, int32_t slot, int32_t from, int32_t *at,
                      int32_t number) {
    ring_slot_t *s = &ring->slots[slot];
    const int32_t end = from < 0 ? 0 : ring->slots[from].count;
    const ring_record_t *record = *at < end ? Ring_Record(ring, from, *at) : NULL;
    ring_record_t *copy = NULL;
    int32_t n = *at;
    int32_t count = s->count;
    for (; n < end && Ring_Number(ring, *record) < number && count < MAX_SNAPSHOT_ENTS;
         n++, count++) {
        copy = !copy || count % RING_CHUNK == 0 ? Ring_Record(ring, slot, count) : copy + 1;
        *copy = *record;
        ring->pool->refs[*record]++;
        record = Ring_Next(ring, from, n + 1, record);
    }
    s->count = count;
    *at = n;
    return n == end || Ring_Number(ring, *record) >= number;
}

void Ring_KeepBelow(snapshot_ring_t *ring, int32_t slot, int32_t *at, int32_t number) {
    const bool fits = Ring_AppendBelow(ring, slot, ring->base, at, number);
    ASSERT(fits);
    *at += *at < ring->slots[ring->base].count &&
           Ring_Number(ring, *Ring_Record(ring, ring->base, *at)) == number;
}

void Ring_DropBefore(snapshot_ring_t *ring, int64_t tick) {
    for (int32_t i = 0; i < ring->end; i++) {
        if (ring->ticks[i] > 0 && ring->ticks[i] < tick) {
            Ring_ClearSlot(ring, i);
        }
    }
}

bool SnapshotRing_DropOld(snapshot_ring_t *ring, int64_t tick) {
    const bool had_base = ring->base >= 0;
    if (ring->pool->now) {
        const int64_t oldest = tick - Ticks_At(ring->rate_mhz, StatePool_KeepMs(ring->pool));
        const int64_t newest = SnapshotRing_Newest(ring);
        Ring_DropBefore(ring, oldest < newest ? oldest : newest);
    }
    return had_base && ring->base < 0;
}

int32_t Ring_ShareAtRest(snapshot_ring_t *ring, int64_t tick, int32_t number, int32_t state) {
    state_pool_t *pool = ring->pool;
    int32_t *rest = &pool->rest[number];
    if (Ring_ElapsedMs(ring, state, tick) < ENTITY_EXPECT_MS) {
        return state;
    }
    const bool is_equal = pool->refs[*rest] > 0 && pool->settled[*rest] == pool->settled[state] &&
                          pool->numbers[*rest] == number &&
                          Ring_ElapsedMs(ring, *rest, tick) == ENTITY_EXPECT_MS;
    *rest = is_equal ? *rest : state;
    return *rest;
}

void SnapshotRing_Ack(snapshot_ring_t *ring, int64_t tick) {
    int32_t slot = Ring_FindSlot(ring, tick);
    if (tick == 0) {
        Ring_SetBase(ring, -1);
    } else if (slot >= 0 && tick > SnapshotRing_Base(ring) && ring->slots[slot].has_infos) {
        Ring_SetBase(ring, slot);
        Ring_DropBefore(ring, tick);
    }
}

int64_t SnapshotRing_Base(const snapshot_ring_t *ring) {
    return ring->base < 0 ? 0 : ring->ticks[ring->base];
}

int64_t SnapshotRing_Newest(const snapshot_ring_t *ring) {
    return ring->newest < 0 ? 0 : ring->ticks[ring->newest];
}

// Returns true if a record has the state of this version that all rings share for an entity that
// rests.
static bool is_current(const snapshot_ring_t *ring, ring_record_t record, int32_t number,
                       uint32_t version) {
    return version != 0 && ring->pool->rest[number] == record &&
           ring->pool->settled[record] == version;
}

void SnapshotRing_Held(const snapshot_ring_t *ring, const uint32_t *versions, uint64_t *held,
                       uint64_t *current, int32_t num_words) {
    const int32_t count = ring->base < 0 ? 0 : ring->slots[ring->base].count;
    int32_t i = 0;
    for (int32_t word = 0; word < num_words; word++) {
        held[word] = current[word] = 0;
        for (; i < count; i++) {
            const ring_record_t record = *Ring_Record(ring, ring->base, i);
            const int32_t number = Ring_Number(ring, record);
            if (number >= 64 * (word + 1)) {
                break;
            }
            const uint64_t bit = UINT64_C(1) << (number % 64);
            held[word] |= bit;
            current[word] |= is_current(ring, record, number, versions[number]) ? bit : 0;
        }
    }
}

const snapshot_t *SnapshotRing_Find(const snapshot_ring_t *ring, int64_t tick) {
    int32_t slot = Ring_FindSlot(ring, tick);
    return slot < 0 ? NULL : &ring->slots[slot].snapshot;
}

// Returns the state n of a slot as its client shows it `later_ms` later. `moved`: space for one
// that moved. Until the next snapshot, an entity that does not stand in this one continues.
static const entity_state_t *expected_state(const snapshot_ring_t *ring, int32_t slot, int32_t n,
                                            int32_t later_ms, entity_state_t *moved) {
    const entity_state_t *sent = Ring_State(ring, slot, n);
    if (!moved || !Entity_IsMoving(sent)) {
        return sent;
    }
    const int32_t elapsed_ms = Ring_ElapsedMs(ring, *Ring_Record(ring, slot, n), ring->ticks[slot]);
    if (elapsed_ms + later_ms == 0) {
        return sent;
    }
    *moved = *sent;
    Entity_ExpectedOrigin(sent, sent->velocity, elapsed_ms, moved->origin);
    if (elapsed_ms < ENTITY_EXPECT_MS) {
        Entity_ExpectedOrigin(moved, moved->velocity, later_ms, moved->origin);
    }
    return moved;
}

int32_t SnapshotRing_Entities(const snapshot_ring_t *ring, int64_t tick,
                              const entity_state_t *list[MAX_SNAPSHOT_ENTS],
                              entity_state_t moved[MAX_SNAPSHOT_ENTS]) {
    int32_t slot = Ring_FindSlot(ring, tick);
    int32_t count = slot < 0 ? 0 : ring->slots[slot].count;
    int32_t num_moved = 0;
    for (int32_t i = 0; i < count; i++) {
        list[i] = expected_state(ring, slot, i, 0, moved ? &moved[num_moved] : NULL);
        num_moved += list[i] != Ring_State(ring, slot, i) ? 1 : 0;
    }
    return count;
}

const entity_state_t *SnapshotRing_Record(const snapshot_ring_t *ring, int64_t tick, int32_t number,
                                          entity_state_t *moved) {
    int32_t slot = Ring_FindSlot(ring, tick);
    if (slot < 0) {
        return NULL;
    }
    if (number >= MAX_EDICTS) {
        int32_t state = Ring_InfoState(ring, slot, number);
        return state == NO_STATE ? NULL : &ring->pool->states[state].state;
    }
    int32_t index = find_record(ring, slot, 0, ring->slots[slot].count, number);
    return index < 0 ? NULL : expected_state(ring, slot, index, 0, moved);
}

const entity_state_t *SnapshotRing_Later(const snapshot_ring_t *ring, int32_t number,
                                         int32_t later_ms, entity_state_t *moved) {
    int32_t slot = Ring_FindSlot(ring, SnapshotRing_Newest(ring));
    int32_t n = slot < 0 ? -1 : find_record(ring, slot, 0, ring->slots[slot].count, number);
    ASSERT(later_ms >= 0 && later_ms <= ENTITY_EXPECT_MS);
    return n < 0 ? NULL : expected_state(ring, slot, n, later_ms, moved);
}

const snapshot_events_t *SnapshotRing_Events(const snapshot_ring_t *ring) {
    return &ring->events;
}
