#include "net/impair.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#define REORDER_MIN_MS 10                        // minimum extra delay of a reordered datagram
#define MAX_PAUSE_US   (INT64_C(3600) * 1000000) // after such a silence, outages start anew

typedef struct flying_s {
    TAILQ_ENTRY(flying_s) link;
    int64_t due_ms;
    impair_datagram_t datagram;
    uint8_t data[];
} flying_t;

struct impair_s {
    impair_conditions_t conditions;
    rng_t rng;
    TAILQ_HEAD(flying_list_s, flying_s)
    flying; ///< sorted by due_ms, then by order of arrival
    int32_t num_flying;
    int32_t burst_left; ///< datagrams still to lose in this burst
    int64_t clear_ms;   ///< latest due time without reordering
    size_t bytes;       ///< of memory in `flying`
    rng_t outage_rng;
    bool has_begun;       ///< a datagram was pushed, so outages are scheduled
    int64_t free_us;      ///< time at which the bandwidth is free again
    int64_t outage_us[2]; ///< start and end of the current or next outage
    flying_t *held;       ///< datagram returned by the last Impair_Pop
    impair_counters_t counters;
};

impair_t *Impair_Create(const impair_conditions_t *conditions) {
    impair_t *impair = calloc(1, sizeof *impair);
    if (impair) {
        impair->conditions = *conditions;
        impair->rng.state = conditions->seed;
        impair->outage_rng.state = conditions->outage_seed;
        impair->clear_ms = INT64_MIN;
        TAILQ_INIT(&impair->flying);
    }
    return impair;
}

void Impair_Destroy(impair_t *impair) {
    if (!impair) {
        return;
    }
    for (flying_t *at = TAILQ_FIRST(&impair->flying), *next; at; at = next) {
        next = TAILQ_NEXT(at, link);
        free(at);
    }
    free(impair->held);
    free(impair);
}

static bool rolls(impair_t *impair, float share) {
    return Rng_Float(&impair->rng) < share;
}

static bool is_lost(impair_t *impair) {
    bool lost = rolls(impair, impair->conditions.loss);
    bool starts_burst = rolls(impair, impair->conditions.burst);
    if (impair->burst_left > 0) {
        impair->burst_left--;
        return true;
    }
    if (starts_burst && impair->conditions.burst_length > 0) {
        impair->burst_left = impair->conditions.burst_length - 1;
        return true;
    }
    return lost;
}

// Returns a time of 50 % to 150 % of mean_ms.
static int64_t roll_us(rng_t *rng, int32_t mean_ms) {
    return (int64_t)mean_ms * (500 + Rng_Below(rng, 1000));
}

// Returns the first time from at_us on without an outage.
static int64_t after_outage(impair_t *impair, int64_t at_us) {
    const impair_conditions_t *conditions = &impair->conditions;
    int64_t *outage_us = impair->outage_us;
    if (conditions->outage_ms <= 0 || conditions->outage_every_ms <= 0) {
        return at_us;
    }
    if (!impair->has_begun || at_us - outage_us[1] > MAX_PAUSE_US) {
        impair->has_begun = true;
        outage_us[1] = at_us; // the schedule starts with the first datagram
    }
    while (at_us >= outage_us[1]) {
        outage_us[0] = outage_us[1] + roll_us(&impair->outage_rng, conditions->outage_every_ms);
        outage_us[1] = outage_us[0] + roll_us(&impair->outage_rng, conditions->outage_ms);
    }
    return at_us >= outage_us[0] ? outage_us[1] : at_us;
}

// Sends a datagram through the bottleneck. Returns when it leaves there, or -1 if it would have to
// wait too long.
static int64_t leave_queue(impair_t *impair, int64_t now_ms, size_t size) {
    const impair_conditions_t *conditions = &impair->conditions;
    int64_t now_us = now_ms * 1000;
    int64_t start_us = now_us > impair->free_us ? now_us : impair->free_us;
    start_us = after_outage(impair, start_us);
    if (start_us - now_us > (int64_t)conditions->queue_ms * 1000) {
        impair->counters.jammed++;
        return -1;
    }
    if (conditions->rate_kbit_s <= 0) {
        return (start_us + 999) / 1000;
    }
    impair->free_us = start_us + (int64_t)(size + IMPAIR_HEADERS) * 8000 / conditions->rate_kbit_s;
    return (impair->free_us + 999) / 1000;
}

// Returns the arrival time of a copy: after all earlier ones unless reordered.
static int64_t roll_due(impair_t *impair, int64_t now_ms, bool reordered) {
    const impair_conditions_t *conditions = &impair->conditions;
    int32_t spread = 2 * conditions->jitter_ms + 1;
    int64_t due_ms = now_ms + conditions->delay_ms - conditions->jitter_ms +
                     Rng_Below(&impair->rng, (uint32_t)Q_MaxI(spread, 1));
    due_ms = due_ms < now_ms ? now_ms : due_ms;
    if (reordered) {
        int32_t more = REORDER_MIN_MS + conditions->delay_ms + conditions->jitter_ms;
        return due_ms + REORDER_MIN_MS + Rng_Below(&impair->rng, (uint32_t)Q_MaxI(more, 1));
    }
    due_ms = due_ms < impair->clear_ms ? impair->clear_ms : due_ms;
    impair->clear_ms = due_ms;
    return due_ms;
}

static void insert(impair_t *impair, flying_t *flying) {
    flying_t *before = TAILQ_LAST(&impair->flying, flying_list_s);
    while (before && before->due_ms > flying->due_ms) {
        before = TAILQ_PREV(before, flying_list_s, link);
    }
    if (before) {
        TAILQ_INSERT_AFTER(&impair->flying, before, flying, link);
    } else {
        TAILQ_INSERT_HEAD(&impair->flying, flying, link);
    }
    impair->num_flying++;
    impair->bytes += sizeof *flying + flying->datagram.size;
}

void Impair_Push(impair_t *impair, int64_t now_ms, netaddr_t address, const void *data,
                 size_t size) {
    impair->counters.taken++;
    bool lost = is_lost(impair);
    bool twice = rolls(impair, impair->conditions.duplicate);
    bool reordered = rolls(impair, impair->conditions.reorder);
    if (lost) {
        impair->counters.lost++;
        return;
    }
    now_ms = leave_queue(impair, now_ms, size);
    if (now_ms < 0) {
        return;
    }
    impair->counters.duplicated += twice;
    impair->counters.reordered += reordered;
    for (int32_t copy = 0; copy < (twice ? 2 : 1); copy++) {
        int64_t due_ms = roll_due(impair, now_ms, reordered || copy > 0);
        flying_t *flying =
            impair->num_flying < IMPAIR_MAX_FLYING ? malloc(sizeof *flying + size) : NULL;
        if (!flying) {
            impair->counters.overflowed++;
            continue;
        }
        flying->due_ms = due_ms;
        flying->datagram =
            (impair_datagram_t){.address = address, .data = flying->data, .size = size};
        memcpy(flying->data, data, size);
        insert(impair, flying);
    }
}

const impair_datagram_t *Impair_Pop(impair_t *impair, int64_t now_ms) {
    flying_t *first = TAILQ_FIRST(&impair->flying);
    free(impair->held);
    impair->held = NULL;
    if (!first || first->due_ms > now_ms) {
        return NULL;
    }
    TAILQ_REMOVE(&impair->flying, first, link);
    impair->num_flying--;
    impair->bytes -= sizeof *first + first->datagram.size;
    impair->held = first;
    return &first->datagram;
}

int32_t Impair_NumDue(const impair_t *impair, int64_t now_ms) {
    int32_t count = 0;
    const flying_t *at = NULL;
    TAILQ_FOREACH(at, &impair->flying, link) {
        if (at->due_ms > now_ms) {
            break;
        }
        count++;
    }
    return count;
}

int64_t Impair_NextMs(const impair_t *impair) {
    const flying_t *first = TAILQ_FIRST(&impair->flying);
    return first ? first->due_ms : INT64_MAX;
}

size_t Impair_Bytes(const impair_t *impair) {
    return impair->bytes;
}

impair_counters_t Impair_Counters(const impair_t *impair) {
    return impair->counters;
}
