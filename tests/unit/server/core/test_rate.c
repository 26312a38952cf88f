// Tests the byte budget of one client: wishes, the bucket, and how the rate follows a narrow path.

#include "core/rate.h"

#include "lib/testing.h"
#include "proto/snapshot_codec.h"

#include <stdlib.h>
#include <string.h>

#define HELD 4096 // snapshots and acknowledgements on the path

// A path with a queue before its narrowest place. Snapshots that do not fit in the queue are lost.
typedef struct {
    int32_t bytes_s;     // 0 = any
    int32_t queue_bytes; // at least one snapshot
    int32_t delay_ms, jitter_ms, loss_percent;
    int32_t ack_ms; // between two packets of the client
    int32_t every_ms;
    rate_t rate;
    int64_t now_ms, tick;
    double free_ms; // when the narrow place has sent its queue
    int32_t num_held;
    struct {
        int64_t tick, sent_ms, at_ms;
    } held[HELD];
    int64_t newest; // received snapshot
    int64_t seen_tick, seen_ms;
    uint32_t seed;
    // Counted since reset():
    int64_t sent_bytes, sent, lost, skipped, late_ms;
} path_t;

// A window whose snapshots, losses and delays the test chooses.
typedef struct {
    int32_t sent, lost;
    bool repeats;  // acknowledges the last snapshot again for each lost one
    int32_t bytes; // of each snapshot, with headers
    int32_t delay_ms, jitter_ms;
    int32_t passed_ms;
} window_t;

static const rate_bounds_t bounds = {8000, 80000};
static const rate_bounds_t steps = {5000, 64000}; // 64 steps of 1000

static int32_t random_below(path_t *path, int32_t limit) {
    path->seed = path->seed * 1664525u + 1013904223u;
    return limit > 0 ? (int32_t)((path->seed >> 8) % (uint32_t)limit) : 0;
}

static void reset(path_t *path) {
    path->sent_bytes = path->sent = path->lost = path->skipped = path->late_ms = 0;
}

static void put_on_path(path_t *path, int32_t bytes) {
    double start = path->free_ms > (double)path->now_ms ? path->free_ms : (double)path->now_ms;
    double waits = start - (double)path->now_ms;
    bool is_full = path->bytes_s > 0 && waits * path->bytes_s / 1000 + bytes > path->queue_bytes;
    if (is_full || random_below(path, 100) < path->loss_percent) {
        path->lost++;
        return;
    }
    if (path->bytes_s > 0) {
        path->free_ms = start + bytes * 1000.0 / path->bytes_s;
        waits = path->free_ms - (double)path->now_ms;
    }
    path->late_ms += (int64_t)waits;
    assert_true(path->num_held < HELD);
    int64_t at_ms = path->now_ms + (int64_t)waits + path->delay_ms +
                    random_below(path, 2 * path->jitter_ms) - path->jitter_ms;
    path->held[path->num_held].tick = path->tick;
    path->held[path->num_held].sent_ms = path->now_ms;
    path->held[path->num_held++].at_ms = at_ms;
}

static void turn(path_t *path, int32_t wish) {
    path->tick++;
    int32_t bytes = Rate_Bytes(&path->rate, wish, bounds, path->every_ms, path->now_ms);
    assert_true(bytes == 0 || (bytes >= SNAPSHOT_MIN_BYTES && bytes <= MAX_PACKET_BYTES));
    if (bytes == 0) {
        path->skipped++;
        return;
    }
    Rate_NoteSent(&path->rate, path->tick, bytes);
    path->sent++;
    path->sent_bytes += bytes + RATE_HEADERS;
    put_on_path(path, bytes + RATE_HEADERS);
}

static void run(path_t *path, int32_t wish, int32_t for_ms) {
    for (int64_t end_ms = path->now_ms + for_ms; path->now_ms < end_ms; path->now_ms++) {
        if (path->now_ms % path->every_ms == 0) {
            turn(path, wish);
        }
        for (int32_t i = 0; i < path->num_held; i++) {
            if (path->held[i].at_ms > path->now_ms) {
                continue;
            }
            if (path->held[i].tick > path->newest) {
                path->newest = path->held[i].tick;
                path->seen_ms = path->held[i].sent_ms;
            }
            path->held[i--] = path->held[--path->num_held];
        }
        if (path->ack_ms > 0 && path->now_ms % path->ack_ms == 0) {
            int64_t delay_ms = path->now_ms + path->delay_ms - path->seen_ms; // the way back
            Rate_NoteAck(&path->rate, path->newest, (int32_t)delay_ms);
        }
    }
}

static path_t *new_path(int32_t bytes_s, int32_t queue_bytes, int32_t every_ms) {
    path_t *path = calloc(1, sizeof *path);
    assert_non_null(path);
    path->bytes_s = bytes_s;
    path->queue_bytes = queue_bytes;
    path->every_ms = every_ms;
    path->delay_ms = 25;
    path->ack_ms = 17;
    path->now_ms = 1000;
    path->seed = 1;
    return path;
}

static void test_wishes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int32_t wish;
    } rows[] = {{"0", 0},
                {"20000", 20000},
                {"2147483647", RATE_MAX},
                {"2147483648", 0},
                {"-1", 0},
                {"fast", 0},
                {"", 0},
                {"1e9", 0},
                {"99999999999999999999", 0},
                {"1", 1},
                {"1000000000", RATE_MAX}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        assert_int_equal(Rate_Wish(rows[i].text), rows[i].wish);
    }
}

// Checks the bytes of 10 s against the rate that the wish and the bounds leave.
static void test_bounds_and_bucket(void **state) {
    (void)state;
    static const struct {
        int32_t wish, rate;
    } rows[] = {{1, 8000}, {20000, 20000}, {0, 80000}, {RATE_MAX, 80000}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        for (int32_t every_ms = 16; every_ms <= 48; every_ms += 32) {
            path_t *path = new_path(0, 0, every_ms);
            run(path, rows[i].wish, 10000);
            int32_t most = (MAX_PACKET_BYTES + RATE_HEADERS) * 1000 / every_ms; // one a turn
            int64_t expected = INT64_C(10) * Q_MinI(rows[i].rate, most);
            assert_in_range(path->sent_bytes, expected * 97 / 100, expected + 2600);
            assert_true(path->skipped == 0 || rows[i].rate * every_ms / 1000 < SNAPSHOT_MIN_BYTES);
            free(path);
        }
    }
    rate_t rate = {0};
    assert_int_equal(Rate_Bytes(&rate, 0, (rate_bounds_t){0, 0}, 16, 1000), MAX_PACKET_BYTES);
    assert_int_equal(rate.rate, RATE_MAX);
    (void)Rate_Bytes(&rate, 0, (rate_bounds_t){50000, 9000}, 16, 1016);
    assert_int_equal(rate.rate, 9000); // the maximum counts
    (void)Rate_Bytes(&rate, 0, (rate_bounds_t){-5, INT32_MAX}, 16, INT64_MAX / 1000000);
    assert_in_range(rate.rate, 9000, RATE_MAX);
}

static void test_loss_lowers_the_rate(void **state) {
    (void)state;
    for (int32_t every_ms = 16; every_ms <= 48; every_ms += 32) {
        path_t *path = new_path(16000, 1500, every_ms);
        run(path, 0, 8000);
        reset(path);
        run(path, 0, 10000);
        assert_true(path->lost * 100 < path->sent * 25); // 80 and 40 % without
        assert_true(path->sent_bytes > 10 * 16000 / 2);
        path->bytes_s = 0; // a wide path again
        run(path, 0, 35000);
        assert_int_equal(path->rate.rate, bounds.max);
        free(path);
    }
}

static void test_a_queue_lowers_the_rate(void **state) {
    (void)state;
    for (int32_t every_ms = 16; every_ms <= 48; every_ms += 32) {
        path_t *path = new_path(16000, 64000, every_ms); // the queue is 4 s long
        run(path, 0, 12000);
        reset(path);
        run(path, 0, 10000);
        assert_true(path->late_ms / path->sent < 600); // 4 s without
        assert_true(path->sent_bytes > 10 * 16000 / 2);
        free(path);
    }
}

static void test_noise_does_not_lower_the_rate(void **state) {
    (void)state;
    static const struct {
        int32_t every_ms, ack_ms, jitter_ms, loss_percent;
    } rows[] = {{16, 17, 0, 0},  {16, 33, 0, 0},  {16, 16, 3, 1},  {16, 7, 10, 1},
                {16, 17, 12, 0}, {48, 17, 20, 1}, {48, 100, 5, 1}, {200, 17, 5, 2}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        path_t *path = new_path(0, 0, rows[i].every_ms);
        path->ack_ms = rows[i].ack_ms;
        path->jitter_ms = rows[i].jitter_ms;
        path->loss_percent = rows[i].loss_percent;
        int32_t least = bounds.max;
        for (int32_t n = 0; n < 100; n++) {
            run(path, 0, 100);
            least = Q_MinI(least, path->rate.rate);
        }
        assert_true(least > bounds.max / 2);
        free(path);
    }
    // A longer path is normal after a while.
    path_t *path = new_path(0, 0, 48);
    run(path, 0, 4000);
    path->delay_ms = 100;
    run(path, 0, 40000);
    assert_int_equal(path->rate.rate, bounds.max);
    free(path);
}

// Without jitter, a loss of a quarter is no noise.
static void test_much_loss_is_no_noise(void **state) {
    (void)state;
    path_t *path = new_path(0, 0, 16);
    path->loss_percent = 25;
    run(path, 0, 10000);
    assert_true(path->rate.rate < bounds.max / 2);
    free(path);
}

// A path that was silent for 20 s is as good as before.
static void test_silence_ends(void **state) {
    (void)state;
    path_t *path = new_path(0, 0, 16);
    run(path, 0, 2000);
    path->ack_ms = 0;
    run(path, 0, 20000);
    assert_int_equal(path->rate.rate, bounds.min);
    path->ack_ms = 17;
    run(path, 0, 35000);
    assert_int_equal(path->rate.rate, bounds.max);
    free(path);
}

// Tests clients that acknowledge nothing, or snapshots that were never sent.
static void test_wrong_acknowledgements(void **state) {
    (void)state;
    static const int64_t wrong[] = {0, -1, INT64_MIN, INT64_MAX, 1};
    path_t *path = new_path(0, 0, 16);
    path->ack_ms = 0;
    run(path, 0, 20000);
    assert_int_equal(path->rate.rate, bounds.min); // the client hears nothing
    for (size_t i = 0; i < COUNTOF(wrong); i++) {
        Rate_NoteAck(&path->rate, wrong[i], INT32_MIN);
        Rate_NoteAck(&path->rate, wrong[i], INT32_MAX);
        assert_int_equal(path->rate.acked_tick, 0);
        run(path, 0, 100);
    }
    Rate_Restart(&path->rate);
    path->tick = 0;
    path->newest = 0;
    path->num_held = 0;
    path->ack_ms = 16;
    run(path, 0, 35000);
    assert_int_equal(path->rate.rate, bounds.max);
    free(path);
}

// ---- one window ----

// Returns a rate of 32000 bytes/s with a window that begins at 10000 ms. A step up is 1000 bytes/s.
// Acknowledgements have taken 20 ms.
static rate_t new_rate(void) {
    rate_t rate = {0};
    (void)Rate_Bytes(&rate, 0, steps, 16, 9000);
    for (int64_t tick = 1; tick <= 2; tick++) {
        Rate_NoteSent(&rate, tick, 100);
        Rate_NoteAck(&rate, tick, 20);
    }
    (void)Rate_Bytes(&rate, 0, steps, 16, 10000);
    rate.rate = 32000;
    rate.window = (rate_window_t){.start_ms = 10000};
    return rate;
}

// Sends the snapshots of a window, of which the client does not receive the first `lost`. Returns
// the rate after `passed_ms`.
static int32_t rate_after(const window_t *window) {
    rate_t rate = new_rate();
    for (int32_t i = 1; i <= window->sent; i++) {
        Rate_NoteSent(&rate, 2 + i, window->bytes - RATE_HEADERS);
        const int32_t more_ms = i % 2 ? 0 : 2 * window->jitter_ms;
        if (i > window->lost) {
            Rate_NoteAck(&rate, 2 + i, window->delay_ms + more_ms);
        } else if (window->repeats) {
            Rate_NoteAck(&rate, 2, window->delay_ms);
        }
    }
    (void)Rate_Bytes(&rate, 0, steps, 16, 10000 + window->passed_ms);
    return rate.rate;
}

// Tests the bounds between a window that raises the rate by a step, one that changes nothing and
// one that lowers it to 9/8 of what was used, at most to 3/4.
static void test_the_end_of_a_window(void **state) {
    (void)state;
    enum { UP = 33000, SAME = 32000, DOWN = 24000 };
    static const struct {
        window_t window;
        int32_t rate;
    } rows[] = {
        {{20, 0, true, 1000, 20, 0, 499}, SAME}, // too soon
        {{20, 0, true, 1000, 20, 0, 500}, UP},
        {{8, 0, true, 1000, 20, 0, 500}, UP},
        {{7, 0, true, 1000, 20, 0, 500}, SAME}, // too few snapshots
        {{7, 0, true, 1000, 20, 0, 3999}, SAME},
        {{7, 0, true, 1000, 20, 0, 4000}, UP},
        {{1, 0, true, 1000, 20, 0, 4000}, UP},
        {{0, 0, true, 1000, 20, 0, 4000}, SAME}, // none
        {{20, 3, true, 1000, 20, 0, 500}, UP},   // a loss of 15 % is noise
        {{25, 4, true, 1000, 20, 0, 500}, DOWN}, // 16 %
        {{20, 9, false, 1000, 20, 0, 500}, UP},  // a client that sends few commands
        {{100, 21, true, 500, 20, 2, 500}, UP},  // jitter of 2 ms: 6 % more
        {{100, 22, true, 500, 20, 2, 500}, DOWN},
        {{100, 30, true, 500, 20, 9, 500}, UP}, // at most 15 % more
        {{100, 31, true, 500, 20, 9, 500}, DOWN},
        {{20, 0, true, 1000, 70, 0, 500}, UP}, // 50 ms more than before are no queue
        {{20, 0, true, 1000, 71, 0, 500}, DOWN},
        {{20, 0, true, 500, 71, 0, 500}, 22500}, // 20000 bytes/s were used
        {{20, 0, true, 500, 71, 0, 625}, 18000},
        {{20, 0, true, 100, 71, 0, 500}, 5000}, // the minimum
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        print_message("row %zu\n", i);
        assert_int_equal(rate_after(&rows[i].window), rows[i].rate);
    }
}

// A longer path counts as normal from the second end of an epoch on. Epochs of 5 s begin at 9000.
static void test_epochs(void **state) {
    (void)state;
    rate_t rate = new_rate();
    int64_t tick = 3;
    for (int64_t now_ms = 10500; now_ms <= 30000; now_ms += 500) {
        const int32_t before = rate.rate;
        for (int32_t i = 0; i < 10; i++) {
            Rate_NoteSent(&rate, tick, 900);
            Rate_NoteAck(&rate, tick++, 100);
        }
        (void)Rate_Bytes(&rate, 0, steps, 16, now_ms);
        assert_int_equal(rate.rate > before, now_ms >= 19000);
        assert_true(now_ms < 15000 || now_ms >= 19000 || rate.rate == steps.min);
    }
}

// A snapshot is lost once 64 later ones were sent without an acknowledgement. The server ignores a
// late acknowledgement of it, and knows those of the 64.
static void test_what_is_lost(void **state) {
    (void)state;
    for (int32_t before = 0; before <= RATE_UNJUDGED; before += 40) { // begins there in the ring
        for (int32_t lost = 0; lost <= 6; lost += lost ? 5 : 1) {
            rate_t rate = new_rate();
            int64_t tick = 3;
            for (int32_t i = 0; i < before; i++, tick++) {
                Rate_NoteSent(&rate, tick, 100);
                Rate_NoteAck(&rate, tick, 20);
            }
            rate.window = (rate_window_t){.start_ms = 10000};
            const int64_t oldest = tick + lost;
            for (int32_t i = 0; i < RATE_MIN_TURNS + lost; i++) {
                Rate_NoteSent(&rate, tick++, 1000);
            }
            assert_int_equal(rate.window.skipped, lost);
            (void)Rate_Bytes(&rate, 0, steps, 16, 14000);
            assert_true((rate.rate < 32000) == (lost > 0));
            Rate_NoteAck(&rate, oldest - 1, 20);
            assert_true(rate.acked_tick < oldest);
            Rate_NoteAck(&rate, oldest, 20);
            assert_int_equal(rate.acked_tick, oldest);
            Rate_NoteAck(&rate, tick - 1, 20);
            assert_int_equal(rate.acked_tick, tick - 1);
            assert_int_equal(rate.count, 0);
        }
    }
}

// A window that sent nothing may lower the rate, but not to 0, which stands for the ceiling. No
// interval is too short.
static void test_the_lowest_rate(void **state) {
    (void)state;
    const rate_bounds_t any = {0, 64000};
    rate_t rate = new_rate();
    for (int64_t tick = 3; tick < 23; tick++) {
        Rate_NoteSent(&rate, tick, 100);
    }
    rate.window = (rate_window_t){.start_ms = 10000};
    for (int32_t i = 0; i < 19; i++) {
        Rate_NoteAck(&rate, 2, 20);
    }
    Rate_NoteAck(&rate, 22, 20);
    for (int32_t turn = 0; turn < 3; turn++) {
        (void)Rate_Bytes(&rate, 0, any, 0, 10500 + turn);
        assert_int_equal(rate.rate, 1);
    }
}

// Tests that short turns at a low rate add up: the bucket keeps parts of a byte.
static void test_a_low_rate_in_short_turns(void **state) {
    (void)state;
    rate_t rate = {0};
    int32_t bytes = 0;
    for (int64_t now_ms = 1000; now_ms <= 9000; now_ms++) {
        const int32_t size = Rate_Bytes(&rate, 0, (rate_bounds_t){500, 500}, 1, now_ms);
        assert_true(size == 0 || size >= SNAPSHOT_MIN_BYTES);
        if (size > 0) {
            Rate_NoteSent(&rate, now_ms, size);
            bytes += size + RATE_HEADERS;
        }
    }
    const int32_t first = MAX_PACKET_BYTES + RATE_HEADERS;
    assert_in_range(bytes, first + 4000 - first / 2, first + 4000);
}

// A turn sends the smallest snapshot if the bucket has space for just that.
static void test_the_smallest_snapshot(void **state) {
    (void)state;
    for (int32_t more = 0; more < 2; more++) {
        rate_t rate = {0};
        assert_int_equal(Rate_Bytes(&rate, 0, steps, 16, 10000), MAX_PACKET_BYTES);
        Rate_NoteSent(&rate, 1, MAX_PACKET_BYTES - SNAPSHOT_MIN_BYTES - RATE_HEADERS + more);
        const int32_t size = Rate_Bytes(&rate, 0, steps, 16, 10000);
        assert_int_equal(size, more ? 0 : SNAPSHOT_MIN_BYTES);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wishes),
        cmocka_unit_test(test_bounds_and_bucket),
        cmocka_unit_test(test_loss_lowers_the_rate),
        cmocka_unit_test(test_a_queue_lowers_the_rate),
        cmocka_unit_test(test_noise_does_not_lower_the_rate),
        cmocka_unit_test(test_much_loss_is_no_noise),
        cmocka_unit_test(test_silence_ends),
        cmocka_unit_test(test_wrong_acknowledgements),
        cmocka_unit_test(test_the_end_of_a_window),
        cmocka_unit_test(test_epochs),
        cmocka_unit_test(test_what_is_lost),
        cmocka_unit_test(test_the_lowest_rate),
        cmocka_unit_test(test_a_low_rate_in_short_turns),
        cmocka_unit_test(test_the_smallest_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
