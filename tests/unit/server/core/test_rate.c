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

static const rate_bounds_t bounds = {8000, 80000};

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
