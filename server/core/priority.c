#include "core/priority.h"

#include "state/ticks.h"

#include <string.h>

#define NEAR_QU       256.0f // each doubling of the distance lowers the need
#define NUM_WEIGHTS   512    // buckets of weights
#define NUM_BUCKETS   1024   // then, of waiting ticks above the urgent ones
#define MAX_NEWCOMERS 16     // entities that appear at once and surely fit

static int32_t need_for(const spot_t *spot, const turn_t *turn) {
    const vec3_t to = VectorSubtract(spot->origin, turn->eye);
    const float square = DotProduct(to, to);
    const float ahead = DotProduct(to, turn->forward);
    int32_t need = spot->need & ~NEED_FIRST;
    need += square < NEAR_QU * NEAR_QU ? 2 : 0;
    need += square < 4 * NEAR_QU * NEAR_QU ? 2 : 0;
    need += square < 16 * NEAR_QU * NEAR_QU ? 2 : 0;
    need += square < 64 * NEAR_QU * NEAR_QU ? 2 : 0;
    return need + (ahead > 0.0f && ahead * ahead > 0.25f * square ? 2 : 0); // within 60 degrees
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
    const bool is_over =
        entry->sent != 0 && (ticks_from(entry->sent, turn->base_tick) >= 0 ||
                             ticks_from(entry->sent, turn->tick) > turn->urgent_ticks);
    return is_over ? NULL : entry;
}

static int32_t waited_ticks(const waiting_t *entry, int64_t tick) {
    return entry && entry->since != 0 ? ticks_from(entry->since, tick) : 0;
}

// Returns the bucket of an entity; a higher one comes first.
static uint16_t bucket_of(const spot_t *spot, const waiting_t *entry, const turn_t *turn,
                          int32_t weight) {
    if (spot->need & NEED_FIRST) {
        return NUM_BUCKETS - 2;
    }
    const bool is_again = entry && entry->sent != 0;
    const int32_t waited = is_again ? turn->again_ticks : waited_ticks(entry, turn->tick);
    const int32_t late = waited - turn->urgent_ticks;
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
    for (int32_t i = 0; i < NUM_BUCKETS; i++) {
        starts[i + 1] += starts[i];
    }
    for (int32_t i = 0; i < turn->count; i++) {
        turn->order[starts[NUM_BUCKETS - 1 - buckets[i]]++] = (uint16_t)i;
    }
}

// Writes the entities with NEED_FIRST, then the others, by index.
static void order_first(turn_t *turn) {
    int32_t count = 0;
    for (uint16_t others = 0; others < 2; others++) {
        for (int32_t i = 0; i < turn->count; i++) {
            const bool is_first = i == turn->own || (turn->spots[i].need & NEED_FIRST);
            if (is_first != (others != 0)) {
                turn->order[count++] = (uint16_t)i;
            }
        }
    }
}

void Priority_Reset(priority_t *priority) {
    priority->count = priority->num_seen = priority->longest_wait_ms = 0;
}

void Priority_Order(const priority_t *priority, turn_t *turn) {
    uint16_t buckets[MAX_SNAPSHOT_ENTS];
    int32_t at = 0;
    turn->urgent_ticks = (int32_t)Ticks_At(turn->rate_mhz, PRIORITY_URGENT_MS);
    turn->again_ticks = (int32_t)Ticks_At(turn->rate_mhz, PRIORITY_AGAIN_MS);
    if (priority->count == 0 && turn->base_tick > 0 &&
        turn->count - priority->num_seen <= MAX_NEWCOMERS) {
        memset(turn->weights, 0, (size_t)turn->count * sizeof *turn->weights);
        memset(turn->entries, 0xff, (size_t)turn->count * sizeof *turn->entries);
        order_first(turn);
        return;
    }
    for (int32_t i = 0; i < turn->count; i++) {
        const spot_t *spot = &turn->spots[i];
        const waiting_t *entry = find(priority, &at, turn, spot->number);
        turn->entries[i] = (int16_t)(entry ? at : -1);
        const int32_t weight = need_for(spot, turn) + (entry ? entry->weight : 0);
        turn->weights[i] = (uint16_t)Q_MinI(weight, UINT16_MAX);
        buckets[i] = bucket_of(spot, entry, turn, weight);
    }
    sort(turn, buckets);
}

void Priority_Note(priority_t *priority, const turn_t *turn) {
    waiting_t list[MAX_SNAPSHOT_ENTS];
    const uint32_t tick = (uint32_t)turn->tick;
    const bool is_full = memchr(turn->fates, ITEM_DEFERRED, (size_t)turn->count) != NULL;
    int32_t count = 0;
    int32_t longest = 0;
    for (int32_t i = 0; i < turn->count && (is_full || priority->count > 0); i++) {
        const int32_t number = turn->spots[i].number;
        const int32_t at = turn->entries[i];
        const waiting_t *entry = at >= 0 ? &priority->list[at] : NULL;
        const bool is_new = !entry || entry->since == 0;
        const bool is_untried = turn->fates[i] == ITEM_UNTRIED;
        const int32_t waited = waited_ticks(entry, turn->tick);
        if (turn->fates[i] != ITEM_SAME && (!is_untried || waited > turn->again_ticks)) {
            longest = Q_MaxI(longest, waited); // an untried entity may be unchanged
        }
        list[count] = (waiting_t){.number = (uint16_t)number, .weight = turn->weights[i]};
        if (is_untried || turn->fates[i] == ITEM_DEFERRED) {
            list[count++].since = is_new ? tick : entry->since;
        } else if (turn->fates[i] == ITEM_SENT && is_full) {
            list[count++].sent = entry && entry->sent != 0 ? entry->sent : tick;
        }
    }
    memcpy(priority->list, list, (size_t)count * sizeof *list);
    priority->count = count;
    priority->num_seen = turn->count;
    const int32_t wait_ms = (int32_t)Ticks_EndMs(turn->rate_mhz, longest);
    priority->longest_wait_ms = Q_MaxI(priority->longest_wait_ms, wait_ms);
}
