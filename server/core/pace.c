/// core/pace.c - how long ticks take, and fewer snapshots while they take too long.
//
// The tick rate has priority: the world must keep the time. A server whose ticks take too long
// sends snapshots less often. It measures what they cost, so it knows which interval it can afford:
//
//   a tick = the rest + fixed + all snapshots / interval
//
// A part of sending is fixed because a change is coded once for all clients of a tick. It is
// measured when the interval becomes shorter; before, it is 0.

#include "core/server_local.h"
#include "world/tick_time.h"

#define WINDOW_MS       1000 // of the means
#define LOG_WINDOW_MS   5000
#define MOST_BETWEEN_MS 200   // maximum from one snapshot to the next; clients extrapolate as long
#define MOST_BETWEEN    15    // the same, ticks: the view of a shot cannot span more (usercmd.h)
#define BUSY_PERCENT    85    // of a tick's length: from this mean on, the interval grows
#define GOAL_PERCENT    75    // the same: goal of a new interval; 99 of 100 ticks then end in time
#define LEAST_PERCENT   2     // the same: an interval with cheaper snapshots is long enough
#define CALM_WINDOWS    4     // in a row that could afford a shorter interval, before one is set
#define MOST_FIXED      0.75f // share of sending; more is noise of the measurement
#define MOST_LENGTHS    4     // of a tick; a longer one, as after SIGSTOP, counts as so long

static uint16_t tenths_ms(int64_t ns) {
    return (uint16_t)(ns < 0 ? 0 : ns > UINT16_MAX * INT64_C(100000) ? UINT16_MAX : ns / 100000);
}

// Returns the fixed share of sending with an interval.
static float fixed_share(const pace_t *pace, int32_t ticks) {
    return pace->fixed * (float)ticks / (1.0f + pace->fixed * (float)ticks);
}

// Measures the fixed part of sending in the first window after the interval became shorter.
static void measure_fixed(server_t *server) {
    const tick_times_t *times = &server->tick_times;
    pace_t *pace = &server->pace;
    const int32_t now = server->snapshot_ticks;
    if (pace->ticks_before > now && times->sending_ns > 0) {
        const float before = (float)pace->sending_before;
        const float sending = (float)times->sending_ns / (float)times->count;
        const float ratio = (float)pace->ticks_before / (float)now;
        const float measured = (ratio * before / sending - 1.0f) / (ratio - 1.0f);
        const float share = Q_ClampF(measured, 0.0f, MOST_FIXED);
        pace->fixed = share / (1.0f - share) / (float)now;
    }
    pace->ticks_before = 0;
}

// Returns the shortest interval with which ticks take at most GOAL_PERCENT. A longer one would let
// a crowd wait for each other's entities.
static int32_t affordable(const server_t *server, int32_t tick_ms) {
    const tick_times_t *times = &server->tick_times;
    const int64_t percent_ns = times->count * tick_ms * 10000;
    const float share = fixed_share(&server->pace, server->snapshot_ticks);
    const int64_t fixed_ns = (int64_t)(share * (float)times->sending_ns);
    const int64_t all_ns = (times->sending_ns - fixed_ns) * server->snapshot_ticks;
    const int64_t rest_ns = times->sum_ns - times->sending_ns + fixed_ns;
    const int32_t longest = Q_MinI(MOST_BETWEEN_MS / tick_ms, MOST_BETWEEN);
    int32_t ticks = server->config.snapshot_ticks;
    while (ticks < longest && rest_ns + all_ns / ticks > GOAL_PERCENT * percent_ns &&
           all_ns / ticks > LEAST_PERCENT * percent_ns) {
        ticks++;
    }
    return ticks;
}

static void slow_down(server_t *server, int32_t ticks, int32_t tick_ms) {
    const int32_t mean = server->tick_times.mean;
    server->snapshot_ticks = ticks;
    server->stats.snapshots_slowed++;
    if (Log_BurstAllows(&server->pace_burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_WARN,
                  "ticks take %d.%d ms of %d: clients receive a snapshot every %d ticks for now%s",
                  mean / 10, mean % 10, tick_ms, ticks, server->pace_burst.more);
    }
}

// Sets the interval of snapshots after a window. One slow window, as of joins, at most doubles it.
static void judge(server_t *server, int32_t tick_ms) {
    pace_t *pace = &server->pace;
    const int32_t now = server->snapshot_ticks;
    measure_fixed(server);
    const int32_t ticks = affordable(server, tick_ms);
    if (ticks > now && 10 * server->tick_times.mean >= BUSY_PERCENT * tick_ms) {
        slow_down(server, Q_MinI(ticks, 2 * now), tick_ms);
    }
    pace->calm_windows = ticks < now ? pace->calm_windows + 1 : 0;
    pace->calm_ticks = pace->calm_windows == 1 ? ticks : Q_MaxI(pace->calm_ticks, ticks);
    if (pace->calm_windows == CALM_WINDOWS) {
        pace->calm_windows = 0;
        pace->ticks_before = now;
        pace->sending_before = server->tick_times.sending_ns / server->tick_times.count;
        server->snapshot_ticks = pace->calm_ticks;
    }
}

void Server_NoteTick(server_t *server, int64_t took_ns, int64_t sending_ns) {
    tick_times_t *times = &server->tick_times;
    const int32_t tick_ms = Server_TickMs(server);
    const int64_t most_ns = MOST_LENGTHS * tick_ms * INT64_C(1000000);
    const int64_t counted_ns = took_ns < most_ns ? took_ns : most_ns;
    times->sum_ns += counted_ns;
    times->sending_ns += sending_ns < counted_ns ? sending_ns : counted_ns;
    times->worst_ns = took_ns > times->worst_ns ? took_ns : times->worst_ns;
    if (++times->count * tick_ms < WINDOW_MS) {
        return;
    }
    times->mean = tenths_ms(times->sum_ns / times->count);
    times->worst = tenths_ms(times->worst_ns);
    judge(server, tick_ms);
    times->sum_ns = times->sending_ns = times->worst_ns = times->count = 0;
}
