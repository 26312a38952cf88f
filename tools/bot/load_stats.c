#include "bot/load_stats.h"

#include <string.h>

void LoadTimes_Add(load_times_t *times, int64_t ns) {
    int64_t step = ns / LOAD_STEP_NS;
    times->steps[step < 0 ? 0 : step < LOAD_STEPS ? step : LOAD_STEPS - 1]++;
    times->count++;
    times->max_ns = ns > times->max_ns ? ns : times->max_ns;
}

int64_t LoadTimes_Percentile(const load_times_t *times, double share) {
    uint64_t rank = times->count > 0 ? (uint64_t)(share * (double)(times->count - 1) + 0.5) : 0;
    uint64_t passed = 0;
    for (int64_t step = 0; step < LOAD_STEPS - 1; step++) {
        passed += times->steps[step];
        int64_t end_ns = (step + 1) * LOAD_STEP_NS;
        if (passed > rank) {
            return end_ns < times->max_ns ? end_ns : times->max_ns;
        }
    }
    return times->max_ns;
}

void LoadStats_Note(load_stats_t *stats, const char *text) {
    if (stats->error[0] == '\0') {
        strlcpy(stats->error, text, sizeof stats->error);
    }
}
