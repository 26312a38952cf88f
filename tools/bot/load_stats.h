/// bot/load_stats.h - what the clients of the load program count, and how it is printed.
//
// Units:   ns.

#ifndef EDICTD_BOT_LOAD_STATS_H
#define EDICTD_BOT_LOAD_STATS_H

#include "base/types.h"

#define LOAD_STEP_NS 20000 // resolution of a percentile
#define LOAD_STEPS   50000 // durations above 1 s count as the maximum

/// Durations, counted in steps.
typedef struct {
    uint32_t steps[LOAD_STEPS];
    uint64_t count;
    int64_t max_ns;
} load_times_t;

typedef struct {
    load_times_t intervals;     ///< between two snapshots of a client
    load_times_t timer;         ///< lateness of sleeps: what the machine adds to every interval
    load_times_t behind;        ///< delay of the program's own work
    uint64_t counted, entities; ///< snapshots whose entities were counted, and their sum
    uint64_t errors;            ///< messages that do not decode
    uint64_t left;              ///< clients that the server or the network dropped
    char error[256];            ///< the first error or the first reason of a drop
} load_stats_t;

void LoadTimes_Add(load_times_t *times, int64_t ns);

/// Returns a percentile, rounded up to LOAD_STEP_NS, at most the maximum. `share` 0.5 is the
/// median. Returns 0 if there are none.
int64_t LoadTimes_Percentile(const load_times_t *times, double share);

/// Copies `text` to stats->error if that is empty.
void LoadStats_Note(load_stats_t *stats, const char *text);

#endif
