#include "ops/tick_stats.h"

void TickStats_Add(tick_stats_t *stats, int64_t took_ns) {
    int64_t kept = took_ns < 0 ? 0 : took_ns > UINT32_MAX ? UINT32_MAX : took_ns;
    stats->kept_ns[stats->count++ % TICK_STATS_KEPT] = (uint32_t)kept;
}

int64_t TickStats_Percentile(const tick_stats_t *stats, double share) {
    size_t kept = stats->count < TICK_STATS_KEPT ? (size_t)stats->count : TICK_STATS_KEPT;
    size_t rank = kept > 0 ? (size_t)(share * (double)(kept - 1) + 0.5) : 0;
    uint32_t value = 0;
    // The result is the largest value with at most `rank` smaller durations. Searched bit by bit: a
    // sort took 1 ms, which would delay ticks.
    for (uint32_t bit = UINT32_C(1) << 31; kept > 0 && bit > 0; bit >>= 1) {
        size_t smaller = 0;
        for (size_t i = 0; i < kept; i++) {
            smaller += stats->kept_ns[i] < (value | bit) ? 1 : 0;
        }
        value |= smaller <= rank ? bit : 0;
    }
    return value;
}
