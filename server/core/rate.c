#include "core/rate.h"

#include "base/str.h"
#include "proto/snapshot_codec.h"

#define BUCKET_BYTES   (MAX_PACKET_BYTES + RATE_HEADERS)
#define MIN_JUDGED     8    // snapshots of a window; a window with fewer continues
#define MAX_WINDOW_MS  4000 // end of a window with fewer
#define EPOCH_MS       5000 // a longer path counts as normal after one or two epochs
#define LATE_MS        50   // delay above the least one that is a queue on the path
#define LOSS_PERCENT   15   // more is a full path; less is the noise of radio links
#define JITTER_PERCENT 15   // added at most, because late snapshots arrive together and look lost
#define MAX_DELAY_MS   60000
#define STEPS_UP       64 // windows from 0 to the ceiling

int32_t Rate_Wish(const char *text) {
    int64_t wish = 0;
    return Str_ToInt(text, 0, INT32_MAX, &wish) ? Q_MinI((int32_t)wish, RATE_MAX) : 0;
}

void Rate_Restart(rate_t *rate) {
    const int32_t kept = rate->rate;
    *rate = (rate_t){.rate = kept};
}

// Returns the least delay of recent acknowledgements. Begins an epoch when the last one is over.
static int32_t base_delay(rate_t *rate, int64_t now_ms) {
    if (now_ms - rate->epoch_ms >= EPOCH_MS) {
        rate->epoch_ms = now_ms;
        rate->delays[1] = rate->delays[0];
        rate->delays[0] = 0;
    }
    const int32_t now = rate->delays[0];
    const int32_t last = rate->delays[1];
    return (now == 0 || (last > 0 && last < now) ? last : now) - 1;
}

// Returns true if the path lost or delayed the snapshots of the window.
static bool is_congested(const rate_t *rate, int32_t base_ms, int32_t interval_ms) {
    const rate_window_t *window = &rate->window;
    // A client that sends few commands cannot acknowledge every snapshot, but it repeats none.
    const int32_t lost = Q_MinI(window->skipped, window->repeats);
    if (window->acked == 0) {
        return lost > 0;
    }
    const int32_t jitter_ms = window->sum_ms / window->acked - window->least_ms;
    const int32_t allowed = LOSS_PERCENT + Q_MinI(50 * jitter_ms / interval_ms, JITTER_PERCENT);
    return lost * 100 > allowed * (window->acked + window->skipped) ||
           window->least_ms > base_ms + LATE_MS;
}

// Changes the rate at the end of a window.
static void judge(rate_t *rate, int32_t low, int32_t ceiling, int32_t interval_ms, int64_t now_ms) {
    rate_window_t *window = &rate->window;
    const int64_t passed_ms = now_ms - window->start_ms;
    const bool is_short = window->acked + window->skipped < MIN_JUDGED;
    if (passed_ms < RATE_WINDOW_MS || (is_short && passed_ms < MAX_WINDOW_MS)) {
        return;
    }
    const int32_t base_ms = base_delay(rate, now_ms);
    if (is_congested(rate, base_ms, Q_MaxI(interval_ms, 1))) {
        const int64_t used = (int64_t)window->bytes * 1000 / passed_ms;
        const int64_t from = used * 3 / 2 < rate->rate ? used * 3 / 2 : rate->rate;
        rate->rate = Q_MaxI((int32_t)(from * 3 / 4), low);
    } else if (window->acked > 0) {
        rate->rate = Q_MinI(rate->rate + ceiling / STEPS_UP, ceiling);
    }
    *window = (rate_window_t){.start_ms = now_ms};
}

int32_t Rate_Bytes(rate_t *rate, int32_t wish, rate_bounds_t bounds, int32_t interval_ms,
                   int64_t now_ms) {
    const int32_t high = bounds.max > 0 ? Q_MinI(bounds.max, RATE_MAX) : RATE_MAX;
    const int32_t low = Q_ClampI(bounds.min, 1, high);
    const int32_t ceiling = wish > 0 ? Q_ClampI(wish, low, high) : high;
    rate->rate = rate->rate > 0 ? Q_ClampI(rate->rate, low, ceiling) : ceiling;
    rate->lost_turns =
        Q_ClampI(RATE_LOST_MS / Q_MaxI(interval_ms, 1), RATE_MIN_TURNS, RATE_UNJUDGED);
    judge(rate, low, ceiling, interval_ms, now_ms);
    const int64_t passed_ms = now_ms - rate->filled_ms;
    const int64_t filled = passed_ms * rate->rate / 1000;
    if (filled > 0) { // otherwise the rest would be lost in short turns
        rate->spent = filled < rate->spent ? rate->spent - (int32_t)filled : 0;
        rate->filled_ms = now_ms;
    }
    const int32_t size = BUCKET_BYTES - RATE_HEADERS - rate->spent;
    return size >= SNAPSHOT_MIN_BYTES ? size : 0;
}

void Rate_NoteSent(rate_t *rate, int64_t tick, int32_t bytes) {
    while (rate->count > 0 && rate->count >= rate->lost_turns) {
        rate->first = (rate->first + 1) % RATE_UNJUDGED;
        rate->count--;
        rate->window.skipped++;
        rate->window.repeats++;
    }
    rate->ticks[(rate->first + rate->count++) % RATE_UNJUDGED] = tick;
    rate->spent += bytes + RATE_HEADERS;
    rate->window.bytes += bytes + RATE_HEADERS;
}

void Rate_NoteAck(rate_t *rate, int64_t tick, int64_t delay_ms) {
    rate_window_t *window = &rate->window;
    if (tick <= rate->acked_tick) {
        window->repeats += tick > 0 && tick == rate->acked_tick ? 1 : 0;
        return;
    }
    int32_t n = 0;
    while (n < rate->count && rate->ticks[(rate->first + n) % RATE_UNJUDGED] < tick) {
        n++;
    }
    if (n == rate->count || rate->ticks[(rate->first + n) % RATE_UNJUDGED] != tick) {
        return; // never sent, or long ago
    }
    rate->first = (rate->first + n + 1) % RATE_UNJUDGED;
    rate->count -= n + 1;
    rate->acked_tick = tick;
    const int32_t ms = delay_ms < 0              ? 0
                       : delay_ms > MAX_DELAY_MS ? MAX_DELAY_MS
                                                 : (int32_t)delay_ms;
    window->least_ms = window->acked == 0 ? ms : Q_MinI(window->least_ms, ms);
    window->sum_ms += ms;
    window->acked++;
    window->skipped += n;
    rate->delays[0] = rate->delays[0] == 0 ? ms + 1 : Q_MinI(rate->delays[0], ms + 1);
}
