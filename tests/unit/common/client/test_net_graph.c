// Tests of the sentence about lag: each cause, at its threshold, and which of two is named.
#include "lib/testing.h"

#include "client/cl_local.h"

#include <string.h>

static const cl_net_graph_t good = {.rtt_ms = 60,
                                    .jitter_ms = 6,
                                    .loss_down = 0.01f,
                                    .loss_up = 0.01f,
                                    .bytes_s = 20000,
                                    .queued_ms = 16,
                                    .silence_ms = 40,
                                    .tick_ms = 16.0f,
                                    .tick_mean_ms = 2.0f,
                                    .tick_worst_ms = 15.9f};

static const char *why(const cl_net_graph_t *graph) {
    static char text[CL_WHY_BYTES];
    CL_WhyLag(graph, text, sizeof text);
    return text;
}

static void test_nothing_is_wrong(void **state) {
    (void)state;
    assert_string_equal(why(&good), "");
    assert_string_equal(why(&(cl_net_graph_t){0}), "");
}

static void test_each_cause(void **state) {
    (void)state;
    cl_net_graph_t bad = good;
    bad.silence_ms = 250;
    assert_string_equal(why(&bad), "");
    bad.silence_ms = 600;
    assert_string_equal(why(&bad), "nothing arrived for 600 ms");
    bad = good;
    bad.tick_worst_ms = 31.2f;
    assert_string_equal(why(&bad), "the server overran: a tick of 16 ms took 31 ms");
    bad = good;
    bad.skipped = 3;
    assert_string_equal(why(&bad), "this program was late: 3 commands skipped");
    bad = good;
    bad.loss_up = 0.03f;
    assert_string_equal(why(&bad), "your uplink lost 3 %");
    bad = good;
    bad.loss_down = 0.125f;
    assert_string_equal(why(&bad), "your downlink lost 12 %");
    bad = good;
    bad.filled_ms = 100;
    assert_string_equal(why(&bad), "");
    bad.filled_ms = 160;
    assert_string_equal(why(&bad), "your commands came too late: 160 ms were filled");
    bad = good;
    bad.jitter_ms = 40;
    assert_string_equal(why(&bad), "the delay of your network varies by 40 ms");
    bad = good;
    bad.full = 0.5f;
    assert_string_equal(why(&bad), "the rate is too low: 50 % of the snapshots were full");
    bad = good;
    bad.rtt_ms = 280;
    assert_string_equal(why(&bad), "the server is far: 280 ms of round trip");
}

static void test_the_worst_cause_is_named(void **state) {
    (void)state;
    cl_net_graph_t bad = good;
    bad.loss_up = 0.03f;
    bad.loss_down = 0.05f;
    bad.rtt_ms = 500;
    assert_string_equal(why(&bad), "your downlink lost 5 %");
    bad.loss_up = 0.06f;
    assert_string_equal(why(&bad), "your uplink lost 6 %");
    bad.tick_worst_ms = 20.0f;
    assert_string_equal(why(&bad), "the server overran: a tick of 16 ms took 20 ms");
}

static void test_the_text_is_cut(void **state) {
    (void)state;
    char text[8];
    cl_net_graph_t bad = good;
    bad.silence_ms = 600;
    CL_WhyLag(&bad, text, sizeof text);
    assert_string_equal(text, "nothing");
}

static int32_t rtt_of_peer(transport_t *net, int32_t peer) {
    (void)net;
    assert_true(peer >= 0); // a program's own transport may use it as an index
    return 40;
}

// A client that reconnects has no peer between two attempts.
static void test_the_round_trip_without_a_peer(void **state) {
    (void)state;
    static cl_t cl;
    transport_t net = {.rtt_ms = rtt_of_peer};
    cl.config.net = &net;
    Client_ResetRoundTrip(&cl);
    assert_int_equal(Client_RoundTrip(&cl), 40);
    cl.peer = -1;
    assert_int_equal(Client_RoundTrip(&cl), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_wrong),
        cmocka_unit_test(test_each_cause),
        cmocka_unit_test(test_the_worst_cause_is_named),
        cmocka_unit_test(test_the_text_is_cut),
        cmocka_unit_test(test_the_round_trip_without_a_peer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
