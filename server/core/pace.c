/// core/pace.c - how long ticks take, and fewer snapshots while they take too long.
//
// The tick rate has priority: the world must keep the time. A server whose ticks take longer than
// their length sends snapshots less often until it has caught up.

#include "core/server_local.h"
#include "world/tick_time.h"

#define WINDOW_MS       1000 // of the means
#define LOG_WINDOW_MS   5000
#define MOST_BETWEEN_MS 100 // from one snapshot to the next, because of slow ticks
#define BUSY_TENTHS     9   // of a tick's length: a mean above it doubles the interval
#define FREE_TENTHS     4   // a mean below it halves the interval

static uint16_t tenths_ms(int64_t ns) {
    return (uint16_t)(ns < 0 ? 0 : ns > UINT16_MAX * INT64_C(100000) ? UINT16_MAX : ns / 100000);
}

static void slow_down(server_t *server) {
    const int32_t ticks = 2 * server->snapshot_ticks;
    if (ticks * Server_TickMs(server) > MOST_BETWEEN_MS) {
        return;
    }
    server->snapshot_ticks = ticks;
    server->stats.snapshots_slowed++;
    if (Log_BurstAllows(&server->pace_burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_WARN,
                  "ticks take %d.%d ms of %d: clients receive a snapshot every %d ticks for now%s",
                  server->tick_times.mean / 10, server->tick_times.mean % 10, Server_TickMs(server),
                  ticks, server->pace_burst.more);
    }
}

static void speed_up(server_t *server) {
    server->snapshot_ticks = Q_MaxI(server->snapshot_ticks / 2, server->config.snapshot_ticks);
}

void Server_NoteTick(server_t *server, int64_t took_ns) {
    tick_times_t *times = &server->tick_times;
    const int32_t tick_ms = Server_TickMs(server);
    times->sum_ns += took_ns;
    times->worst_ns = took_ns > times->worst_ns ? took_ns : times->worst_ns;
    if (++times->count * tick_ms < WINDOW_MS) {
        return;
    }
    times->mean = tenths_ms(times->sum_ns / times->count);
    times->worst = tenths_ms(times->worst_ns);
    times->sum_ns = times->worst_ns = times->count = 0;
    if (times->mean > BUSY_TENTHS * tick_ms) {
        slow_down(server);
    } else if (times->mean < FREE_TENTHS * tick_ms) {
        speed_up(server);
    }
}
