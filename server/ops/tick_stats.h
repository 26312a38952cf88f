/// ops/tick_stats.h - percentiles of the durations of the latest ticks.
//
// A tick lasts from its deadline to its last datagram, plus the reading of datagrams before it.
// Units:   ns.

#ifndef EDICTD_OPS_TICK_STATS_H
#define EDICTD_OPS_TICK_STATS_H

#include "base/types.h"

#define TICK_STATS_KEPT 2048 // half a minute at 62.5 Hz

typedef struct {
    uint32_t kept_ns[TICK_STATS_KEPT]; ///< ring buffer of the latest durations
    uint64_t count;                    ///< ticks added so far
    uint64_t overruns;                 ///< ticks that began more than one tick late
    uint64_t skipped;                  ///< ticks dropped because the backlog was too long
    uint64_t late_ns_max;              ///< maximum delay of a tick's start
} tick_stats_t;

void TickStats_Add(tick_stats_t *stats, int64_t took_ns);

/// Returns a percentile of the durations: `share` 0.5 is the median. Returns 0 if there are none.
int64_t TickStats_Percentile(const tick_stats_t *stats, double share);

#endif
