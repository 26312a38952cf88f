// Tests of the conditions of a network by name, and of what the model does with each preset.
#include "lib/testing.h"

#include "net/impair.h"

#include <string.h>

#define SIZE 100 // bytes of a datagram

static net_conditions_t parse(const char *text) {
    net_conditions_t out;
    err_t err = {""};
    if (!Net_Conditions(text, 7, &out, &err)) {
        fail_msg("%s", err.text);
    }
    return out;
}

static const char *refusal(const char *text) {
    static err_t err;
    net_conditions_t out;
    assert_false(Net_Conditions(text, 7, &out, &err));
    return err.text;
}

static void test_free_values(void **state) {
    (void)state;
    net_conditions_t got = parse("loss=5,up-loss=2.5,delay=40,down-jitter=3,up-rate=500,queue=90");
    assert_float_equal(got.up.loss, 0.025, 1e-6);
    assert_float_equal(got.down.loss, 0.05, 1e-6);
    assert_int_equal(got.up.delay_ms, 40);
    assert_int_equal(got.down.delay_ms, 40);
    assert_int_equal(got.up.jitter_ms, 0);
    assert_int_equal(got.down.jitter_ms, 3);
    assert_int_equal(got.up.rate_kbit_s, 500);
    assert_int_equal(got.down.rate_kbit_s, 0);
    assert_int_equal(got.down.queue_ms, 90);
    assert_true(got.up.seed != got.down.seed);
    assert_true(got.up.outage_seed == got.down.outage_seed);
    got = parse("burst=1,outage=500,duplicate=1,reorder=2,rate=100");
    assert_int_equal(got.up.burst_length, 4);
    assert_int_equal(got.up.outage_every_ms, 10000);
    assert_int_equal(got.up.queue_ms, 200);
}

static void test_presets_with_changes(void **state) {
    (void)state;
    net_conditions_t plain = parse("wifi"), more = parse("wifi,loss=5");
    assert_float_equal(more.up.loss, 0.05, 1e-6);
    plain.up.loss = plain.down.loss = 0.0f;
    more.up.loss = more.down.loss = 0.0f;
    assert_memory_equal(&plain, &more, sizeof plain);
}

static void test_refusals(void **state) {
    (void)state;
    assert_non_null(strstr(refusal("3g"), "\"3g\": expected KEY=VALUE or one of dsl, wifi"));
    assert_non_null(strstr(refusal(""), "expected KEY=VALUE"));
    assert_non_null(strstr(refusal("loss=1,wifi"), "a preset comes first"));
    assert_non_null(strstr(refusal("wifi,lose=1"), "unknown key in \"lose=1\""));
    assert_non_null(strstr(refusal("loss=101"), "\"loss=101\": expected a percentage in 0..100"));
    assert_non_null(strstr(refusal("loss=nan"), "percentage"));
    assert_non_null(strstr(refusal("delay=-1"), "expected a whole number in 0..60000"));
    assert_non_null(strstr(refusal("up-delay=2.5"), "whole number"));
    char text[400];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_non_null(strstr(refusal(text), "at most 255 bytes"));
}

typedef struct {
    int32_t arrived;
    int64_t last_ms, delay_ms_sum, delay_ms_min, delay_ms_max;
    int64_t longest_gap_ms; ///< between two arrivals
    impair_counters_t counters;
} outcome_t;

// Sends `count` datagrams, `per_ms` in each `every_ms`, and counts the arrivals.
static outcome_t send(const impair_conditions_t *conditions, int32_t count, int32_t every_ms,
                      int32_t per_ms) {
    outcome_t out = {.delay_ms_min = INT64_MAX};
    impair_t *impair = Impair_Create(conditions);
    assert_non_null(impair);
    int64_t end_ms = (int64_t)count / per_ms * every_ms + 5000;
    for (int64_t now_ms = 0, sent = 0; now_ms < end_ms; now_ms++) {
        uint8_t data[SIZE] = {0};
        memcpy(data, &now_ms, sizeof now_ms);
        for (int32_t i = 0; now_ms % every_ms == 0 && sent < count && i < per_ms; i++, sent++) {
            Impair_Push(impair, now_ms, (netaddr_t){0}, data, sizeof data);
        }
        assert_true(Impair_NextMs(impair) >= now_ms);
        for (const impair_datagram_t *got; (got = Impair_Pop(impair, now_ms)) != NULL;) {
            int64_t sent_ms;
            memcpy(&sent_ms, got->data, sizeof sent_ms);
            int64_t delay_ms = now_ms - sent_ms;
            int64_t gap_ms = out.arrived > 0 ? now_ms - out.last_ms : 0;
            out.longest_gap_ms = gap_ms > out.longest_gap_ms ? gap_ms : out.longest_gap_ms;
            out.last_ms = now_ms;
            out.delay_ms_sum += delay_ms;
            out.delay_ms_min = delay_ms < out.delay_ms_min ? delay_ms : out.delay_ms_min;
            out.delay_ms_max = delay_ms > out.delay_ms_max ? delay_ms : out.delay_ms_max;
            out.arrived++;
        }
    }
    assert_int_equal(Impair_NextMs(impair) == INT64_MAX, true);
    assert_int_equal(Impair_Bytes(impair), 0);
    out.counters = Impair_Counters(impair);
    Impair_Destroy(impair);
    return out;
}

// Compares one direction of a preset with its stated values, for a client at 62.5 Hz.
static void check_preset(const char *name, const impair_conditions_t *of) {
    const int32_t count = 60000; // bursts are rare: with fewer, their share varies
    outcome_t out = send(of, count, 16, 1);
    double lost = (double)out.counters.lost / count;
    double stated = (double)of->loss + (double)of->burst * of->burst_length;
    double mean_ms = (double)out.delay_ms_sum / out.arrived;
    print_message("%s: lost %.2f %% of %.2f, jammed %d, delay %.1f ms (%d..%d)\n", name, lost * 100,
                  stated * 100, (int)out.counters.jammed, mean_ms, (int)out.delay_ms_min,
                  (int)out.delay_ms_max);
    assert_true(lost > stated * 0.75);
    assert_true(lost < stated * 1.25);
    assert_int_equal(out.arrived, count - (int32_t)(out.counters.lost + out.counters.jammed) +
                                      (int32_t)out.counters.duplicated);
    assert_true(out.delay_ms_min >= of->delay_ms - of->jitter_ms);
    assert_true(mean_ms > of->delay_ms - 1);
    assert_true(mean_ms < of->delay_ms + of->jitter_ms + 12);
    if (of->outage_ms == 0) {
        assert_true(out.counters.jammed == 0);
        assert_true(out.delay_ms_max <= of->delay_ms + of->jitter_ms + 4 || of->reorder > 0.0f);
    } else {
        assert_true(out.longest_gap_ms > of->outage_ms * 9 / 10);
        assert_true(out.longest_gap_ms < of->outage_ms * 3 / 2 + 500);
    }
}

static void test_presets_do_what_they_state(void **state) {
    (void)state;
    static const char *const names[] = {"dsl", "wifi", "mobile", "satellite", "train"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        net_conditions_t both = parse(names[i]);
        assert_non_null(strstr(NET_PRESETS, names[i]));
        check_preset(names[i], &both.up);
        check_preset(names[i], &both.down);
    }
}

// 64 kbit/s carry 62.5 datagrams of 128 bytes; twice as many are sent.
static void test_bandwidth_has_a_queue(void **state) {
    (void)state;
    const net_conditions_t narrow = parse("rate=64,queue=300");
    outcome_t out = send(&narrow.up, 12500, 8, 1);
    assert_in_range(out.arrived, 6250, 6250 + 300 * 625 / 10000 + 2);
    assert_in_range(out.delay_ms_max, 300, 317);
    assert_int_equal(out.counters.jammed, 12500 - out.arrived);
    const net_conditions_t wide = parse("rate=128,queue=300");
    out = send(&wide.up, 12500, 8, 1);
    assert_int_equal(out.arrived, 12500);
    assert_in_range(out.delay_ms_max, 8, 9);
}

static void test_outages_hold_and_lose(void **state) {
    (void)state;
    const net_conditions_t held = parse("outage=400,outage-every=4000,queue=1000");
    outcome_t out = send(&held.down, 100000, 4, 1);
    assert_int_equal(out.arrived, 100000);
    assert_in_range(out.longest_gap_ms, 500, 604);
    assert_in_range(out.delay_ms_max, 500, 604);
    const net_conditions_t lost = parse("outage=400,outage-every=4000,queue=0");
    out = send(&lost.down, 100000, 4, 1);
    assert_int_equal(out.delay_ms_max, 0);
    assert_in_range(out.counters.jammed, 8000, 10200); // 400 of 4,400 ms
}

// Both directions stop at the same time, whatever passes through them.
static void test_outages_stop_both_directions(void **state) {
    (void)state;
    net_conditions_t both = parse("outage=300,outage-every=2000,queue=0,loss=20");
    impair_t *up = Impair_Create(&both.up), *down = Impair_Create(&both.down);
    int32_t stopped = 0;
    for (int64_t now_ms = 0; now_ms < 60000; now_ms++) {
        uint64_t before[2] = {Impair_Counters(up).jammed, Impair_Counters(down).jammed};
        uint64_t lost[2] = {Impair_Counters(up).lost, Impair_Counters(down).lost};
        Impair_Push(up, now_ms, (netaddr_t){0}, "x", 1);
        Impair_Push(down, now_ms, (netaddr_t){0}, "x", 1);
        while (Impair_Pop(up, now_ms) || Impair_Pop(down, now_ms)) {
        }
        bool is_lost = Impair_Counters(up).lost > lost[0] || Impair_Counters(down).lost > lost[1];
        if (now_ms > 10 && !is_lost) {
            bool up_stops = Impair_Counters(up).jammed > before[0];
            assert_int_equal(up_stops, Impair_Counters(down).jammed > before[1]);
            stopped += up_stops;
        }
    }
    assert_true(stopped > 2000);
    Impair_Destroy(up);
    Impair_Destroy(down);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_values),
        cmocka_unit_test(test_presets_with_changes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_presets_do_what_they_state),
        cmocka_unit_test(test_bandwidth_has_a_queue),
        cmocka_unit_test(test_outages_hold_and_lose),
        cmocka_unit_test(test_outages_stop_both_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
