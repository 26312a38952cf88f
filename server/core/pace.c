/// core/pace.c - how long ticks take, and fewer snapshots while they take too long.
//
// The tick rate has priority: the world must keep the time. A server whose ticks take longer than
// their length sends snapshots less often until it has caught up.

#include "core/server_local.h"
#include "world/tick_time.h"

#define WINDOW_MS       1000 // of the means
#define LOG_WINDOW_MS   5000
#define MOST_BETWEEN_MS 200 // maximum from one snapshot to the next; clients extrapolate as long
#define MOST_BETWEEN    15  // the same, ticks: the view of a shot cannot span more (usercmd.h)
#define BUSY_PERCENT    85  // of a tick's length: a mean above it makes the interval longer
#define CALM_PERCENT    75  // goal of a change: with this mean, 99 of 100 ticks end in time
#define MOST_LENGTHS    4   // of a tick; a longer one, as after SIGSTOP, counts as so long
#define MIN_CALM        4   // calm windows before a try ...
#define MAX_CALM        64  // ... twice as many after each try that failed
#define TRY_WINDOWS     4   // a try that is busy within these failed

static uint16_t tenths_ms(int64_t ns) {
    return (uint16_t)(ns < 0 ? 0 : ns > UINT16_MAX * INT64_C(100000) ? UINT16_MAX : ns / 100000);
}

// Returns the interval with which ticks take at most CALM_PERCENT, even if they do nothing but send
// snapshots. A longer one than necessary would let a crowd wait for each other's entities.
static int32_t calm_interval(const server_t *server, int32_t mean, int32_t tick_ms) {
    const int32_t calm = CALM_PERCENT * tick_ms;
    return (server->snapshot_ticks * 10 * mean + calm - 1) / calm;
}

static void slow_down(server_t *server, int32_t mean, int32_t tick_ms) {
    pace_t *pace = &server->pace;
    const int32_t now = server->snapshot_ticks;
    const int32_t longest = Q_MaxI(Q_MinI(MOST_BETWEEN_MS / tick_ms, MOST_BETWEEN), now);
    pace->wait = pace->tried > 0 ? Q_MinI(2 * pace->wait, MAX_CALM) : MIN_CALM;
    pace->calm = pace->tried = 0;
    const int32_t wish = Q_ClampI(calm_interval(server, mean, tick_ms), now + 1, 2 * now);
    const int32_t ticks = Q_MinI(wish, longest);
    if (ticks == now) {
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

static void speed_up(server_t *server, int32_t ticks) {
    const int32_t least = Q_MaxI(server->snapshot_ticks / 2, server->config.snapshot_ticks);
    server->snapshot_ticks = Q_MaxI(ticks, least);
    server->pace.calm = 0;
}

// Sets the interval of snapshots after a window. Snapshots that surely fit come back at once. The
// cost of more is not known before it is tried: a burst of joins must not cost snapshots for ever.
static void judge(server_t *server, int32_t mean, int32_t tick_ms) {
    pace_t *pace = &server->pace;
    const int32_t percent = 10 * mean / tick_ms;
    pace->calm = percent < CALM_PERCENT ? pace->calm + 1 : 0;
    if (percent >= BUSY_PERCENT) {
        slow_down(server, mean, tick_ms);
        return;
    }
    if (pace->tried > 0 && --pace->tried == 0) {
        pace->wait = MIN_CALM; // the try was good
    }
    if (server->snapshot_ticks == server->config.snapshot_ticks) {
        return;
    }
    const int32_t calm = calm_interval(server, mean, tick_ms);
    if (calm < server->snapshot_ticks) {
        speed_up(server, calm);
    } else if (pace->calm >= Q_MaxI(pace->wait, MIN_CALM)) {
        speed_up(server, server->snapshot_ticks - Q_MaxI(server->snapshot_ticks / 4, 1));
        pace->tried = TRY_WINDOWS;
    }
}

void Server_NoteTick(server_t *server, int64_t took_ns) {
    tick_times_t *times = &server->tick_times;
    const int32_t tick_ms = Server_TickMs(server);
    const int64_t most_ns = MOST_LENGTHS * tick_ms * INT64_C(1000000);
    times->sum_ns += took_ns < most_ns ? took_ns : most_ns;
    times->worst_ns = took_ns > times->worst_ns ? took_ns : times->worst_ns;
    if (++times->count * tick_ms < WINDOW_MS) {
        return;
    }
    times->mean = tenths_ms(times->sum_ns / times->count);
    times->worst = tenths_ms(times->worst_ns);
    times->sum_ns = times->worst_ns = times->count = 0;
    judge(server, times->mean, tick_ms);
}
