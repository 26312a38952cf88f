#include "base/assert.h"
#include "proto/snapshot_codec.h"
#include "proto/snapshot_wire.h"

#define MAX_ITEMS       SNAP_MAX_RECORDS // records of the baseline, and of the caller's lists
#define MAX_STATE_BITS  5400             // upper bound of one record's fields, bits
#define COUNT_BITS      61               // upper bound of the three counts of records, bits
#define PLACE_BITS      12               // for the place of a record in the caller's lists
#define MAX_MISSES      16               // entities that did not fit, until no other is tried
#define CROWD_PARTS     16               // parts of a crowd's packet; info records use one
#define CROWD_TRIES     48               // info records that a snapshot of a crowd looks at
#define MAX_INFO_TRIES  160              // info records that a snapshot looks at
#define MAX_INFO_MISSES 4                // info records that did not fit, until no other is tried

// A record of the client, of the caller, or both.
typedef struct {
    int32_t number;
    item_fate_t fate;
    int32_t place;            // index in the caller's list, -1 = none
    const entity_state_t *to; // of the caller, NULL = gone
    int32_t from;             // index of the held state in the pool, or NO_STATE
    int32_t state;            // index of the new state, if the item is sent
    bool is_held;             // true: `from` has a hold for the new snapshot
    bool in_pool;             // true: its fields are in the pool's tick; false: in `scratch`
    int32_t bit;              // offset of the item's fields
    int32_t length;           // length of the item's fields, bits
} item_t;

typedef struct {
    snapshot_ring_t *ring;
    const ring_slot_t *base; // slot of the baseline, NULL = none
    int32_t slot;            // slot of the new snapshot
    int32_t turn;            // info record to begin with
    const snapshot_parts_t *parts;
    snapshot_stats_t *stats;
    int32_t num_seen; // entities of the caller that may be sent
    int32_t num_kept; // entities of the baseline that stay without an item
    int32_t num_gone; // items without a new state
    int32_t num_items;
    int32_t first_info;                   // first item that is an info record
    int32_t num_held;                     // entities that the client has after this snapshot
    int32_t num_sent[2];                  // entities and info records in the packet
    int32_t bits_left;                    // bits left in the packet for records
    msg_writer_t scratch;                 // coded fields in order of importance
    item_t items[MAX_ITEMS];              // sorted by number; info records only if they differ
    int16_t item_of[MAX_SNAPSHOT_ENTS];   // index in `items` of the caller's entities
    uint64_t sent[(MAX_ITEMS + 63) / 64]; // bit i is set if items[i] is sent
    uint8_t scratch_data[MAX_MESSAGE_BYTES + MAX_STATE_BITS / 8];
} job_t;

_Static_assert(MAX_SNAPSHOT_ENTS <= 1 << PLACE_BITS && MAX_EDICTS <= 1 << (31 - PLACE_BITS),
               "number and place must fit into a key");

// Notes the places of the caller's entities by number, in the pool.
static void note_places(job_t *job) {
    uint16_t *places = job->ring->pool->places;
    const entity_state_t *const *entities = job->parts->entities;
    for (int32_t place = 0; place < job->num_seen; place++) {
        const int32_t number = entities[place]->number;
        ASSERT(number >= 1 && number < MAX_EDICTS && places[number] == 0); // each once
        places[number] = (uint16_t)(place + 1);
    }
}

// Writes keys of the caller's entities that the baseline lacks, sorted: few, unless the client has
// no baseline. Returns their number.
static int32_t list_new(const job_t *job, uint32_t keys[MAX_SNAPSHOT_ENTS]) {
    uint16_t *places = job->ring->pool->places;
    int32_t count = 0;
    for (int32_t place = 0; place < job->num_seen; place++) {
        const int32_t number = job->parts->entities[place]->number;
        if (places[number] != 0) {
            const uint32_t key = (uint32_t)number << PLACE_BITS | (uint32_t)place;
            int32_t at = count++;
            for (; at > 0 && keys[at - 1] > key; at--) {
                keys[at] = keys[at - 1];
            }
            keys[at] = key;
            places[number] = 0;
        }
    }
    return count;
}

// Returns the index of a state among those that all rings of the pool receive in this tick, or
// num_shared or more if the state is another one.
static uint32_t shared_index(const snapshot_parts_t *parts, const entity_state_t *state) {
    const uintptr_t index = ((uintptr_t)state - (uintptr_t)parts->shared) / sizeof *state;
    return index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
}

// Returns the version of a state, 0 = unknown.
static uint32_t version_of(const job_t *job, const entity_state_t *state) {
    const snapshot_parts_t *parts = job->parts;
    const uint32_t index = shared_index(parts, state);
    return parts->versions && index < (uint32_t)parts->num_shared ? parts->versions[index] : 0;
}

// Returns true if the client's state is known to be as the new one, at any time.
static bool is_settled(const job_t *job, const item_t *item) {
    const uint32_t settled = item->from != NO_STATE ? job->ring->pool->settled[item->from] : 0;
    return settled != 0 && settled == version_of(job, item->to);
}

// Lists the entities of the baseline as items, without those that stay. Returns their number.
static int32_t list_held(job_t *job) {
    uint16_t *places = job->ring->pool->places;
    const uint64_t *kept = job->parts->kept;
    const entity_state_t *const *entities = job->parts->entities;
    const int32_t *numbers = job->ring->pool->numbers;
    const int32_t count = job->base ? job->base->count : 0;
    const ring_record_t *record = NULL;
    int32_t held = 0;
    for (int32_t i = 0; i < count; i++) {
        record = Ring_Next(job->ring, job->ring->base, i, record);
        const int32_t n = numbers[*record];
        const int32_t place = (int32_t)places[n] - 1;
        if (place >= 0) {
            places[n] = 0;
            job->item_of[place] = (int16_t)held;
            job->items[held++] =
                (item_t){n, .place = place, .to = entities[place], .from = *record};
        } else if (!kept || !(kept[n / 64] >> (n % 64) & 1)) {
            job->items[held++] = (item_t){n, .place = -1, .from = *record};
            job->num_gone++;
        }
    }
    job->num_kept = count - held;
    return held;
}

// Merges the entities of baseline and caller into items, by number.
static void list_entities(job_t *job) {
    uint32_t keys[MAX_SNAPSHOT_ENTS];
    note_places(job);
    int32_t held = list_held(job);
    int32_t num_new = held - job->num_gone < job->num_seen ? list_new(job, keys) : 0;
    job->num_items = job->first_info = held + num_new;
    for (int32_t at = job->num_items; num_new > 0;) {
        const int32_t number = (int32_t)(keys[num_new - 1] >> PLACE_BITS);
        if (held > 0 && job->items[held - 1].number > number) {
            job->items[--at] = job->items[--held];
        } else {
            const int32_t place = (int32_t)(keys[--num_new] & ((1u << PLACE_BITS) - 1));
            const entity_state_t *to = job->parts->entities[place];
            job->items[--at] =
                (item_t){.number = number, .place = place, .to = to, .from = NO_STATE};
        }
        if (job->items[at].place >= 0) {
            job->item_of[job->items[at].place] = (int16_t)at;
        }
    }
}

// Notes which info records may differ from the baseline's: those of the caller's list, now or in
// the last snapshot, and those that have changed since.
static void note_stale(job_t *job, uint16_t *places) {
    snapshot_ring_t *ring = job->ring;
    const snapshot_parts_t *parts = job->parts;
    const shared_infos_t *shared = parts->shared_infos;
    // A list after shared records: all may differ.
    const bool is_new_list = !shared && ring->infos_tick >= 0;
    for (int32_t i = 0; (shared || is_new_list) && i < MAX_SNAPSHOT_INFOS; i++) {
        const int32_t index = shared ? shared->recent[i] : i;
        if (shared && shared->ticks[index] <= ring->infos_tick) {
            break;
        }
        Ring_MarkStale(ring, index);
    }
    for (uint32_t words = ring->marked; words != 0; words &= words - 1) {
        info_marks_t *marks = &ring->marks[__builtin_ctz(words)];
        marks->stale |= marks->listed;
        marks->listed = 0;
    }
    for (int32_t i = 0; i < parts->num_infos; i++) {
        const int32_t index = parts->infos[i]->number - MAX_EDICTS;
        ASSERT(index >= 0 && index < MAX_SNAPSHOT_INFOS && places[MAX_EDICTS + index] == 0);
        places[MAX_EDICTS + index] = (uint16_t)(i + 1);
        Ring_MarkStale(ring, index);
        ring->marks[index / 64].listed |= UINT64_C(1) << (index % 64);
    }
    ring->infos_tick = shared ? parts->now->tick : -1;
}

// Returns the info record of this snapshot, or NULL. *place: in the caller's list, -1 = not there.
static const entity_state_t *info_now(const job_t *job, int32_t index, int32_t *place) {
    const snapshot_parts_t *parts = job->parts;
    *place = (int32_t)job->ring->pool->places[MAX_EDICTS + index] - 1;
    const entity_state_t *to = *place >= 0           ? parts->infos[*place]
                               : parts->shared_infos ? parts->shared_infos->list[index]
                                                     : NULL;
    return to && to->field_mask != 0 ? to : NULL;
}

// Clears the marks of the info records that neither the baseline nor this snapshot has.
static void skip_absent(job_t *job) {
    snapshot_ring_t *ring = job->ring;
    int32_t place = -1;
    for (uint32_t words = ring->marked; words != 0; words &= words - 1) {
        const int32_t word = __builtin_ctz(words);
        info_marks_t *marks = &ring->marks[word];
        for (uint64_t left = marks->stale; left != 0; left &= left - 1) {
            const int32_t index = word * 64 + __builtin_ctzll(left);
            if (ring->infos[index] - 1 == NO_STATE && !info_now(job, index, &place)) {
                marks->stale &= ~(left & -left);
            }
        }
        if ((marks->stale | marks->listed) == 0) {
            ring->marked &= ~(words & -words);
        }
    }
}

// Returns the place of a new state in the pool's tick, NO_PLACE = not all rings receive it.
static int32_t place_of(const job_t *job, const entity_state_t *to) {
    const shared_infos_t *infos = job->parts->shared_infos;
    const pool_tick_t *now = job->ring->pool->now;
    if (!now) {
        return NO_PLACE;
    }
    if (to->number >= MAX_EDICTS) {
        const int32_t index = to->number - MAX_EDICTS;
        return infos && infos->list[index] == to ? index : NO_PLACE;
    }
    const uint32_t index = shared_index(job->parts, to);
    const int32_t count = Q_MinI(job->parts->num_shared, now->num_places - MAX_SNAPSHOT_INFOS);
    return index < (uint32_t)count ? MAX_SNAPSHOT_INFOS + (int32_t)index : NO_PLACE;
}

// Returns true if the client already has an info record. If many clients receive the record, the
// pool usually knows without a comparison of all fields.
static bool info_is_same(const job_t *job, int32_t from, const entity_state_t *to) {
    const state_pool_t *pool = job->ring->pool;
    const int32_t place = place_of(job, to);
    const pool_change_t *change = place >= 0 ? StatePool_Change(pool, from, place) : NULL;
    return !change && ((place >= 0 && StatePool_Made(pool, place) == from) ||
                       Entity_Equal(&pool->states[from].state, to));
}

// Appends an item for an info record, if the client must receive it. Otherwise returns false.
static bool list_info(job_t *job, int32_t index) {
    const snapshot_ring_t *ring = job->ring;
    const int32_t from = ring->infos[index] - 1;
    int32_t place = -1;
    const entity_state_t *to = info_now(job, index, &place);
    if (to ? from != NO_STATE && info_is_same(job, from, to) : from == NO_STATE) {
        return false;
    }
    job->num_gone += to ? 0 : 1;
    job->items[job->num_items++] =
        (item_t){.number = MAX_EDICTS + index, .place = place, .to = to, .from = from};
    return true;
}

// Appends items for up to `most` stale records from `from` to before `end`.
static void list_stale(job_t *job, int32_t from, int32_t end, int32_t most) {
    snapshot_ring_t *ring = job->ring;
    int32_t count = 0;
    for (uint32_t words = ring->marked; words != 0 && count < most; words &= words - 1) {
        const int32_t word = __builtin_ctz(words);
        uint64_t *stale = &ring->marks[word].stale;
        uint64_t left = *stale & Ring_BitsWithin(word, from, end);
        for (; left != 0 && count < most; left &= left - 1, count++) {
            if (!list_info(job, word * 64 + __builtin_ctzll(left))) {
                *stale &= ~(left & -left);
            }
        }
    }
}

// Appends items for the info records that differ from the baseline's. If many may differ, only for
// the next MAX_INFO_TRIES in turn: all of a thousand clients would cost more than the entities.
static void list_infos(job_t *job) {
    const snapshot_ring_t *ring = job->ring;
    uint16_t *places = ring->pool->places;
    const int32_t turn = job->turn;
    int32_t stale = 0;
    int32_t above = 0;
    note_stale(job, places);
    skip_absent(job);
    for (uint32_t words = ring->marked; words != 0; words &= words - 1) {
        const int32_t word = __builtin_ctz(words);
        const uint64_t bits = ring->marks[word].stale;
        stale += __builtin_popcountll(bits);
        above += __builtin_popcountll(bits & Ring_BitsWithin(word, turn, 64 * INFO_WORDS));
    }
    const int32_t tries = job->parts->is_crowded ? CROWD_TRIES : MAX_INFO_TRIES;
    list_stale(job, 0, turn, tries - Q_MinI(above, tries));
    list_stale(job, turn, 64 * INFO_WORDS, tries);
    job->stats->num_deferred = Q_MaxI(job->num_kept - job->parts->num_current, 0);
    job->stats->num_deferred += Q_MaxI(stale - tries, 0);
    for (int32_t i = 0; i < job->parts->num_infos; i++) {
        places[job->parts->infos[i]->number] = 0;
    }
    memset(job->sent, 0, (size_t)(job->num_items + 63) / 64 * sizeof job->sent[0]);
}

// Returns the extra bits of gaps if this item is sent too.
static int32_t added_gap_bits(const job_t *job, int32_t index) {
    bool is_info = index >= job->first_info;
    int32_t before = Snap_SetBefore(job->sent, index);
    int32_t after = Snap_SetAfter(job->sent, job->num_items, index);
    int32_t number = job->items[index].number;
    int32_t from = before < (is_info ? job->first_info : 0) ? Snap_FirstGapFrom(is_info)
                                                            : job->items[before].number;
    if (after < 0 || (!is_info && after >= job->first_info)) {
        return Snap_GapBits(from, number);
    }
    int32_t to = job->items[after].number;
    return Snap_GapBits(from, number) + Snap_GapBits(number, to) - Snap_GapBits(from, to);
}

// Writes the change of a record. Returns false if the client expects the new state.
static bool write_change(const job_t *job, msg_writer_t *msg, int32_t from,
                         const entity_state_t *to) {
    snapshot_ring_t *ring = job->ring;
    entity_coding_t coding = {.fields = &ring->schema->scopes[SCOPE_EDICT]};
    if (to->number >= MAX_EDICTS) {
        ring->zero.number = to->number;
        Fields_Write(msg, &ring->schema->scopes[Fields_Scope(to->number)],
                     from == NO_STATE ? &ring->zero : &ring->pool->states[from].state, to);
        return true;
    }
    if (from == NO_STATE) {
        ring->zero.number = to->number;
        coding.is_new = true;
        (void)Entity_Write(msg, &ring->zero, to, &coding);
        return true;
    }
    coding.elapsed_ms = Ring_ElapsedMs(ring, from, job->parts->now->tick);
    return Entity_Write(msg, &ring->pool->states[from].state, to, &coding);
}

// Codes the change of a held state to the shared one in `place`, once for all clients. Returns NULL
// if the pool lacks space for it.
static const pool_change_t *shared_change(const job_t *job, const item_t *item, int32_t place) {
    state_pool_t *pool = job->ring->pool;
    const pool_change_t *change = StatePool_Change(pool, item->from, place);
    if (!change) {
        msg_writer_t coder = StatePool_Coder(pool);
        const bool is_new = write_change(job, &coder, item->from, item->to);
        change = StatePool_AddChange(pool, item->from, place, &coder, is_new);
    }
    if (change && change->length == 0 && !Entity_IsMoving(item->to)) {
        pool->settled[item->from] = version_of(job, item->to);
    }
    return change;
}

// Codes an item. Returns false if the client expects the new state.
static bool code_item(job_t *job, item_t *item, int32_t place) {
    const pool_change_t *change = place >= 0 ? shared_change(job, item, place) : NULL;
    if (change) {
        item->in_pool = true;
        item->bit = change->offset * 8;
        item->length = change->length;
        return change->length > 0;
    }
    item->bit = (int32_t)MSG_BitsWritten(&job->scratch);
    const bool is_new = write_change(job, &job->scratch, item->from, item->to);
    item->length = (int32_t)MSG_BitsWritten(&job->scratch) - item->bit;
    return is_new;
}

// Sends an item if it fits, otherwise defers it. Counts the gap, a bit "gone", and the fields.
// Leaves out a state that the client expects. `reserved`: bits to leave for others.
static void try_item(job_t *job, int32_t index, int32_t reserved) {
    item_t *item = &job->items[index];
    const bool is_info = index >= job->first_info;
    const bool is_gone = !item->to;
    const int32_t place = is_gone ? NO_PLACE : place_of(job, item->to);
    msg_writer_t mark = job->scratch;
    if (!is_gone && !code_item(job, item, place)) {
        job->scratch = mark;
        return;
    }
    int32_t bits = added_gap_bits(job, index) + (item->from != NO_STATE ? 1 : 0) + item->length;
    bool is_new = item->from == NO_STATE && !is_info;
    bool fits =
        bits <= job->bits_left - reserved && !(is_new && job->num_held == MAX_SNAPSHOT_ENTS);
    item->state = NO_STATE;
    if (fits && !is_gone) {
        item->state =
            Ring_NewState(job->ring, job->ring->base, job->parts->now->tick, item->to, place);
        fits = item->state != NO_STATE;
        job->stats->num_unstored += fits || item->fate == ITEM_DEFERRED ? 0 : 1;
    }
    if (!fits) {
        job->scratch = mark;
        job->stats->num_deferred += item->fate == ITEM_DEFERRED ? 0 : 1;
        item->fate = ITEM_DEFERRED;
        return;
    }
    ASSERT(!job->scratch.overflowed);
    job->stats->num_deferred -= item->fate == ITEM_DEFERRED ? 1 : 0;
    item->fate = ITEM_SENT;
    job->sent[index / 64] |= UINT64_C(1) << (index % 64);
    job->bits_left -= bits;
    job->num_sent[is_info]++;
    job->num_held += is_info ? 0 : (is_new ? 1 : 0) - (is_gone ? 1 : 0);
}

// Chooses info records, in turns. The first may use all space. Once some did not fit, defers the
// rest without coding them: a thousand clients have a thousand records. The next snapshot begins
// with the first record that did not fit, so that no record always finds the packet full.
static void choose_infos(job_t *job, int32_t reserved) {
    const int32_t first = job->first_info;
    const int32_t count = job->num_items - first;
    int32_t n = 0, misses = 0;
    bool is_full = false;
    while (n < count && job->items[first + n].number < MAX_EDICTS + job->turn) {
        n++;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t index = first + (n + i) % count;
        item_t *item = &job->items[index];
        if (!item->to || item->fate == ITEM_SENT) {
            continue;
        }
        if (misses < MAX_INFO_MISSES) {
            try_item(job, index, i > 0 ? reserved : 0);
            misses += item->fate == ITEM_DEFERRED ? 1 : 0;
        } else if (item->fate != ITEM_DEFERRED) {
            item->fate = ITEM_DEFERRED;
            job->stats->num_deferred++;
        }
        if (!is_full) {
            is_full = item->fate == ITEM_DEFERRED && i > 0;
            job->ring->turn = item->number + (is_full ? 0 : 1) - MAX_EDICTS;
        }
    }
}

// Replaces the state of an entity at rest by the one that all rings share. Holds that at once: each
// new state may drop snapshots of this ring, and with them the last hold on the shared state.
static void share_at_rest(const job_t *job, item_t *item) {
    state_pool_t *pool = job->ring->pool;
    if (pool->rest[item->number] != item->from) {
        item->from = Ring_ShareAtRest(job->ring, job->parts->now->tick, item->number, item->from);
    }
    pool->refs[item->from]++;
    item->is_held = true;
}

// Chooses items: first removals, which are short, then info records, then entities by importance,
// then the other info records.
static void choose_items(job_t *job) {
    const uint16_t *order = job->parts->order;
    for (int32_t i = 0; i < job->num_items && job->num_gone > 0; i++) {
        if (!job->items[i].to) {
            try_item(job, i, 0);
        }
    }
    const int32_t parts = job->parts->is_crowded ? CROWD_PARTS : 3;
    choose_infos(job, job->bits_left / parts * (parts - 1));
    for (int32_t n = 0, misses = 0; n < job->num_seen; n++) {
        const int32_t index = job->item_of[order ? order[n] : n];
        item_t *item = &job->items[index];
        if (misses == MAX_MISSES) {
            item->fate = ITEM_UNTRIED;
            job->stats->num_deferred++;
        } else if (is_settled(job, item)) {
            share_at_rest(job, item);
        } else {
            try_item(job, index, 0);
            misses += item->fate == ITEM_DEFERRED ? 1 : 0;
        }
    }
    if (job->stats->num_deferred > 0) {
        choose_infos(job, 0);
    }
}

static void write_records(msg_writer_t *msg, const job_t *job, bool is_info) {
    int32_t number = Snap_FirstGapFrom(is_info);
    int32_t end = is_info ? job->num_items : job->first_info;
    MSG_WriteVar(msg, (uint32_t)job->num_sent[is_info], is_info ? SNAP_INFOS_K : SNAP_ENTITIES_K);
    for (int32_t i = is_info ? job->first_info : 0; i < end; i++) {
        const item_t *item = &job->items[i];
        if (item->fate != ITEM_SENT) {
            continue;
        }
        MSG_WriteVar(msg, (uint32_t)(item->number - number - 1), SNAP_GAP_K);
        number = item->number;
        if (item->from != NO_STATE) {
            MSG_WriteBool(msg, !item->to);
        }
        const bool in_pool = item->to && item->in_pool;
        MSG_CopyBits(msg, in_pool ? job->ring->pool->now->code : job->scratch.data,
                     in_pool ? POOL_CODE_BYTES : job->scratch.used, (size_t)item->bit,
                     (size_t)item->length);
    }
}

// Stores the snapshot in the ring as the client will have it, and reports the entities' fates.
static void store(job_t *job, const snapshot_t *now) {
    snapshot_ring_t *ring = job->ring;
    ring_slot_t *slot = &ring->slots[job->slot];
    int32_t *refs = ring->pool->refs;
    uint8_t *fates = job->parts->fates;
    const bool keeps = job->num_kept > 0;
    int32_t at = 0;
    for (int32_t i = 0; i < job->first_info; i++) {
        const item_t *item = &job->items[i];
        const int32_t state = item->fate == ITEM_SENT ? item->state : item->from;
        if (keeps) {
            Ring_KeepBelow(ring, job->slot, &at, item->number);
        }
        if (fates && item->place >= 0) {
            fates[item->place] = (uint8_t)item->fate;
        }
        if (state == NO_STATE) {
            continue; // gone, or new and deferred
        }
        if (item->fate != ITEM_SENT && !item->is_held) {
            refs[state]++;
        }
        ASSERT(slot->count < MAX_SNAPSHOT_ENTS);
        *Ring_SlotRecord(slot, slot->count++) = state;
    }
    if (keeps) {
        Ring_KeepBelow(ring, job->slot, &at, MAX_EDICTS);
    }
    ASSERT(slot->count == job->num_held);
    for (int32_t i = job->first_info; i < job->num_items; i++) {
        const item_t *item = &job->items[i];
        if (item->fate == ITEM_SENT) {
            Ring_Append(ring, job->slot, item->state, item->number);
        }
    }
    slot->turn = ring->turn;
    Ring_Store(ring, job->slot, now);
}

static void begin(job_t *job, snapshot_ring_t *ring, const snapshot_parts_t *parts,
                  snapshot_stats_t *stats) {
    job->ring = ring;
    StatePool_Begin(ring->pool, parts->now->tick, ring->epoch, parts->shared, parts->num_shared);
    if (parts->now->tick - SnapshotRing_Base(ring) > SNAP_MAX_LAG) {
        Ring_SetBase(ring, -1);
    }
    job->base = ring->base >= 0 ? &ring->slots[ring->base] : NULL;
    job->slot = Ring_NewSlot(ring, ring->base);
    job->turn = ring->turn = job->base ? job->base->turn : ring->turn;
    job->parts = parts;
    job->stats = stats;
    job->num_seen = Q_MinI(parts->num_entities, MAX_SNAPSHOT_ENTS);
    job->num_held = job->base ? job->base->count : 0;
    job->num_sent[0] = job->num_sent[1] = job->num_gone = 0;
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
    snapshot_t wire = Snap_ClampOwner(now, &base, &clamped);
    stats->num_clamped = clamped ? 1 : 0;
    uint32_t epoch = ring->epoch & 0xff;
    uint32_t back = base.tick > 0 ? (uint32_t)(now->tick - base.tick) : 0;
    msg_t out = MSG_Writing(msg);
    Snap_CodeStart(&out, &epoch, &wire.tick, &back);
    Snap_CodeOwner(&out, ring, &base, &wire);
    write_events(msg, parts, &wire, stats);
    job.bits_left = (int32_t)(msg->size * 8 - MSG_BitsWritten(msg)) - COUNT_BITS;
    ASSERT(job.bits_left >= 0);
    list_entities(&job);
    list_infos(&job);
    choose_items(&job);
    (void)MSG_Finish(&job.scratch);
    write_records(msg, &job, false);
    write_records(msg, &job, true);
    MSG_WriteVar(msg, (uint32_t)stats->num_deferred, SNAP_DEFERRED_K);
    ASSERT(!msg->overflowed);
    wire.num_deferred = stats->num_deferred;
    store(&job, &wire);
    stats->num_written = job.num_sent[0] + job.num_sent[1];
    stats->num_entities = job.num_held;
}
