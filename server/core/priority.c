#include "core/priority.h"

#include "state/ticks.h"
#include "world/bits.h"

#include <math.h>
#include <string.h>

#define NEAR_QU       256.0f // each doubling of the distance lowers the need
#define NUM_WEIGHTS   512    // buckets of weights
#define NUM_BUCKETS   1024   // then, of waiting ticks above the urgent ones
#define MAX_NEWCOMERS 16     // entities that appear at once and surely fit
#define NEAR_SHARE    8      // one in so many records of a full snapshot is for near entities
#define LATE_SHARE    32     // the same if a round takes more than PRIORITY_AGAIN_MS
#define SPARE_NEAR    4      // near entities of a turn that may lack space
#define MIN_NEAR_QU   64.0f
#define MAX_NEAR_QU   (4.0f * MAX_WORLD_COORD) // all
#define FIRST_PACE    64                       // entities of a round between two turns
#define MIN_PACE      8.0f
#define TOO_FAST      16.0f // entities by which a slow client lowers the pace
#define LOST_URGENT   3     // a snapshot is lost after so many times PRIORITY_URGENT_MS

static int32_t need_for(const spot_t *spot, const turn_t *turn, float square) {
    const vec3_t to = VectorSubtract(spot->origin, turn->eye);
    const float ahead = DotProduct(to, turn->forward);
    int32_t need = spot->need & ~NEED_FIRST;
    need += square < NEAR_QU * NEAR_QU ? 2 : 0;
    need += square < 4 * NEAR_QU * NEAR_QU ? 2 : 0;
    need += square < 16 * NEAR_QU * NEAR_QU ? 2 : 0;
    need += square < 64 * NEAR_QU * NEAR_QU ? 2 : 0;
    return need + (ahead > 0.0f && ahead * ahead > 0.25f * square ? 2 : 0); // within 60 degrees
}

static void set_ticks(turn_t *turn) {
    turn->urgent_ticks = (int32_t)Ticks_At(turn->rate_mhz, PRIORITY_URGENT_MS);
    turn->again_ticks = (int32_t)Ticks_At(turn->rate_mhz, PRIORITY_AGAIN_MS);
}

static int32_t ticks_from(uint32_t low_bits, int64_t tick) {
    return (int32_t)((uint32_t)tick - low_bits);
}

// Moves *at to the entry of an entity and returns it; NULL = it does not wait. Call with rising
// numbers.
static const waiting_t *find(const priority_t *priority, int32_t *at, const turn_t *turn,
                             int32_t number) {
    while (*at < priority->count && priority->list[*at].number < number) {
        ++*at;
    }
    const waiting_t *entry = &priority->list[*at];
    if (*at == priority->count || entry->number != number) {
        return NULL;
    }
    const bool is_over = entry->sent != 0 &&
                         (ticks_from(entry->sent, turn->base_tick) >= 0 ||
                          ticks_from(entry->sent, turn->tick) > LOST_URGENT * turn->urgent_ticks);
    return is_over ? NULL : entry;
}

// Returns true if an entity is in this turn because of its place in the round.
static bool is_of_round(const turn_t *turn, int32_t number) {
    const bool is_after = number >= turn->first;
    const bool is_before = number < turn->end;
    return turn->aside && (turn->first < turn->end ? is_after && is_before : is_after || is_before);
}

static int32_t waited_ticks(const waiting_t *entry, const turn_t *turn, int32_t number) {
    return entry && entry->since != 0 ? ticks_from(entry->since, turn->tick)
           : !(entry && entry->sent != 0) && is_of_round(turn, number) ? turn->round_ticks
                                                                       : 0;
}

// Returns the bucket of an entity; a higher one comes first.
static uint16_t bucket_of(const spot_t *spot, const waiting_t *entry, const turn_t *turn,
                          int32_t weight) {
    if (spot->need & NEED_FIRST) {
        return NUM_BUCKETS - 2;
    }
    const bool is_again = entry && entry->sent != 0;
    const int32_t waited = is_again ? turn->again_ticks : waited_ticks(entry, turn, spot->number);
    const int32_t late = waited - (turn->aside ? 1 : turn->urgent_ticks);
    return (uint16_t)(late >= 0 ? Q_MinI(NUM_WEIGHTS + late, NUM_BUCKETS - 3)
                                : Q_MinI(weight, NUM_WEIGHTS - 1));
}

// Sorts by falling bucket, by index within a bucket.
static void sort(turn_t *turn, uint16_t *buckets) {
    int32_t starts[NUM_BUCKETS + 1] = {0};
    buckets[turn->own] = NUM_BUCKETS - 1;
    for (int32_t i = 0; i < turn->count; i++) {
        starts[NUM_BUCKETS - 1 - buckets[i] + 1]++;
    }
    for (int32_t i = 0, sum = 0; i < NUM_BUCKETS; i++) {
        sum += starts[i];
        starts[i] = sum;
    }
    for (int32_t i = 0; i < turn->count; i++) {
        turn->order[starts[NUM_BUCKETS - 1 - buckets[i]]++] = (uint16_t)i;
    }
}

// Writes the entities with NEED_FIRST, then the others, by index.
static void order_first(turn_t *turn) {
    uint16_t others[MAX_SNAPSHOT_ENTS];
    int32_t num_first = 0;
    int32_t num_others = 0;
    for (int32_t i = 0; i < turn->count; i++) {
        if (i == turn->own || (turn->spots[i].need & NEED_FIRST)) {
            turn->order[num_first++] = (uint16_t)i;
        } else {
            others[num_others++] = (uint16_t)i;
        }
    }
    memcpy(&turn->order[num_first], others, (size_t)num_others * sizeof others[0]);
}

void Priority_Reset(priority_t *priority) {
    priority->count = priority->num_seen = priority->longest_wait_ms = 0;
    priority->backlog = priority->num_blocks = 0;
    priority->is_crowd = false;
}

// ---- crowds ----

static uint64_t block_mask(int32_t block) {
    return ((UINT64_C(1) << PRIORITY_BLOCK) - 1) << (block * PRIORITY_BLOCK % 64);
}

// Sets the pace so that near entities have their share of the records in the mean. `most`: entities
// that may wait; a higher pace would be of a larger crowd.
static void set_pace(round_t *round, int32_t turn_ticks, int32_t most) {
    if (round->turns > 0) {
        round->pace += 0.5f * round->excess / (float)(round->turns * turn_ticks);
    }
    const float pace = round->pace == 0.0f ? (float)FIRST_PACE : round->pace;
    round->pace = Q_ClampF(pace, MIN_PACE, (float)Q_MaxI(most, FIRST_PACE));
    round->turns = 0;
    round->excess = 0.0f;
}

void Priority_Advance(round_t *round, int32_t turn_ticks, const uint64_t *patient,
                      int32_t num_words) {
    const int32_t num_blocks = num_words * (64 / PRIORITY_BLOCK);
    int32_t block = round->next / PRIORITY_BLOCK % num_blocks;
    int32_t num_patient = 0;
    for (int32_t word = 0; word < num_words; word++) {
        num_patient += __builtin_popcountll(patient[word]);
    }
    set_pace(round, turn_ticks, num_patient);
    round->credit += round->pace / (float)turn_ticks;
    for (int32_t i = 0; i < num_blocks; i++) {
        const uint64_t word = patient[block * PRIORITY_BLOCK / 64] & block_mask(block);
        const float count = (float)__builtin_popcountll(word);
        if (count > round->credit) {
            break;
        }
        round->credit -= count;
        round->passed++;
        block = (block + 1) % num_blocks;
    }
    round->credit = Q_ClampF(round->credit, 0.0f, PRIORITY_BLOCK);
    round->next = block * PRIORITY_BLOCK;
}

// Takes the next blocks of the round from the entities set aside, until there are `most` entities.
static void take_round(priority_t *priority, const round_t *round, turn_t *turn, int32_t most,
                       int32_t num_words, uint64_t *aside) {
    const int32_t num_blocks = num_words * (64 / PRIORITY_BLOCK);
    while (priority->num_blocks < num_blocks) { // new edicts have not waited
        priority->passed[priority->num_blocks++] = (uint32_t)turn->tick;
    }
    const bool are_all_due = round->passed - priority->round_passed >= (uint32_t)num_blocks;
    int32_t block = priority->next / PRIORITY_BLOCK % num_blocks;
    const int32_t ahead = (round->next / PRIORITY_BLOCK + num_blocks - block) % num_blocks;
    int32_t due = are_all_due ? num_blocks : ahead; // blocks
    int32_t count = 0;
    turn->first = block * PRIORITY_BLOCK;
    turn->round_ticks = 0;
    for (; due > 0 && count < most; due--) {
        const int32_t word = block * PRIORITY_BLOCK / 64;
        const uint64_t taken = aside[word] & block_mask(block);
        if (taken) {
            const int32_t passed = Q_MinI(ticks_from(priority->passed[block], turn->tick),
                                          ticks_from(priority->all_tick, turn->tick));
            count += __builtin_popcountll(taken);
            turn->round_ticks = Q_MaxI(turn->round_ticks, passed);
            aside[word] &= ~taken;
        }
        priority->passed[block] = (uint32_t)turn->tick;
        block = (block + 1) % num_blocks;
    }
    turn->end = priority->next = block * PRIORITY_BLOCK;
    turn->was_behind = priority->is_behind;
    priority->is_behind = due > 0;
    priority->taken = count;
    priority->round_passed = round->passed;
    turn->is_slow = due > 0 && (float)count < round->pace;
    turn->num_aside -= count;
}

void Priority_SetAside(priority_t *priority, const round_t *round, turn_t *turn, uint64_t *aside,
                       int32_t num_words) {
    int32_t at = 0;
    int32_t room = priority->room - priority->backlog;
    set_ticks(turn);
    for (int32_t i = 0; i < priority->count; i++) {
        const int32_t number = priority->list[i].number;
        const waiting_t *entry = find(priority, &at, turn, number);
        room -= entry && entry->sent != 0 ? 1 : 0;
        if (number < 64 * num_words && entry) {
            Bits_Clear(aside, number);
        }
    }
    turn->aside = aside;
    turn->num_aside = 0;
    for (int32_t word = 0; word < num_words; word++) {
        turn->num_aside += __builtin_popcountll(aside[word]);
    }
    // Takes half of what it could take more than last time: sent entities are sent again.
    const int32_t more = Q_MaxI(room - priority->taken, 0);
    take_round(priority, round, turn, Q_MaxI(room - more / 2, 1), num_words, aside);
}

// Counts of a turn.
typedef struct {
    int32_t sent, sent_near;
    int32_t near;    // near ones that needed a record
    int32_t fit;     // entities that were sent, or that needed no record
    int32_t backlog; // entities that did not fit, without near ones
} counts_t;

// Sets the range in which there should be `wanted` near entities, of which there were `count`.
// Players of a crowd stand on a plane, so their number grows with the square of the range.
static void set_near(priority_t *priority, int32_t count, int32_t wanted) {
    const float ratio = sqrtf((float)wanted / (float)Q_MaxI(count, 1));
    priority->near_qu *= Q_ClampF(ratio, 0.5f, 2.0f);
    priority->near_qu = Q_ClampF(priority->near_qu, MIN_NEAR_QU, MAX_NEAR_QU);
}

// Sets how many entities the next turn has, and counts this one for the pace of the round.
static void note_crowd(priority_t *priority, round_t *round, const turn_t *turn,
                       const counts_t *counts, bool is_full) {
    const int32_t spare = is_full ? 0 : turn->num_spare;
    priority->backlog = counts->backlog;
    priority->room = counts->fit + spare;
    if (turn->num_aside == 0) {
        priority->is_crowd = is_full && turn->count + turn->num_current > PRIORITY_CROWD;
        priority->next = round->next;
        priority->round_passed = round->passed;
        priority->taken = 0;
        priority->is_behind = false;
        return;
    }
    const bool is_late = turn->round_ticks > turn->again_ticks;
    const int32_t share = (counts->sent + spare) / (is_late ? LATE_SHARE : NEAR_SHARE);
    set_near(priority, counts->near, counts->sent_near + spare + SPARE_NEAR);
    if (2 * counts->backlog > priority->room || (turn->was_behind && !turn->is_slow)) {
        return; // many are new, or the client catches up: this turn is no measure of the pace
    }
    round->turns++;
    round->excess += turn->is_slow ? -TOO_FAST : (float)(counts->sent_near + spare - share);
}

// ---- turns ----

void Priority_Order(const priority_t *priority, turn_t *turn) {
    uint16_t buckets[MAX_SNAPSHOT_ENTS];
    int32_t at = 0;
    set_ticks(turn);
    if (priority->count == 0 && !priority->is_crowd && turn->base_tick > 0 &&
        turn->count - priority->num_seen <= MAX_NEWCOMERS) {
        memset(turn->weights, 0, (size_t)turn->count * sizeof *turn->weights);
        memset(turn->entries, 0xff, (size_t)turn->count * sizeof *turn->entries);
        order_first(turn);
        return;
    }
    for (int32_t i = 0; i < turn->count; i++) {
        const spot_t *spot = &turn->spots[i];
        const waiting_t *entry = find(priority, &at, turn, spot->number);
        const vec3_t to = VectorSubtract(spot->origin, turn->eye);
        const float square = DotProduct(to, to);
        turn->entries[i] = (int16_t)(entry ? at : -1);
        turn->is_near[i] = square < priority->near_qu * priority->near_qu;
        const int32_t weight = need_for(spot, turn, square) + (entry ? entry->weight : 0);
        turn->weights[i] = (uint16_t)Q_MinI(weight, UINT16_MAX);
        buckets[i] = bucket_of(spot, entry, turn, weight);
    }
    sort(turn, buckets);
}

// Returns the entry of entity i for the next turn; without ticks, it need not be in the list.
static waiting_t next_entry(const turn_t *turn, int32_t i, const waiting_t *entry, int32_t waited) {
    const uint32_t tick = (uint32_t)turn->tick;
    waiting_t next = {.number = turn->spots[i].number};
    if (turn->fates[i] >= ITEM_DEFERRED) {
        next.weight = turn->weights[i];
        next.since = entry && entry->since != 0 ? entry->since : tick - (uint32_t)waited;
    } else if (turn->fates[i] == ITEM_SENT) {
        next.sent = entry && entry->sent != 0 ? entry->sent : tick;
    }
    return next;
}

void Priority_Note(priority_t *priority, round_t *round, const turn_t *turn) {
    waiting_t list[MAX_SNAPSHOT_ENTS];
    const bool is_full = memchr(turn->fates, ITEM_DEFERRED, (size_t)turn->count) != NULL;
    const bool is_crowd = turn->num_aside > 0;
    int32_t count = 0, longest = 0;
    counts_t counts = {0};
    for (int32_t i = 0; i < turn->count && (is_full || is_crowd || priority->count > 0); i++) {
        const int32_t at = turn->entries[i];
        const waiting_t *entry = at >= 0 ? &priority->list[at] : NULL;
        const item_fate_t fate = (item_fate_t)turn->fates[i];
        const int32_t waited = waited_ticks(entry, turn, turn->spots[i].number);
        if (fate != ITEM_SAME && (fate != ITEM_UNTRIED || waited > turn->again_ticks)) {
            longest = Q_MaxI(longest, waited); // an untried entity may be unchanged
        }
        const bool is_near = is_crowd && turn->is_near[i] && i != turn->own;
        list[count] = next_entry(turn, i, entry, waited);
        counts.near += is_near && fate != ITEM_SAME ? 1 : 0;
        counts.backlog += list[count].since != 0 && !is_near ? 1 : 0;
        counts.sent += fate == ITEM_SENT ? 1 : 0;
        counts.fit += fate < ITEM_DEFERRED ? 1 : 0;
        counts.sent_near += fate == ITEM_SENT && is_near ? 1 : 0;
        count += list[count].since != 0 || (list[count].sent != 0 && (is_full || is_crowd)) ? 1 : 0;
    }
    memcpy(priority->list, list, (size_t)count * sizeof *list);
    priority->count = count;
    priority->num_seen = turn->count + turn->num_aside + turn->num_current;
    note_crowd(priority, round, turn, &counts, is_full);
    if (!is_crowd) {
        priority->all_tick = (uint32_t)turn->tick;
    }
    const int32_t wait_ms = (int32_t)Ticks_EndMs(turn->rate_mhz, longest);
    priority->longest_wait_ms = Q_MaxI(priority->longest_wait_ms, wait_ms);
}
