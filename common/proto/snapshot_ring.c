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
    ring->held = calloc(RING_NUMBERS, sizeof *ring->held);
    ring->own_pool = pool ? NULL : StatePool_New(RING_STATES, false);
    ring->pool = pool ? pool : ring->own_pool;
    if (!ring->pool || !ring->held) {
        StatePool_Destroy(ring->own_pool);
        free(ring->held);
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
        free(ring->held);
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

// ---- records ----

static void release(const snapshot_ring_t *ring, int32_t state) {
    if (state != NO_STATE) {
        StatePool_Release(ring->pool, state);
    }
}

static void hold(const snapshot_ring_t *ring, int32_t state) {
    if (state != NO_STATE) {
        ring->pool->refs[state]++;
    }
}

// Returns the index of a record in a slot's list, or -1.
static int32_t find_record(const snapshot_ring_t *ring, int32_t slot, int32_t number) {
    const int32_t end = ring->slots[slot].num_records;
    int32_t chunk = 0;
    for (int32_t last = (end - 1) / RING_CHUNK; chunk < last;) {
        const int32_t middle = (chunk + last + 1) / 2;
        const bool is_above = Ring_Record(ring, slot, middle * RING_CHUNK)->number > number;
        last = is_above ? middle - 1 : last;
        chunk = is_above ? chunk : middle;
    }
    const ring_record_t *list = Ring_Record(ring, slot, chunk * RING_CHUNK);
    const int32_t count = Q_MinI(end - chunk * RING_CHUNK, RING_CHUNK);
    int32_t lo = 0;
    int32_t hi = count;
    while (lo < hi) {
        int32_t middle = (lo + hi) / 2;
        if (list[middle].number < number) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < count && list[lo].number == number ? chunk * RING_CHUNK + lo : -1;
}

int32_t Ring_StateIn(const snapshot_ring_t *ring, int32_t slot, int32_t number) {
    if (slot < 0) {
        return NO_STATE;
    }
    const int32_t n = find_record(ring, slot, number);
    return n >= 0                      ? Ring_Record(ring, slot, n)->state
           : ring->slots[slot].is_past ? NO_STATE
                                       : Ring_Held(ring, number);
}

// The entities of a slot, by number.
typedef struct {
    const snapshot_ring_t *ring;
    int32_t slot;
    int32_t at;     // next record of the list
    int32_t number; // of the last entity, 0 = none yet
} entities_t;

// Returns the number of the baseline's next entity after `number`, or MAX_EDICTS.
static int32_t next_held(const snapshot_ring_t *ring, int32_t number) {
    int32_t word = (number + 1) / 64;
    uint64_t left = word < ring->held_words ? ring->has[word] & UINT64_MAX << (number + 1) % 64 : 0;
    while (left == 0 && ++word < ring->held_words) {
        left = ring->has[word];
    }
    return left != 0 ? word * 64 + __builtin_ctzll(left) : MAX_EDICTS;
}

// Moves to the next entity of a slot. *is_own: it is in the slot's list. Returns false at the end.
static bool next_entity(entities_t *at, ring_record_t *record, bool *is_own) {
    const snapshot_ring_t *ring = at->ring;
    const ring_slot_t *s = &ring->slots[at->slot];
    do {
        const ring_record_t *own =
            at->at < s->num_records ? Ring_Record(ring, at->slot, at->at) : NULL;
        const int32_t changed = own ? own->number : MAX_EDICTS;
        const int32_t held = s->is_past ? MAX_EDICTS : next_held(ring, at->number);
        at->number = Q_MinI(changed, held);
        if (at->number >= MAX_EDICTS) {
            return false;
        }
        *is_own = changed <= held;
        at->at += *is_own ? 1 : 0;
        *record = *is_own ? *own : (ring_record_t){Ring_Held(ring, held), held};
    } while (record->state == NO_STATE);
    return true;
}

static void release_list(const snapshot_ring_t *ring, int32_t slot, int32_t first) {
    const int32_t end = ring->slots[slot].num_records;
    for (int32_t n = first; n < end; n++) {
        release(ring, Ring_Record(ring, slot, n)->state);
    }
}

// Empties a slot that is not the baseline.
static void free_slot(snapshot_ring_t *ring, int32_t slot) {
    ring_slot_t *s = &ring->slots[slot];
    release_list(ring, slot, 0);
    ring->num_pinned -= s->num_new;
    s->count = s->num_records = s->num_new = 0;
    ring->ticks[slot] = 0;
    ring->newest = ring->newest == slot ? -1 : ring->newest;
    while (ring->end > 0 && ring->ticks[ring->end - 1] == 0) {
        ring->end--;
    }
}

// Makes a slot past, before its baseline goes.
static void make_past(snapshot_ring_t *ring, int32_t slot) {
    ring_slot_t *s = &ring->slots[slot];
    ring_record_t list[MAX_SNAPSHOT_ENTS + 1];
    entities_t entities = {ring, slot, 0, 0};
    int32_t count = 0;
    bool is_own = false;
    if (s->is_past) {
        return;
    }
    while (next_entity(&entities, &list[count], &is_own)) {
        ASSERT(count < s->count);
        if (!is_own) {
            hold(ring, list[count].state);
        }
        count++;
    }
    release_list(ring, slot, entities.at); // infos
    for (int32_t n = 0; n < count; n++) {
        *Ring_Record(ring, slot, n) = list[n];
    }
    s->num_records = count;
    s->is_past = true;
}

// Drops records of a slot for entities that are gone from the baseline, too, unless slot `base` has
// them again. Returns how many records only `base` has.
static int32_t drop_gone(snapshot_ring_t *ring, int32_t slot, int32_t base) {
    const int32_t end = ring->slots[slot].num_records;
    const int32_t base_end = ring->slots[base].num_records;
    const ring_record_t *own = NULL;
    const ring_record_t *other = base_end > 0 ? Ring_Record(ring, base, 0) : NULL;
    int32_t k = 0, to = 0, both = 0;
    for (int32_t n = 0; n < end; n++) {
        own = Ring_Next(ring, slot, n, own);
        while (k < base_end && other->number < own->number) {
            other = ++k < base_end ? Ring_Next(ring, base, k, other) : other;
        }
        const bool is_both = k < base_end && other->number == own->number;
        both += is_both ? 1 : 0;
        if (!is_both && own->state == NO_STATE && Ring_Held(ring, own->number) == NO_STATE) {
            continue;
        }
        if (to < n) {
            *Ring_Record(ring, slot, to) = *own;
        }
        to++;
    }
    ring->slots[slot].num_records = to;
    return base_end - both;
}

// Makes the list of a slot one of differences from slot `base`, which will be the baseline.
static void rebase(snapshot_ring_t *ring, int32_t slot, int32_t base) {
    int32_t added = drop_gone(ring, slot, base);
    int32_t at = ring->slots[slot].num_records;
    int32_t to = at + added;
    ASSERT(to <= RING_RECORDS);
    ring->slots[slot].num_records = to;
    for (int32_t k = ring->slots[base].num_records; added > 0;) {
        const ring_record_t *own = at > 0 ? Ring_Record(ring, slot, at - 1) : NULL;
        const int32_t number = Ring_Record(ring, base, k - 1)->number;
        if (own && own->number >= number) {
            k -= own->number == number ? 1 : 0;
            at--;
            *Ring_Record(ring, slot, --to) = *own;
        } else {
            const int32_t state = Ring_Held(ring, number);
            hold(ring, state);
            *Ring_Record(ring, slot, --to) = (ring_record_t){state, number};
            k--;
            added--;
        }
    }
}

// Sets a record of the baseline. Takes over the caller's hold on the state.
static void set_held(snapshot_ring_t *ring, int32_t number, int32_t state) {
    const int32_t before = Ring_Held(ring, number);
    const bool is_edict = number < MAX_EDICTS;
    release(ring, before);
    ring->held[number] = state + 1;
    if (!is_edict) {
        const int32_t index = number - MAX_EDICTS;
        ring->stale[index / 64] |= UINT64_C(1) << (index % 64);
    } else if ((before == NO_STATE) != (state == NO_STATE)) {
        ring->has[number / 64] ^= UINT64_C(1) << (number % 64);
        ring->num_held += state == NO_STATE ? -1 : 1;
        ring->held_words = Q_MaxI(ring->held_words, number / 64 + 1);
    }
}

// Empties the baseline.
static void drop_held(snapshot_ring_t *ring) {
    for (int32_t n = next_held(ring, 0); n < MAX_EDICTS; n = next_held(ring, n)) {
        set_held(ring, n, NO_STATE);
    }
    for (int32_t n = MAX_EDICTS; n < RING_NUMBERS; n++) {
        set_held(ring, n, NO_STATE);
    }
    ring->held_words = 0;
}

void Ring_SetBase(snapshot_ring_t *ring, int32_t slot) {
    if (slot == ring->base) {
        return;
    }
    const int64_t tick = slot < 0 ? INT64_MAX : ring->ticks[slot];
    for (int32_t i = 0; i < ring->end; i++) {
        if (ring->ticks[i] == 0 || i == slot) {
            continue;
        }
        if (ring->ticks[i] > tick) {
            rebase(ring, i, slot);
        } else if (ring->own_pool || i == ring->newest) {
            make_past(ring, i);
        } else {
            free_slot(ring, i);
        }
    }
    if (slot < 0) {
        drop_held(ring);
    } else {
        for (int32_t n = 0; n < ring->slots[slot].num_records; n++) {
            const ring_record_t *record = Ring_Record(ring, slot, n);
            set_held(ring, record->number, record->state);
        }
        ring->slots[slot].num_records = 0;
        ASSERT(ring->num_held == ring->slots[slot].count);
    }
    ring->base = slot;
}

// ---- slots ----

void Ring_ClearSlot(snapshot_ring_t *ring, int32_t slot) {
    if (ring->base == slot) {
        Ring_SetBase(ring, -1);
    }
    free_slot(ring, slot);
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
    s->is_past = false;
    ring->num_pinned -= ring->num_new; // of a snapshot that was not stored
    ring->num_new = 0;
    ASSERT(s->count == 0 && s->num_records == 0);
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

void Ring_Append(snapshot_ring_t *ring, int32_t slot, ring_record_t record) {
    ring_slot_t *s = &ring->slots[slot];
    ASSERT(s->num_records < RING_RECORDS);
    *Ring_Record(ring, slot, s->num_records++) = record;
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
    if (*rest == state || Ring_ElapsedMs(ring, state, tick) < ENTITY_EXPECT_MS) {
        return state;
    }
    const bool is_equal = pool->refs[*rest] > 0 &&
                          pool->holds[*rest].settled == pool->holds[state].settled &&
                          pool->states[*rest].state.number == number &&
                          Ring_ElapsedMs(ring, *rest, tick) == ENTITY_EXPECT_MS;
    *rest = is_equal ? *rest : state;
    return *rest;
}

void SnapshotRing_Ack(snapshot_ring_t *ring, int64_t tick) {
    int32_t slot = Ring_FindSlot(ring, tick);
    if (tick == 0) {
        Ring_SetBase(ring, -1);
    } else if (slot >= 0 && tick > SnapshotRing_Base(ring) && !ring->slots[slot].is_past) {
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

// Returns true if the baseline has the state of this version that all rings share for an entity
// that rests.
static bool is_current(const snapshot_ring_t *ring, int32_t number, uint32_t version) {
    const int32_t state = Ring_Held(ring, number);
    return version != 0 && ring->pool->rest[number] == state &&
           ring->pool->holds[state].settled == version;
}

void SnapshotRing_Held(const snapshot_ring_t *ring, const uint32_t *versions, uint64_t *held,
                       uint64_t *current, int32_t num_words) {
    for (int32_t word = 0; word < num_words; word++) {
        held[word] = word < ring->held_words ? ring->has[word] : 0;
        uint64_t left = held[word] & current[word];
        for (current[word] = 0; left != 0; left &= left - 1) {
            const int32_t number = word * 64 + __builtin_ctzll(left);
            current[word] |= is_current(ring, number, versions[number]) ? left & -left : 0;
        }
    }
}

const snapshot_t *SnapshotRing_Find(const snapshot_ring_t *ring, int64_t tick) {
    int32_t slot = Ring_FindSlot(ring, tick);
    return slot < 0 ? NULL : &ring->slots[slot].snapshot;
}

// Returns a state of a slot as its client shows it `later_ms` later. `moved`: space for one that
// moved. Until the next snapshot, an entity that does not stand in this one continues.
static const entity_state_t *expected_state(const snapshot_ring_t *ring, int32_t slot,
                                            int32_t state, int32_t later_ms,
                                            entity_state_t *moved) {
    const entity_state_t *sent = &ring->pool->states[state].state;
    if (!moved || !Entity_IsMoving(sent)) {
        return sent;
    }
    const int32_t elapsed_ms = Ring_ElapsedMs(ring, state, ring->ticks[slot]);
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
    entities_t entities = {ring, Ring_FindSlot(ring, tick), 0, 0};
    ring_record_t record;
    bool is_own = false;
    int32_t count = 0;
    int32_t num_moved = 0;
    for (; entities.slot >= 0 && next_entity(&entities, &record, &is_own); count++) {
        list[count] =
            expected_state(ring, entities.slot, record.state, 0, moved ? &moved[num_moved] : NULL);
        num_moved += moved && list[count] == &moved[num_moved] ? 1 : 0;
    }
    return count;
}

const entity_state_t *SnapshotRing_Record(const snapshot_ring_t *ring, int64_t tick, int32_t number,
                                          entity_state_t *moved) {
    const int32_t slot = Ring_FindSlot(ring, tick);
    const int32_t state = Ring_StateIn(ring, slot, number);
    return state == NO_STATE
               ? NULL
               : expected_state(ring, slot, state, 0, number < MAX_EDICTS ? moved : NULL);
}

const entity_state_t *SnapshotRing_Later(const snapshot_ring_t *ring, int32_t number,
                                         int32_t later_ms, entity_state_t *moved) {
    const int32_t slot = ring->newest;
    const int32_t state = Ring_StateIn(ring, slot, number);
    ASSERT(later_ms >= 0 && later_ms <= ENTITY_EXPECT_MS);
    return state == NO_STATE ? NULL : expected_state(ring, slot, state, later_ms, moved);
}

const snapshot_events_t *SnapshotRing_Events(const snapshot_ring_t *ring) {
    return &ring->events;
}
