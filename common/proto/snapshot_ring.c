#include "proto/snapshot_ring.h"

#include "base/assert.h"
#include "proto/ring_local.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(SNAPSHOT_BACKUP <= UINT8_MAX, "refs counts slots in a uint8_t");

snapshot_ring_t *SnapshotRing_Create(int32_t snapshots, int32_t states) {
    ASSERT(snapshots >= 3 && snapshots <= SNAPSHOT_BACKUP);
    ASSERT(states >= 3 * MAX_SNAPSHOT_RECORDS && states <= UINT16_MAX + 1);
    size_t num_states = (size_t)states;
    size_t slots_bytes = (size_t)snapshots * sizeof(ring_slot_t);
    size_t states_bytes = num_states * sizeof(ring_state_t);
    size_t records_bytes = (size_t)snapshots * MAX_SNAPSHOT_RECORDS * sizeof(ring_record_t);
    size_t unused_bytes = num_states * sizeof(uint16_t);
    _Static_assert(sizeof(snapshot_ring_t) % 8 == 0 && sizeof(ring_slot_t) % 8 == 0, "aligned");
    uint8_t *block =
        calloc(1, sizeof(snapshot_ring_t) + slots_bytes + states_bytes + records_bytes +
                      unused_bytes + num_states + _Alignof(ring_state_t));
    if (!block) {
        return NULL;
    }
    snapshot_ring_t *ring = (snapshot_ring_t *)(void *)block;
    block += sizeof *ring;
    ring->slots = (ring_slot_t *)(void *)block;
    block += slots_bytes;
    block += -(uintptr_t)block % _Alignof(ring_state_t);
    ring->states = (ring_state_t *)(void *)block;
    block += states_bytes;
    for (int32_t i = 0; i < snapshots; i++) {
        ring->slots[i].records = (ring_record_t *)(void *)block + (size_t)i * MAX_SNAPSHOT_RECORDS;
    }
    block += records_bytes;
    ring->unused = (uint16_t *)(void *)block;
    ring->refs = block + unused_bytes;
    ring->num_slots = snapshots;
    ring->num_states = states;
    SnapshotRing_Reset(ring, 0, TICKS_MIN_RATE_MHZ, NULL);
    return ring;
}

void SnapshotRing_Destroy(snapshot_ring_t *ring) {
    free(ring);
}

void SnapshotRing_Reset(snapshot_ring_t *ring, uint32_t epoch, int32_t rate_mhz,
                        const field_schema_t *schema) {
    static const field_schema_t no_fields;
    ASSERT(rate_mhz >= TICKS_MIN_RATE_MHZ && rate_mhz <= TICKS_MAX_RATE_MHZ);
    ring->epoch = epoch;
    ring->schema = schema ? schema : &no_fields;
    ring->rate_mhz = rate_mhz;
    ring->base = -1;
    ring->newest = -1;
    ring->num_deferred = 0;
    ring->events.count = 0;
    for (int32_t i = 0; i < ring->num_slots; i++) {
        ring->ticks[i] = 0;
        ring->slots[i].count = ring->slots[i].num_entities = 0;
    }
    for (int32_t i = 0; i < ring->num_states; i++) {
        ring->unused[i] = (uint16_t)(ring->num_states - 1 - i);
        ring->refs[i] = 0;
    }
    ring->num_unused = ring->num_states;
}

int32_t Ring_FindSlot(const snapshot_ring_t *ring, int64_t tick) {
    for (int32_t i = 0; i < ring->num_slots && tick > 0; i++) {
        if (ring->ticks[i] == tick) {
            return i;
        }
    }
    return -1;
}

void Ring_ClearSlot(snapshot_ring_t *ring, int32_t slot) {
    ring_slot_t *s = &ring->slots[slot];
    for (int32_t i = 0; i < s->count; i++) {
        uint16_t state = s->records[i].state;
        ASSERT(ring->refs[state] > 0);
        if (--ring->refs[state] == 0) {
            ring->unused[ring->num_unused++] = state;
        }
    }
    s->count = s->num_entities = 0;
    ring->ticks[slot] = 0;
    ring->base = ring->base == slot ? -1 : ring->base;
    ring->newest = ring->newest == slot ? -1 : ring->newest;
}

// Returns the oldest slot except `keep` and the newest; -1 = none.
static int32_t oldest_slot(const snapshot_ring_t *ring, int32_t keep) {
    int32_t oldest = -1;
    for (int32_t i = 0; i < ring->num_slots; i++) {
        int64_t tick = ring->ticks[i];
        if (i != keep && i != ring->newest && tick > 0 &&
            (oldest < 0 || tick < ring->ticks[oldest])) {
            oldest = i;
        }
    }
    return oldest;
}

int32_t Ring_NewSlot(snapshot_ring_t *ring, int32_t keep) {
    for (int32_t i = 0; i < ring->num_slots; i++) {
        if (ring->ticks[i] == 0) {
            ASSERT(ring->slots[i].count == 0);
            return i;
        }
    }
    int32_t slot = oldest_slot(ring, keep);
    ASSERT(slot >= 0); // a ring has at least three slots
    Ring_ClearSlot(ring, slot);
    return slot;
}

void Ring_Store(snapshot_ring_t *ring, int32_t slot, const snapshot_t *snapshot) {
    ring->slots[slot].snapshot = *snapshot;
    ring->ticks[slot] = snapshot->tick;
    ring->newest = slot;
}

int32_t Ring_NewState(snapshot_ring_t *ring, int32_t keep, int64_t tick,
                      const entity_state_t *state) {
    while (ring->num_unused == 0) {
        int32_t slot = oldest_slot(ring, keep);
        if (slot < 0) {
            return NO_STATE;
        }
        Ring_ClearSlot(ring, slot);
    }
    int32_t index = ring->unused[--ring->num_unused];
    if (ring->num_unused >= RING_PREFETCH) {
        Ring_Prefetch(ring, ring->unused[ring->num_unused - RING_PREFETCH]);
    }
    ring->states[index].tick = tick;
    Entity_Copy(&ring->states[index].state, state);
    return index;
}

void Ring_Append(snapshot_ring_t *ring, int32_t slot, int32_t number, int32_t state,
                 uint32_t mark) {
    ring_slot_t *s = &ring->slots[slot];
    ASSERT(Ring_HasSpace(ring, slot, number));
    s->records[s->count++] =
        (ring_record_t){(uint16_t)state, (uint16_t)(number % MAX_EDICTS), mark};
    s->num_entities += number < MAX_EDICTS ? 1 : 0;
    ring->refs[state]++;
}

void Ring_DropBefore(snapshot_ring_t *ring, int64_t tick) {
    for (int32_t i = 0; i < ring->num_slots; i++) {
        if (ring->ticks[i] > 0 && ring->ticks[i] < tick) {
            Ring_ClearSlot(ring, i);
        }
    }
}

void SnapshotRing_Ack(snapshot_ring_t *ring, int64_t tick) {
    if (tick == 0) {
        ring->base = -1;
        return;
    }
    int32_t slot = Ring_FindSlot(ring, tick);
    if (slot < 0 || tick <= SnapshotRing_Base(ring)) {
        return;
    }
    ring->base = slot;
    Ring_DropBefore(ring, tick);
}

int64_t SnapshotRing_Base(const snapshot_ring_t *ring) {
    return ring->base < 0 ? 0 : ring->slots[ring->base].snapshot.tick;
}

int64_t SnapshotRing_Newest(const snapshot_ring_t *ring) {
    return ring->newest < 0 ? 0 : ring->slots[ring->newest].snapshot.tick;
}

const snapshot_t *SnapshotRing_Find(const snapshot_ring_t *ring, int64_t tick) {
    int32_t slot = Ring_FindSlot(ring, tick);
    return slot < 0 ? NULL : &ring->slots[slot].snapshot;
}

// Returns the state n of a slot as its client shows it. `carried`: space for a moved one.
static const entity_state_t *expected_state(const snapshot_ring_t *ring, int32_t slot, int32_t n,
                                            entity_state_t *carried) {
    const entity_state_t *sent = Ring_State(ring, slot, n);
    if (!carried || !Entity_IsCarried(sent)) {
        return sent;
    }
    const int32_t elapsed_ms =
        Ring_ElapsedMs(ring, ring->slots[slot].records[n].state, ring->ticks[slot]);
    if (elapsed_ms == 0) {
        return sent;
    }
    *carried = *sent;
    Entity_ExpectedOrigin(sent, sent->velocity, elapsed_ms, carried->origin);
    return carried;
}

int32_t SnapshotRing_Entities(const snapshot_ring_t *ring, int64_t tick,
                              const entity_state_t *list[MAX_SNAPSHOT_ENTS],
                              entity_state_t carried[MAX_SNAPSHOT_ENTS]) {
    int32_t slot = Ring_FindSlot(ring, tick);
    int32_t count = slot < 0 ? 0 : ring->slots[slot].num_entities;
    int32_t num_carried = 0;
    for (int32_t i = 0; i < count; i++) {
        list[i] = expected_state(ring, slot, i, carried ? &carried[num_carried] : NULL);
        num_carried += list[i] != Ring_State(ring, slot, i) ? 1 : 0;
    }
    return count;
}

const entity_state_t *SnapshotRing_Record(const snapshot_ring_t *ring, int64_t tick, int32_t number,
                                          entity_state_t *carried) {
    int32_t slot = Ring_FindSlot(ring, tick);
    int32_t lo = 0;
    int32_t hi = slot < 0 ? 0 : ring->slots[slot].count;
    while (lo < hi) {
        int32_t middle = (lo + hi) / 2;
        int32_t found = Ring_Number(&ring->slots[slot], middle);
        if (found == number) {
            return expected_state(ring, slot, middle, carried);
        }
        *(found < number ? &lo : &hi) = middle + (found < number ? 1 : 0);
    }
    return NULL;
}

const snapshot_events_t *SnapshotRing_Events(const snapshot_ring_t *ring) {
    return &ring->events;
}

int32_t SnapshotRing_DeferredAge(const snapshot_ring_t *ring, int32_t number) {
    int32_t lo = 0;
    int32_t hi = ring->num_deferred;
    while (lo < hi) {
        int32_t middle = (lo + hi) / 2;
        if (ring->deferred[middle].number < number) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    bool found = lo < ring->num_deferred && ring->deferred[lo].number == number;
    return found ? ring->deferred[lo].age : 0;
}
