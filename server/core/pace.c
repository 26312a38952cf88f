/// core/pace.c - how long ticks take, and fewer snapshots while they take too long.
//
// The tick rate has priority: the world must keep the time. A server whose ticks take longer than
// their length sends snapshots less often until it has caught up.

#include "core/server_local.h"
#include "world/tick_time.h"

#define WINDOW_MS       1000 // of the means
#define LOG_WINDOW_MS   5000
#define MOST_BETWEEN_MS 200 // maximum from one snapshot to the next; clients extrapolate as long
#define BUSY_TENTHS     9   // of a tick's length: a mean above it makes the interval longer
#define CALM_TENTHS     7   // a mean below it for some windows halves the interval, as a try
#define FREE_TENTHS     4   // a mean below it halves the interval at once
#define MIN_CALM        4   // windows before a try ...
#define MAX_CALM        64  // ... twice as many after each try that failed
#define TRY_WINDOWS     4   // a try that is busy within these failed

static uint16_t tenths_ms(int64_t ns) {
    return (uint16_t)(ns < 0 ? 0 : ns > UINT16_MAX * INT64_C(100000) ? UINT16_MAX : ns / 100000);
}

// Returns the interval, at most twice the current one, with which calm ticks are expected. A
// longer one than necessary would let a crowd wait for each other's entities.
static int32_t calm_interval(const server_t *server, int32_t mean, int32_t tick_ms) {
    const int32_t now = server->snapshot_ticks;
    const int32_t calm = CALM_TENTHS * tick_ms;
    const int32_t wish = Q_ClampI((now * mean + calm - 1) / calm, now + 1, 2 * now);
    return Q_MaxI(Q_MinI(wish, MOST_BETWEEN_MS / tick_ms), now);
}

static void slow_down(server_t *server, int32_t mean, int32_t tick_ms) {
    pace_t *pace = &server->pace;
    pace->wait = pace->tried > 0 ? Q_MinI(2 * pace->wait, MAX_CALM) : MIN_CALM;
    pace->calm = pace->tried = 0;
    const int32_t ticks = calm_interval(server, mean, tick_ms);
    if (ticks == server->snapshot_ticks) {
        return;
    }
    server->snapshot_ticks = ticks;
    server->stats.snapshots_slowed++;
    if (Log_BurstAllows(&server->pace_burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_WARN,
                  "ticks take %d.%d ms of %d: clients receive a snapshot every %d ticks for now%s",
                  mean / 10, mean % 10, tick_ms, ticks, server->pace_burst.more);
    }
}

static void speed_up(server_t *server) {
    server->snapshot_ticks = Q_MaxI(server->snapshot_ticks / 2, server->config.snapshot_ticks);
    server->pace.calm = 0;
}

// Sets the interval of snapshots after a window. How long ticks take with more snapshots is not
// known before they are tried: a burst of joins must not halve the snapshots for ever.
static void judge(server_t *server, int32_t mean, int32_t tick_ms) {
    pace_t *pace = &server->pace;
    pace->calm = mean < CALM_TENTHS * tick_ms ? pace->calm + 1 : 0;
    if (mean > BUSY_TENTHS * tick_ms) {
        slow_down(server, mean, tick_ms);
        return;
    }
    if (pace->tried > 0 && --pace->tried == 0) {
        pace->wait = MIN_CALM; // the try was good
    }
    if (server->snapshot_ticks == server->config.snapshot_ticks) {
        return;
    }
    if (mean < FREE_TENTHS * tick_ms) {
        speed_up(server);
    } else if (pace->calm >= Q_MaxI(pace->wait, MIN_CALM)) {
        speed_up(server);
        pace->tried = TRY_WINDOWS;
    }
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
    judge(server, times->mean, tick_ms);
}
