#include "base/assert.h"
#include "proto/snapshot_codec.h"
#include "proto/snapshot_wire.h"

#define MAX_ITEMS       SNAP_MAX_RECORDS // records of the baseline, and of the caller's lists
#define MAX_STATE_BITS  5400             // upper bound of one record's fields, bits
#define COUNT_BITS      61               // upper bound of the three counts of records, bits
#define PLACE_BITS      11               // for the place of a record in the caller's lists
#define MAX_INFO_MISSES 4                // info records that did not fit, until no other is tried

// A record of the client (held >= 0), of the caller's lists (place >= 0), or both.
typedef struct {
    int32_t number;
    int32_t held;  // index in the baseline's records, -1 = none
    int32_t place; // index in the caller's lists, -1 = none
    item_fate_t fate;
    int32_t state;  // index in the ring, if the item is sent
    size_t bit;     // offset of the item's fields in `scratch`
    int32_t length; // length of the item's fields, bits
} item_t;

typedef struct {
    snapshot_ring_t *ring;
    const ring_slot_t *base; // slot of the baseline, NULL = none
    const snapshot_parts_t *parts;
    snapshot_stats_t *stats;
    int32_t num_seen; // entities of the caller that may be sent
    int32_t num_items;
    int32_t first_info;                    // first item that is an info record
    int32_t num_held;                      // entities that the client has after this snapshot
    int32_t num_sent[2];                   // entities and info records in the packet
    int32_t bits_left;                     // bits left in the packet for records
    msg_writer_t scratch;                  // coded fields in order of importance
    item_t items[MAX_ITEMS];               // sorted by number
    int16_t item_of[MAX_SNAPSHOT_RECORDS]; // index in `items` of the caller's records
    uint64_t sent[(MAX_ITEMS + 63) / 64];  // bit i is set if items[i] is sent
    uint8_t scratch_data[MAX_MESSAGE_BYTES + MAX_STATE_BITS / 8];
} job_t;

_Static_assert(MAX_SNAPSHOT_RECORDS <= 1 << PLACE_BITS && RECORD_WORLD < 1 << (31 - PLACE_BITS),
               "number and place must fit into a key");

// Returns a record of the caller: entities, then info records.
static const entity_state_t *seen_state(const job_t *job, int32_t place) {
    return place < job->num_seen ? job->parts->entities[place]
                                 : job->parts->infos[place - job->num_seen];
}

// Sorts keys of entities (number << PLACE_BITS | place): a radix sort.
static void sort_keys(uint32_t *keys, uint32_t *spare, int32_t count) {
    for (int32_t shift = PLACE_BITS; shift <= PLACE_BITS + 8; shift += 8) {
        int32_t starts[257];
        uint32_t last = 0; // numbers are small in most worlds
        for (int32_t i = 0; i < count; i++) {
            const uint32_t digit = (keys[i] >> shift) & 0xff;
            last = digit > last ? digit : last;
        }
        for (uint32_t i = 0; i <= last + 1; i++) {
            starts[i] = 0;
        }
        for (int32_t i = 0; i < count; i++) {
            starts[((keys[i] >> shift) & 0xff) + 1]++;
        }
        for (uint32_t i = 0; i < last; i++) {
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

// Writes the keys of the caller's records, sorted. Returns their number.
static int32_t list_keys(const job_t *job, uint32_t keys[MAX_SNAPSHOT_RECORDS]) {
    uint32_t spare[MAX_SNAPSHOT_ENTS];
    int32_t count = job->num_seen;
    for (int32_t i = 0; i < count; i++) {
        int32_t number = job->parts->entities[i]->number;
        ASSERT(number >= 1 && number < MAX_EDICTS);
        keys[i] = (uint32_t)number << PLACE_BITS | (uint32_t)i;
    }
    if (!job->parts->order) {
        sort_keys(keys, spare, count);
    }
    for (int32_t i = 0; i < job->parts->num_infos; i++) {
        const entity_state_t *info = job->parts->infos[i];
        ASSERT(info->number >= MAX_EDICTS && info->number <= RECORD_WORLD);
        if (info->field_mask != 0) {
            keys[count++] = (uint32_t)info->number << PLACE_BITS | (uint32_t)(job->num_seen + i);
        }
    }
    return count;
}

// Merges baseline and caller's lists into items, by number.
static void list_items(job_t *job) {
    uint32_t keys[MAX_SNAPSHOT_RECORDS];
    int32_t count = list_keys(job, keys);
    int32_t num_base = job->base ? job->base->count : 0;
    int32_t held = 0;
    int32_t seen = 0;
    while (held < num_base || seen < count) {
        int32_t held_number = held < num_base ? Ring_Number(job->base, held) : INT32_MAX;
        int32_t seen_number = seen < count ? (int32_t)(keys[seen] >> PLACE_BITS) : INT32_MAX;
        ASSERT(seen == 0 || seen == count ||
               keys[seen] >> PLACE_BITS > keys[seen - 1] >> PLACE_BITS);
        item_t *item = &job->items[job->num_items];
        *item = (item_t){.number = Q_MinI(held_number, seen_number), .held = -1, .place = -1};
        if (held_number == item->number) {
            item->held = held++;
        }
        if (seen_number == item->number) {
            item->place = (int32_t)(keys[seen++] & ((1u << PLACE_BITS) - 1));
            job->item_of[item->place] = (int16_t)job->num_items;
        }
        job->num_items++;
        job->first_info += item->number < MAX_EDICTS ? 1 : 0;
    }
    for (int32_t i = 0; i < (job->num_items + 63) / 64; i++) {
        job->sent[i] = 0;
    }
}

// Returns the index of the baseline's state of an item, or NO_STATE.
static int32_t held_state(const job_t *job, const item_t *item) {
    if (item->held < 0) {
        return NO_STATE;
    }
    ASSERT(job->base);
    return job->base->records[item->held].state;
}

// Returns the bits of a coded gap between two numbers.
static int32_t gap_bits(int32_t from_number, int32_t to_number) {
    return 2 * (31 - __builtin_clz((uint32_t)(to_number - from_number))) + 1;
}

// Returns the number before the first record of a list.
static int32_t first_gap_from(bool is_info) {
    return is_info ? MAX_EDICTS - 1 : 0;
}

// Returns the last sent item before `index`, or -1.
static int32_t sent_before(const job_t *job, int32_t index) {
    int32_t word = index / 64;
    uint64_t bits = job->sent[word] & ((UINT64_C(1) << (index % 64)) - 1);
    while (bits == 0 && word > 0) {
        bits = job->sent[--word];
    }
    return bits == 0 ? -1 : word * 64 + 63 - __builtin_clzll(bits);
}

// Returns the first sent item after `index`, or -1.
static int32_t sent_after(const job_t *job, int32_t index) {
    int32_t word = index / 64;
    uint64_t bits = job->sent[word] & ~((UINT64_C(1) << (index % 64)) - 1);
    while (bits == 0 && word < (job->num_items - 1) / 64) {
        bits = job->sent[++word];
    }
    return bits == 0 ? -1 : word * 64 + __builtin_ctzll(bits);
}

// Returns the extra bits of gaps if this item is sent too.
static int32_t added_gap_bits(const job_t *job, int32_t index) {
    bool is_info = index >= job->first_info;
    int32_t before = sent_before(job, index);
    int32_t after = sent_after(job, index);
    int32_t number = job->items[index].number;
    int32_t from = before < (is_info ? job->first_info : 0) ? first_gap_from(is_info)
                                                            : job->items[before].number;
    if (after < 0 || (!is_info && after >= job->first_info)) {
        return gap_bits(from, number);
    }
    int32_t to = job->items[after].number;
    return gap_bits(from, number) + gap_bits(number, to) - gap_bits(from, to);
}

// Writes the change of a record. `held`: index of the baseline's state; NO_STATE = none. Returns
// false if the client expects the new state.
static bool write_fields(job_t *job, int32_t held, const entity_state_t *to) {
    snapshot_ring_t *ring = job->ring;
    const entity_state_t *from = held == NO_STATE ? &ring->zero : &ring->states[held].state;
    const sent_fields_t *fields = &ring->schema->scopes[Fields_Scope(to->number)];
    ring->zero.number = to->number;
    if (to->number >= MAX_EDICTS) {
        Fields_Write(&job->scratch, fields, from, to);
        return held == NO_STATE || !Entity_Equal(from, to);
    }
    const entity_coding_t coding = {
        held == NO_STATE ? 0 : Ring_ElapsedMs(ring, held, job->parts->now->tick), fields};
    return Entity_Write(&job->scratch, from, to, &coding) || held == NO_STATE;
}

// Sends an item if it fits, otherwise defers it. Counts the gap, a bit "gone", and the fields.
// Leaves out a state that the client expects. `to`: new state, NULL = gone. `reserved`: bits to
// leave for others.
static void try_item(job_t *job, int32_t index, const entity_state_t *to, int32_t reserved) {
    item_t *item = &job->items[index];
    const int32_t held = held_state(job, item);
    bool is_info = index >= job->first_info;
    msg_writer_t mark = job->scratch;
    item->bit = MSG_BitsWritten(&job->scratch);
    if (to && !write_fields(job, held, to)) {
        job->scratch = mark;
        return;
    }
    item->length = (int32_t)(MSG_BitsWritten(&job->scratch) - item->bit);
    int32_t bits = added_gap_bits(job, index) + (held != NO_STATE ? 1 : 0) + item->length;
    bool is_new = held == NO_STATE && !is_info;
    if (bits > job->bits_left - reserved || (is_new && job->num_held == MAX_SNAPSHOT_ENTS)) {
        job->scratch = mark;
        item->fate = ITEM_DEFERRED;
        job->stats->num_deferred++;
        return;
    }
    ASSERT(!job->scratch.overflowed);
    if (to) {
        int32_t keep = job->base ? (int32_t)(job->base - job->ring->slots) : -1;
        item->state = Ring_NewState(job->ring, keep, job->parts->now->tick, to);
        ASSERT(item->state != NO_STATE); // a ring has space for three full snapshots
    }
    item->fate = ITEM_SENT;
    job->sent[index / 64] |= UINT64_C(1) << (index % 64);
    job->bits_left -= bits;
    job->num_sent[is_info]++;
    job->num_held += is_info ? 0 : (is_new ? 1 : 0) - (to ? 0 : 1);
}

// Returns the mark of a record of the caller, 0 = unknown.
static uint32_t seen_mark(const job_t *job, int32_t place) {
    const uint32_t *marks = job->parts->info_marks;
    return place >= job->num_seen && marks ? marks[place - job->num_seen] : 0;
}

// Returns true if the marks show that the client holds a record of the caller as it is.
static bool is_unchanged(const job_t *job, int32_t place) {
    const item_t *item = &job->items[job->item_of[place]];
    const uint32_t mark = seen_mark(job, place);
    return mark != 0 && item->held >= 0 && job->base->records[item->held].mark == mark;
}

// Sends a record of the caller if it has changed, and was not sent yet.
static void choose_place(job_t *job, int32_t place, int32_t reserved) {
    const item_t *item = &job->items[job->item_of[place]];
    if (is_unchanged(job, place)) {
        return;
    }
    if (item->fate != ITEM_SENT) {
        job->stats->num_deferred -= item->fate == ITEM_DEFERRED ? 1 : 0;
        try_item(job, job->item_of[place], seen_state(job, place), reserved);
    }
}

// Chooses info records, in turns. The first may use all space. Once some did not fit, defers the
// rest without coding them: a thousand clients have a thousand records.
static void choose_infos(job_t *job, int32_t reserved) {
    const int32_t count = job->parts->num_infos;
    int32_t n = count > 0 ? (int32_t)(job->ring->turn % (uint32_t)count) : 0;
    int32_t misses = 0;
    for (int32_t i = 0; i < count; i++, n = n + 1 < count ? n + 1 : 0) {
        item_t *item = &job->items[job->item_of[job->num_seen + n]];
        if (job->parts->infos[n]->field_mask == 0) {
            continue;
        }
        if (misses < MAX_INFO_MISSES) {
            choose_place(job, job->num_seen + n, i > 0 ? reserved : 0);
            misses += item->fate == ITEM_DEFERRED ? 1 : 0;
        } else if (item->fate != ITEM_SENT && item->fate != ITEM_DEFERRED &&
                   !is_unchanged(job, job->num_seen + n)) {
            item->fate = ITEM_DEFERRED;
            job->stats->num_deferred++;
        }
    }
}

// Returns the place of the n-th entity by importance.
static int32_t place_of(const job_t *job, int32_t n) {
    return job->parts->order ? job->parts->order[n] : n;
}

// Chooses items: first removals, which are short, then info records, then entities by importance,
// then the other info records. The next snapshot begins with the record after those that were sent.
static void choose_items(job_t *job) {
    for (int32_t i = 0; i < job->num_items; i++) {
        if (job->items[i].place < 0) {
            try_item(job, i, NULL, 0);
        }
    }
    choose_infos(job, job->bits_left / 3 * 2);
    for (int32_t n = -RING_PREFETCH; n < job->num_seen; n++) {
        const int32_t next = Q_MinI(n + RING_PREFETCH, job->num_seen - 1);
        const int32_t held = next < 0 ? -1 : job->items[job->item_of[place_of(job, next)]].held;
        if (held >= 0) { // not in a function, whose calls gcc would remove
            Ring_Prefetch(job->ring, job->base->records[held].state);
        }
        if (n >= 0) {
            choose_place(job, place_of(job, n), 0);
        }
    }
    if (job->stats->num_deferred > 0) {
        choose_infos(job, 0);
    }
    job->ring->turn += (uint32_t)Q_MaxI(job->num_sent[1], 1);
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

static void write_records(msg_writer_t *msg, const job_t *job, bool is_info) {
    int32_t number = first_gap_from(is_info);
    int32_t end = is_info ? job->num_items : job->first_info;
    MSG_WriteVar(msg, (uint32_t)job->num_sent[is_info], is_info ? SNAP_INFOS_K : SNAP_ENTITIES_K);
    for (int32_t i = is_info ? job->first_info : 0; i < end; i++) {
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
}

// Stores the snapshot in the ring as the client will have it.
static void store(job_t *job, const snapshot_t *now) {
    snapshot_ring_t *ring = job->ring;
    int32_t keep = job->base ? (int32_t)(job->base - ring->slots) : -1;
    int32_t slot = Ring_NewSlot(ring, keep);
    for (int32_t i = 0; i < job->num_items; i++) {
        const item_t *item = &job->items[i];
        if (item->fate == ITEM_SENT && item->place >= 0) {
            Ring_Append(ring, slot, item->number, item->state, seen_mark(job, item->place));
        } else if (item->fate != ITEM_SENT && item->held >= 0) {
            ASSERT(job->base);
            const ring_record_t *held = &job->base->records[item->held];
            bool is_same = item->fate == ITEM_SAME && item->place >= 0;
            Ring_Append(ring, slot, item->number, held->state,
                        is_same ? seen_mark(job, item->place) : held->mark);
        }
    }
    ASSERT(ring->slots[slot].num_entities == job->num_held);
    Ring_Store(ring, slot, now);
}

// Updates how often in a row each edict was deferred.
static void age_deferred(job_t *job) {
    snapshot_ring_t *ring = job->ring;
    ring_deferred_t now[SNAP_MAX_ENTITIES];
    int32_t count = 0;
    for (int32_t i = 0; i < job->first_info; i++) {
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

// Returns `now`, clamped to what the client accepts.
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

static void begin(job_t *job, snapshot_ring_t *ring, const snapshot_parts_t *parts,
                  snapshot_stats_t *stats) {
    job->ring = ring;
    job->base = ring->base >= 0 ? &ring->slots[ring->base] : NULL;
    if (job->base && parts->now->tick - job->base->snapshot.tick > SNAP_MAX_LAG) {
        job->base = NULL;
    }
    job->parts = parts;
    job->stats = stats;
    job->num_seen = Q_MinI(parts->num_entities, MAX_SNAPSHOT_ENTS);
    job->num_items = 0;
    job->first_info = 0;
    job->num_held = job->base ? job->base->num_entities : 0;
    job->num_sent[0] = job->num_sent[1] = 0;
    job->scratch = MSG_Writer(job->scratch_data, sizeof job->scratch_data);
}

// Writes the events that fit into a third of the message.
static void write_events(msg_writer_t *msg, const snapshot_parts_t *parts, const snapshot_t *wire,
                         snapshot_stats_t *stats) {
    static const snapshot_events_t none;
    const size_t bits = msg->size * 8;
    const size_t first = MSG_BitsWritten(msg);
    const size_t end = first + bits / 3 < bits - COUNT_BITS ? first + bits / 3 : bits - COUNT_BITS;
    stats->num_events = SnapshotEvents_Write(msg, parts->events ? parts->events : &none, wire->tick,
                                             wire->player.origin, end);
    stats->event_bits = (int32_t)(MSG_BitsWritten(msg) - first);
}

void Snapshot_Write(msg_writer_t *msg, snapshot_ring_t *ring, const snapshot_parts_t *parts,
                    snapshot_stats_t *stats) {
    const snapshot_t *now = parts->now;
    ASSERT(msg->size >= SNAPSHOT_MIN_BYTES && msg->size <= MAX_MESSAGE_BYTES);
    ASSERT(now->tick > SnapshotRing_Newest(ring) && now->tick <= MSG_MAX_TICK);
    ASSERT(parts->num_entities >= 0 && parts->num_infos >= 0 &&
           parts->num_infos <= MAX_SNAPSHOT_INFOS);
    job_t job; // about 80 KiB; only the used part is written
    begin(&job, ring, parts, stats);
    const snapshot_t base = job.base ? job.base->snapshot : Snap_Zero();
    *stats =
        (snapshot_stats_t){.base_tick = base.tick, .num_over = parts->num_entities - job.num_seen};
    bool clamped = false;
    snapshot_t wire = wire_snapshot(now, &base, &clamped);
    stats->num_clamped = clamped ? 1 : 0;
    uint32_t epoch = ring->epoch & 0xff;
    uint32_t back = base.tick > 0 ? (uint32_t)(now->tick - base.tick) : 0;
    msg_t out = MSG_Writing(msg);
    Snap_CodeStart(&out, &epoch, &wire.tick, &back);
    Snap_CodeOwner(&out, ring, &base, &wire);
    write_events(msg, parts, &wire, stats);
    job.bits_left = (int32_t)(msg->size * 8 - MSG_BitsWritten(msg)) - COUNT_BITS;
    ASSERT(job.bits_left >= 0);
    list_items(&job);
    choose_items(&job);
    (void)MSG_Finish(&job.scratch);
    write_records(msg, &job, false);
    write_records(msg, &job, true);
    MSG_WriteVar(msg, (uint32_t)stats->num_deferred, SNAP_DEFERRED_K);
    ASSERT(!msg->overflowed);
    wire.num_deferred = stats->num_deferred;
    store(&job, &wire);
    for (int32_t place = 0; parts->fates && place < job.num_seen; place++) {
        parts->fates[place] = (uint8_t)job.items[job.item_of[place]].fate;
    }
    age_deferred(&job);
    stats->num_written = job.num_sent[0] + job.num_sent[1];
    stats->num_entities = job.num_held;
}
