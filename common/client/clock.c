#include "client/clock.h"

#include "base/assert.h"

#define JITTER_MS   32   // spare time at the start, before the first measurement
#define WINDOW_MS   1000 // length of a measurement
#define STEP_MAX_MS 200  // maximum of one correction
#define RESYNC_MS   1000 // restart if commands are this far behind the server
#define PAUSE_MS    100  // if commands are later than this, the program was paused
#define BURST_MS    250  // overdue time to catch up with; the rest is skipped
#define SILENCE_MS  5000 // commands stop if no snapshot arrived for so long

void Clock_Reset(cl_clock_t *clock, int32_t rate_mhz, int32_t cmd_ms) {
    ASSERT(rate_mhz >= TICKS_MIN_RATE_MHZ && cmd_ms >= 0 && cmd_ms <= MAX_CMD_MSEC);
    int32_t tick_ms = Ticks_MaxMs(rate_mhz);
    *clock = (cl_clock_t){.rate_mhz = rate_mhz,
                          .fixed_ms = cmd_ms,
                          .tick_ms = tick_ms,
                          .cmd_ms = cmd_ms > 0 ? cmd_ms : tick_ms};
}

static int64_t tick_end(const cl_clock_t *clock, int64_t count) {
    return Ticks_EndMs(clock->rate_mhz, count);
}

// Returns the end of the command that starts at from_ms.
static int64_t cmd_end(const cl_clock_t *clock, int64_t from_ms) {
    return clock->fixed_ms > 0 ? from_ms + clock->fixed_ms
                               : tick_end(clock, Ticks_At(clock->rate_mhz, from_ms) + 1);
}

// Returns the tick of the command that ends at end_ms.
static int64_t tick_of_cmd(const cl_clock_t *clock, int64_t end_ms) {
    return Ticks_At(clock->rate_mhz, end_ms - 1);
}

// Starts the clock at the first tick that a new command can reach.
static void start(cl_clock_t *clock, int64_t tick, int64_t now_ms, int32_t rtt_ms) {
    int64_t ahead_ms = Q_ClampI(rtt_ms, 0, WINDOW_MS) + JITTER_MS;
    int64_t before = tick_of_cmd(clock, tick_end(clock, tick) + ahead_ms);
    clock->running = true;
    clock->made_ms = tick_end(clock, before + 1);
    clock->shift_ms = cmd_end(clock, clock->made_ms) - now_ms;
    clock->unsettled = true;
    clock->worst_ms = INT32_MAX;
}

// Shifts the clock. Ignores measurements until a snapshot shows the effect.
static void shift(cl_clock_t *clock, int32_t by_ms) {
    clock->shift_ms += by_ms;
    clock->unsettled = true;
    clock->worst_ms = INT32_MAX;
}

// Returns the spare time of commands in a snapshot; negative = late.
static int32_t spare_ms(const cl_clock_t *clock, const snapshot_t *snapshot, uint32_t filled_ms) {
    if (filled_ms > 0) {
        return -Q_ClampI((int32_t)(filled_ms & INT32_MAX), clock->tick_ms, STEP_MAX_MS);
    }
    // Commands longer than a tick leave ticks without command, which are not late.
    int32_t shortest_ms = TICKS_PERIOD_MS / clock->rate_mhz;
    int64_t apart = clock->fixed_ms > 0 ? (clock->fixed_ms - 1) / shortest_ms : 0;
    int64_t late = snapshot->tick - 1 - snapshot->cmd_tick - apart;
    if (late > 0) {
        return late > STEP_MAX_MS ? -STEP_MAX_MS : -(int32_t)late * clock->tick_ms;
    }
    return snapshot->cmd_queued_ms;
}

static void judge_window(cl_clock_t *clock, int64_t tick) {
    // Whole ticks wait for less than two ticks; commands of another length come unevenly.
    int32_t wanted_ms = clock->tick_ms;
    int32_t max_ms = 2 * wanted_ms - (clock->fixed_ms > 0 ? 0 : 1);
    clock->lead_ms = clock->worst_ms;
    if (clock->worst_ms < wanted_ms) {
        shift(clock, wanted_ms - clock->worst_ms);
    } else if (clock->worst_ms > max_ms) {
        shift(clock, -((clock->worst_ms - max_ms + 1) / 2));
    } else {
        clock->window_tick = tick;
        clock->worst_ms = INT32_MAX;
    }
}

bool Clock_Snapshot(cl_clock_t *clock, const snapshot_t *snapshot, int64_t now_ms, int32_t rtt_ms) {
    uint32_t filled_ms = snapshot->filled_ms - clock->filled_ms;
    bool was_silent = now_ms - clock->heard_ms > SILENCE_MS;
    clock->filled_ms = snapshot->filled_ms;
    clock->heard_ms = now_ms;
    if (!clock->running || was_silent) {
        start(clock, snapshot->tick, now_ms, rtt_ms);
        return true;
    }
    int64_t overdue_ms = now_ms + clock->shift_ms - clock->made_ms;
    if (overdue_ms > clock->cmd_ms + PAUSE_MS) {
        clock->unsettled = true;
        clock->worst_ms = INT32_MAX;
        return false;
    }
    // The server refuses commands that arrive MAX_CMD_QUEUE ticks ahead, and reports them missing.
    int64_t max_ms = tick_end(clock, snapshot->tick + MAX_CMD_QUEUE) + Q_MaxI(rtt_ms, 0);
    int64_t min_ms = tick_end(clock, snapshot->tick) - RESYNC_MS;
    if (clock->made_ms < min_ms || clock->made_ms > max_ms) {
        start(clock, snapshot->tick, now_ms, rtt_ms);
        return true;
    }
    if (clock->unsettled || snapshot->tick <= clock->settled_tick) {
        return false;
    }
    int32_t spare = spare_ms(clock, snapshot, filled_ms);
    clock->worst_ms = Q_MinI(clock->worst_ms, spare);
    if (spare < 0) {
        clock->lead_ms = spare;
        shift(clock, Q_MinI(clock->tick_ms - spare, STEP_MAX_MS));
    } else if ((snapshot->tick - clock->window_tick) * clock->tick_ms >= WINDOW_MS) {
        judge_window(clock, snapshot->tick);
    }
    return false;
}

int32_t Clock_Due(cl_clock_t *clock, int64_t now_ms, int32_t *skipped) {
    *skipped = 0;
    if (!clock->running || now_ms - clock->heard_ms > SILENCE_MS) {
        return 0;
    }
    int64_t missing_ms = now_ms + clock->shift_ms - clock->made_ms;
    if (missing_ms > BURST_MS + clock->cmd_ms) {
        // Skip whole ticks, so that commands stay aligned with ticks.
        int64_t from_ms = tick_end(clock, Ticks_At(clock->rate_mhz, clock->made_ms));
        int64_t to = Ticks_At(clock->rate_mhz, from_ms + missing_ms - clock->cmd_ms);
        int64_t skip_ms = tick_end(clock, to) - from_ms;
        clock->made_ms += skip_ms;
        int64_t count = skip_ms / clock->cmd_ms;
        *skipped = count > INT32_MAX ? INT32_MAX : (int32_t)count;
    }
    int32_t due = 0;
    int64_t end_ms = clock->made_ms;
    for (int64_t next_ms; (next_ms = cmd_end(clock, end_ms)) <= now_ms + clock->shift_ms; due++) {
        end_ms = next_ms;
    }
    if (clock->unsettled && due > 0) {
        clock->unsettled = false;
        clock->settled_tick = tick_of_cmd(clock, end_ms);
        clock->window_tick = clock->settled_tick;
    }
    return due;
}

int64_t Clock_NextTick(cl_clock_t *clock, uint8_t *msec) {
    int64_t end_ms = cmd_end(clock, clock->made_ms);
    *msec = (uint8_t)(end_ms - clock->made_ms);
    clock->made_ms = end_ms;
    return tick_of_cmd(clock, end_ms);
}
