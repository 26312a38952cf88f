#include "ops/tick_stats.h"

#include <stdlib.h>
#include <string.h>

void TickStats_Add(tick_stats_t *stats, int64_t took_ns) {
    int64_t kept = took_ns < 0 ? 0 : took_ns > UINT32_MAX ? UINT32_MAX : took_ns;
    stats->kept_ns[stats->count++ % TICK_STATS_KEPT] = (uint32_t)kept;
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int64_t TickStats_Percentile(const tick_stats_t *stats, double share) {
    size_t kept = stats->count < TICK_STATS_KEPT ? (size_t)stats->count : TICK_STATS_KEPT;
    uint32_t *sorted = malloc(sizeof stats->kept_ns);
    if (kept == 0 || !sorted) {
        free(sorted);
        return 0;
    }
    memcpy(sorted, stats->kept_ns, kept * sizeof *sorted);
    qsort(sorted, kept, sizeof *sorted, compare);
    size_t at = (size_t)(share * (double)(kept - 1) + 0.5);
    int64_t value = sorted[at < kept ? at : kept - 1];
    free(sorted);
    return value;
}
