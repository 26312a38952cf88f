#include "base/assert.h"
#include "proto/entity_fields.h"
#include "proto/snapshot_codec.h"
#include "proto/snapshot_wire.h"

#define MAX_ITEMS      (2 * MAX_SNAPSHOT_ENTS) // what he holds and what he sees
#define MAX_STATE_BITS 3300                    // of one entity's fields
#define DEFERRED_BITS  21                      // to say how many of MAX_ITEMS were put off

typedef enum { ITEM_SAME, ITEM_SENT, ITEM_DEFERRED } item_fate_t;

// An edict that the client holds (held >= 0), sees now (place >= 0), or both.
typedef struct {
    int32_t number;
    int32_t held;  // index in the baseline's entities
    int32_t place; // index in the list given, in order of importance
    item_fate_t fate;
    int32_t state;  // of the ring, when sent
    size_t bit;     // where its fields lie in the scratch
    int32_t length; // in bits
} item_t;

// All that one call works with.
typedef struct {
    snapshot_ring_t *ring;
    const ring_slot_t *base; // NULL = from zero
    const entity_state_t *const *entities;
    snapshot_stats_t *stats;
    int32_t elapsed_ms;
    int32_t num_items;
    int32_t num_held;                   // the client will hold
    int32_t num_sent;                   // records
    int32_t bits_left;                  // for records
    entity_state_t zero;                // what a new one is coded against
    msg_writer_t scratch;               // fields of what is sent, in order of importance
    item_t items[MAX_ITEMS];            // sorted by number
    int16_t item_of[MAX_SNAPSHOT_ENTS]; // by place
    uint64_t sent[MAX_ITEMS / 64];      // a bit per item
    uint8_t scratch_data[MAX_MESSAGE_BYTES + MAX_STATE_BITS / 8];
} job_t;

_Static_assert(MAX_ITEMS - 1 <= SNAP_MAX_RECORDS, "every record can be counted");

// Sorts by number in two passes over its bytes; `keys` are number << 16 | place.
static void sort_keys(uint32_t *keys, uint32_t *spare, int32_t count) {
    for (int32_t shift = 16; shift <= 24; shift += 8) {
        int32_t starts[257] = {0};
        for (int32_t i = 0; i < count; i++) {
            starts[((keys[i] >> shift) & 0xff) + 1]++;
        }
        for (int32_t i = 0; i < 256; i++) {
            starts[i + 1] += starts[i];
        }
        for (int32_t i = 0; i < count; i++) {
            spare[starts[(keys[i] >> shift) & 0xff]++] = keys[i];
        }
        uint32_t *swap = keys;
        keys = spare;
        spare = swap;
    }
}

// Merges what the client holds with what he sees now into items sorted by number.
static void list_items(job_t *job, int32_t count) {
    uint32_t keys[MAX_SNAPSHOT_ENTS];
    uint32_t spare[MAX_SNAPSHOT_ENTS];
    for (int32_t i = 0; i < count; i++) {
        int32_t number = job->entities[i]->number;
        ASSERT(number >= 1 && number < MAX_EDICTS);
        keys[i] = (uint32_t)number << 16 | (uint32_t)i;
    }
    sort_keys(keys, spare, count);
    int32_t num_base = job->base ? job->base->count : 0;
    int32_t held = 0;
    int32_t seen = 0;
    while (held < num_base || seen < count) {
        int32_t held_number =
            held < num_base ? job->ring->states[job->base->states[held]].number : MAX_EDICTS;
        int32_t seen_number = seen < count ? (int32_t)(keys[seen] >> 16) : MAX_EDICTS;
        ASSERT(seen == 0 || seen == count || keys[seen] >> 16 != keys[seen - 1] >> 16);
        item_t *item = &job->items[job->num_items];
        *item = (item_t){.number = Q_MinI(held_number, seen_number), .held = -1, .place = -1};
        if (held_number == item->number) {
            item->held = held++;
        }
        if (seen_number == item->number) {
            item->place = (int32_t)(keys[seen++] & 0xffff);
            job->item_of[item->place] = (int16_t)job->num_items;
        }
        job->num_items++;
    }
}

// The state that the client holds of an item; NULL when he does not.
static const entity_state_t *held_state(const job_t *job, const item_t *item) {
    if (item->held < 0) {
        return NULL;
    }
    ASSERT(job->base);
    return &job->ring->states[job->base->states[item->held]];
}

// Bits of MSG_WriteVar of the gap between two numbers, SNAP_GAP_K being 0.
static int32_t gap_bits(int32_t from_number, int32_t to_number) {
    return 2 * (31 - __builtin_clz((uint32_t)(to_number - from_number))) + 1;
}

// The nearest item before `index` that is sent, -1 = none.
static int32_t sent_before(const job_t *job, int32_t index) {
    int32_t word = index / 64;
    uint64_t bits = job->sent[word] & ((UINT64_C(1) << (index % 64)) - 1);
    while (bits == 0 && word > 0) {
        bits = job->sent[--word];
    }
    return bits == 0 ? -1 : word * 64 + 63 - __builtin_clzll(bits);
}

// The nearest item after `index` (itself not sent) that is sent, -1 = none.
static int32_t sent_after(const job_t *job, int32_t index) {
    int32_t word = index / 64;
    uint64_t bits = job->sent[word] & ~((UINT64_C(1) << (index % 64)) - 1);
    while (bits == 0 && word < (int32_t)COUNTOF(job->sent) - 1) {
        bits = job->sent[++word];
    }
    return bits == 0 ? -1 : word * 64 + __builtin_ctzll(bits);
}

// How many bits the gaps grow by when an item is sent among those that are already.
static int32_t added_gap_bits(const job_t *job, int32_t index) {
    int32_t before = sent_before(job, index);
    int32_t after = sent_after(job, index);
    int32_t from = before < 0 ? 0 : job->items[before].number;
    int32_t number = job->items[index].number;
    if (after < 0) {
        return gap_bits(from, number);
    }
    int32_t to = job->items[after].number;
    return gap_bits(from, number) + gap_bits(number, to) - gap_bits(from, to);
}

// Tries to send an item: its gap, its bit "gone" when the client holds it, its fields (`to`, NULL
// when it is gone). What does not fit is put off.
static void try_item(job_t *job, int32_t index, const entity_state_t *to) {
    item_t *item = &job->items[index];
    const entity_state_t *held = held_state(job, item);
    job->zero.number = item->number;
    msg_writer_t mark = job->scratch;
    item->bit = MSG_BitsWritten(&job->scratch);
    if (to) {
        Entity_Write(&job->scratch, held ? held : &job->zero, to, job->elapsed_ms);
    }
    item->length = (int32_t)(MSG_BitsWritten(&job->scratch) - item->bit);
    int32_t bits = added_gap_bits(job, index) + (held ? 1 : 0) + item->length;
    bool is_new = !held;
    if (bits > job->bits_left || (is_new && job->num_held == MAX_SNAPSHOT_ENTS) ||
        job->num_sent == SNAP_MAX_RECORDS) {
        job->scratch = mark;
        item->fate = ITEM_DEFERRED;
        job->stats->num_deferred++;
        return;
    }
    ASSERT(!job->scratch.overflowed);
    if (to) {
        int32_t keep = job->base ? (int32_t)(job->base - job->ring->slots) : -1;
        item->state = Ring_NewState(job->ring, keep, to);
        ASSERT(item->state != NO_STATE); // a ring holds three full snapshots
    }
    item->fate = ITEM_SENT;
    job->sent[index / 64] |= UINT64_C(1) << (index % 64);
    job->bits_left -= bits;
    job->num_sent++;
    job->num_held += (is_new ? 1 : 0) - (to ? 0 : 1);
}

// What is gone first, it costs little and makes room; then the rest in order of importance.
static void choose_items(job_t *job, int32_t count) {
    for (int32_t i = 0; i < job->num_items; i++) {
        if (job->items[i].place < 0) {
            try_item(job, i, NULL);
        }
    }
    for (int32_t place = 0; place < count; place++) {
        const item_t *item = &job->items[job->item_of[place]];
        const entity_state_t *held = held_state(job, item);
        if (held && Entity_Equal(held, job->entities[place])) {
            continue;
        }
        try_item(job, job->item_of[place], job->entities[place]);
    }
}

static void copy_bits(msg_writer_t *msg, const msg_writer_t *scratch, size_t bit, int32_t length) {
    msg_reader_t in = MSG_Reader(scratch->data, scratch->used);
    in.bit = bit;
    while (length > 0) {
        int32_t bits = Q_MinI(length, 32);
        MSG_WriteBits(msg, MSG_ReadBits(&in, bits), bits);
        length -= bits;
    }
    ASSERT(!in.failed);
}

static void write_records(msg_writer_t *msg, job_t *job) {
    int32_t number = 0;
    (void)MSG_Finish(&job->scratch);
    MSG_WriteBits(msg, (uint32_t)job->num_sent, SNAP_RECORD_BITS);
    for (int32_t i = 0; i < job->num_items; i++) {
        const item_t *item = &job->items[i];
        if (item->fate != ITEM_SENT) {
            continue;
        }
        MSG_WriteVar(msg, (uint32_t)(item->number - number - 1), SNAP_GAP_K);
        number = item->number;
        if (item->held >= 0) {
            MSG_WriteBool(msg, item->place < 0);
        }
        copy_bits(msg, &job->scratch, item->bit, item->length);
    }
    MSG_WriteVar(msg, (uint32_t)job->stats->num_deferred, SNAP_DEFERRED_K);
}

// Puts what the client will hold into the ring.
static void store(job_t *job, const snapshot_t *now) {
    snapshot_ring_t *ring = job->ring;
    int32_t keep = job->base ? (int32_t)(job->base - ring->slots) : -1;
    int32_t slot = Ring_NewSlot(ring, keep);
    for (int32_t i = 0; i < job->num_items; i++) {
        const item_t *item = &job->items[i];
        if (item->fate == ITEM_SENT && item->place >= 0) {
            Ring_Append(ring, slot, item->state);
        } else if (item->fate != ITEM_SENT && item->held >= 0) {
            ASSERT(job->base);
            Ring_Append(ring, slot, job->base->states[item->held]);
        }
    }
    ASSERT(ring->slots[slot].count == job->num_held);
    ring->slots[slot].snapshot = *now;
    ring->slots[slot].snapshot.num_deferred = job->stats->num_deferred;
    ring->newest = slot;
}

// Counts on for how long each edict has been put off.
static void age_deferred(job_t *job) {
    snapshot_ring_t *ring = job->ring;
    ring_deferred_t now[MAX_ITEMS];
    int32_t count = 0;
    for (int32_t i = 0; i < job->num_items; i++) {
        if (job->items[i].fate == ITEM_DEFERRED) {
            int32_t number = job->items[i].number;
            int32_t age = Q_MinI(SnapshotRing_DeferredAge(ring, number), INT32_MAX - 1) + 1;
            now[count++] = (ring_deferred_t){number, age};
        }
    }
    for (int32_t i = 0; i < count; i++) {
        ring->deferred[i] = now[i];
    }
    ring->num_deferred = count;
}

// What the wire can say of `now`: the owner must never refuse it.
static snapshot_t wire_snapshot(const snapshot_t *now, const snapshot_t *base, bool *clamped) {
    snapshot_t wire = *now;
    int64_t lag = now->tick - now->cmd_tick;
    lag = lag < 0 ? 0 : lag > SNAP_MAX_LAG ? SNAP_MAX_LAG : lag;
    wire.cmd_tick = lag > now->tick ? 0 : now->tick - lag;
    wire.cmd_ran_ms = Q_ClampI(now->cmd_ran_ms, 0, MAX_RAN_MS);
    wire.cmd_queued_ms = Q_ClampI(now->cmd_queued_ms, 0, MAX_RAN_MS);
    *clamped = wire.cmd_tick != now->cmd_tick || wire.cmd_ran_ms != now->cmd_ran_ms ||
               wire.cmd_queued_ms != now->cmd_queued_ms;
    if (!Player_IsValid(&now->player)) {
        wire.player = base->player;
        *clamped = true;
    }
    return wire;
}

static void write_header(msg_writer_t *msg, const snapshot_ring_t *ring, const snapshot_t *base,
                         const snapshot_t *now) {
    MSG_WriteBits(msg, ring->epoch & 0xff, SNAP_EPOCH_BITS);
    MSG_WriteTick(msg, now->tick);
    MSG_WriteVar(msg, base->tick > 0 ? (uint32_t)(now->tick - base->tick) : 0, SNAP_BASE_K);
    MSG_WriteVar(msg, (uint32_t)(now->tick - now->cmd_tick), SNAP_CMD_K);
    MSG_WriteSigned(msg, now->cmd_ran_ms - ring->tick_ms, SNAP_RAN_K);
    MSG_WriteVar(msg, (uint32_t)now->cmd_queued_ms, SNAP_QUEUED_K);
    bool counted = now->filled_ms != base->filled_ms || now->dropped_cmds != base->dropped_cmds;
    MSG_WriteBool(msg, counted);
    if (counted) {
        MSG_WriteVar(msg, now->filled_ms - base->filled_ms, SNAP_COUNTER_K);
        MSG_WriteVar(msg, now->dropped_cmds - base->dropped_cmds, SNAP_COUNTER_K);
    }
    Player_Write(msg, &base->player, &now->player);
}

void Snapshot_Write(msg_writer_t *msg, snapshot_ring_t *ring, const snapshot_t *now,
                    const entity_state_t *const *entities, int32_t count, snapshot_stats_t *stats) {
    ASSERT(msg->size >= SNAPSHOT_MIN_BYTES && msg->size <= MAX_MESSAGE_BYTES);
    ASSERT(now->tick > SnapshotRing_Newest(ring) && now->tick <= MSG_MAX_TICK && count >= 0);
    job_t job; // about 50 KiB; only what is used gets written
    job.ring = ring;
    job.base = ring->base >= 0 ? &ring->slots[ring->base] : NULL;
    if (job.base && now->tick - job.base->snapshot.tick > SNAP_MAX_LAG) {
        job.base = NULL;
    }
    job.entities = entities;
    job.stats = stats;
    const snapshot_t base = job.base ? job.base->snapshot : Snap_Zero();
    *stats = (snapshot_stats_t){.base_tick = base.tick};
    stats->num_over = Q_MaxI(count - MAX_SNAPSHOT_ENTS, 0);
    int32_t kept = count - stats->num_over;

    bool clamped = false;
    snapshot_t wire = wire_snapshot(now, &base, &clamped);
    stats->num_clamped = clamped ? 1 : 0;
    write_header(msg, ring, &base, &wire);

    size_t used = MSG_BitsWritten(msg);
    job.bits_left = (int32_t)(msg->size * 8 - used) - SNAP_RECORD_BITS - DEFERRED_BITS;
    ASSERT(job.bits_left >= 0);
    job.elapsed_ms = Snap_ElapsedMs(ring, base.tick, now->tick);
    job.num_items = 0;
    job.num_held = job.base ? job.base->count : 0;
    job.num_sent = 0;
    job.zero = (entity_state_t){0};
    job.scratch = MSG_Writer(job.scratch_data, sizeof job.scratch_data);
    for (size_t i = 0; i < COUNTOF(job.sent); i++) {
        job.sent[i] = 0;
    }
    list_items(&job, kept);
    choose_items(&job, kept);
    write_records(msg, &job);
    ASSERT(!msg->overflowed);
    store(&job, &wire);
    age_deferred(&job);
    stats->num_written = job.num_sent;
    stats->num_entities = job.num_held;
}
