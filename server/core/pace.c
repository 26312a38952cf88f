/// core/pace.c - how long ticks take, and fewer snapshots while they take too long.
//
// The tick rate has priority: the world must keep the time. A server whose ticks take too long
// sends snapshots less often. It measures what they cost, so it knows which interval it can afford:
//
//   a tick = the rest + sending;   sending = all * (fixed + 1 / interval)
//
// A part of sending is fixed, because a snapshot after more ticks has more changes. It is measured
// whenever the interval changes. A tick that waits for a late one does not work longer, so a server
// that catches up after a burst is not taken for a slow one.

#include "core/server_local.h"
#include "world/tick_time.h"

#define WINDOW_MS       1000 // of the means
#define LOG_WINDOW_MS   5000
#define MOST_BETWEEN_MS 200  // maximum from one snapshot to the next; clients extrapolate as long
#define MOST_BETWEEN    15   // the same, ticks: the view of a shot cannot span more (usercmd.h)
#define BUSY_PERCENT    85   // of a tick's length: from this mean on, the interval grows
#define GOAL_PERCENT    75   // the same: goal of a new interval; 99 of 100 ticks then end in time
#define LEAST_PERCENT   2    // the same: an interval with cheaper snapshots is long enough
#define MORE_PERCENT    125  // of the snapshots: a shorter interval with fewer is not worth it
#define MOST_FIXED      1.0f // more is noise of the measurement
#define MOST_LENGTHS    4    // of a tick; a longer one, as after SIGSTOP, counts as so long

static uint16_t tenths_ms(int64_t ns) {
    return (uint16_t)(ns < 0 ? 0 : ns > UINT16_MAX * INT64_C(100000) ? UINT16_MAX : ns / 100000);
}

// Measures the fixed part in the first window after the interval changed. Averages with the last
// value, because the load may have changed as well.
static void measure_fixed(pace_t *pace, int32_t ticks, float sending_ns) {
    if (pace->ticks_before > 0 && sending_ns > 0.0f) {
        const float before = 1.0f / (float)pace->ticks_before;
        const float now = 1.0f / (float)ticks;
        const float ratio = pace->sending_before / sending_ns;
        const bool is_plausible = before < now ? ratio < 1.0f : ratio > 1.0f;
        const float fixed = is_plausible ? (ratio * now - before) / (1.0f - ratio) : MOST_FIXED;
        pace->fixed = 0.5f * (pace->fixed + Q_ClampF(fixed, 0.0f, MOST_FIXED));
    }
    pace->ticks_before = 0;
}

// Returns the shortest interval with which ticks take at most GOAL_PERCENT. A longer one would let
// a crowd wait for each other's entities.
static int32_t affordable(const server_t *server, float rest_ns, float sending_ns,
                          int32_t tick_ms) {
    const float fixed = server->pace.fixed;
    const float all_ns = sending_ns / (fixed + 1.0f / (float)server->snapshot_ticks);
    const float percent_ns = 10000.0f * (float)tick_ms;
    const int32_t longest = Q_MinI(MOST_BETWEEN_MS / tick_ms, MOST_BETWEEN);
    int32_t ticks = server->config.snapshot_ticks;
    for (; ticks < longest; ticks++) {
        const float then_ns = all_ns * (fixed + 1.0f / (float)ticks);
        if (rest_ns + then_ns <= GOAL_PERCENT * percent_ns ||
            then_ns <= LEAST_PERCENT * percent_ns) {
            break;
        }
    }
    return ticks;
}

static void slow_down(server_t *server, int32_t ticks, float mean_ns, int32_t tick_ms) {
    const int32_t mean = tenths_ms((int64_t)mean_ns);
    server->snapshot_ticks = ticks;
    server->stats.snapshots_slowed++;
    if (Log_BurstAllows(&server->pace_burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_WARN,
                  "ticks take %d.%d ms of %d: clients receive a snapshot every %d ticks for now%s",
                  mean / 10, mean % 10, tick_ms, ticks, server->pace_burst.more);
    }
}

// Returns the shortest interval that each of the last windows could afford.
static int32_t affordable_in_all(const pace_t *pace) {
    int32_t ticks = 0;
    for (int32_t i = 0; i < PACE_WINDOWS; i++) {
        ticks = Q_MaxI(ticks, pace->affordable[i]);
    }
    return ticks;
}

// Sets the interval of snapshots after a window. It at most doubles or halves, because one window,
// as of joins, may mislead.
static void judge(server_t *server, float mean_ns, float sending_ns, int32_t tick_ms) {
    pace_t *pace = &server->pace;
    const int32_t now = server->snapshot_ticks;
    measure_fixed(pace, now, sending_ns);
    const int32_t ticks = affordable(server, mean_ns - sending_ns, sending_ns, tick_ms);
    pace->affordable[pace->windows++ % PACE_WINDOWS] = ticks;
    const int32_t calm = affordable_in_all(pace);
    const bool is_wanted = calm == server->config.snapshot_ticks;
    if (ticks > now && 100.0f * mean_ns >= BUSY_PERCENT * 1e6f * (float)tick_ms) {
        slow_down(server, Q_MinI(ticks, 2 * now), mean_ns, tick_ms);
    } else if (calm < now && (is_wanted || 100 * now >= MORE_PERCENT * calm)) {
        server->snapshot_ticks = Q_MaxI(calm, (now + 1) / 2);
    }
    if (server->snapshot_ticks != now) {
        pace->ticks_before = now;
        pace->sending_before = sending_ns;
    }
}

void Server_NoteTick(server_t *server, int64_t took_ns, int64_t worked_ns, int64_t sending_ns) {
    tick_times_t *times = &server->tick_times;
    const int32_t tick_ms = Server_TickMs(server);
    const int64_t most_ns = MOST_LENGTHS * tick_ms * INT64_C(1000000);
    const int64_t counted_ns = worked_ns < most_ns ? worked_ns : most_ns;
    times->sum_ns += took_ns < most_ns ? took_ns : most_ns;
    times->worked_ns += counted_ns;
    times->sending_ns += sending_ns < counted_ns ? sending_ns : counted_ns;
    times->worst_ns = took_ns > times->worst_ns ? took_ns : times->worst_ns;
    if (++times->count * tick_ms < WINDOW_MS) {
        return;
    }
    const float count = (float)times->count;
    times->mean = tenths_ms(times->sum_ns / times->count);
    times->worst = tenths_ms(times->worst_ns);
    judge(server, (float)times->worked_ns / count, (float)times->sending_ns / count, tick_ms);
    times->sum_ns = times->worked_ns = times->sending_ns = times->worst_ns = times->count = 0;
}
