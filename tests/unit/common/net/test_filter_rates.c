// Tests of the command filter's rates: which commands it cuts out of a datagram, and when.
#include "lib/filter_fixture.h"

typedef enum { DATAGRAMS, UNRELIABLE, RELIABLE, PINGS, SETTINGS, OLD_PINGS, OLD, VERIFIES } kind_t;

static void add_kind(play_t *play, kind_t kind) {
    switch (kind) {
    case UNRELIABLE:
        add_unreliable(play, 0, 1000, 1);
        break;
    case DATAGRAMS:
    case RELIABLE:
        add_reliable(play, 0, 1001, 1);
        break;
    case PINGS:
        add_ping(play);
        break;
    case SETTINGS:
        add(play, 0x8a, 0xff, ++play->own, 12);
        break;
    case OLD_PINGS:
        add(play, 0x85, 0xff, 0, 4);
        break;
    case OLD:
        add_reliable(play, 0, 1000, 1);
        break;
    case VERIFIES:
        Wire_WriteU32(add(play, 0x83, 0xff, ++play->own, 44) + 16, NET_NUM_CHANNELS);
        break;
    }
}

/// Judges one datagram of a kind with only that kind's bucket in use.
static filter_why_t judge_kind(play_t *play, kind_t kind) {
    play->filter.datagrams_us = kind == DATAGRAMS ? play->filter.datagrams_us : 0;
    play->filter.reliable_us = kind == DATAGRAMS ? 0 : play->filter.reliable_us;
    add_kind(play, kind);
    return judge(play, NULL);
}

/// Above its rate a peer is not dropped, since a replay of its datagrams can bring it there.
static void test_rates(void **state) {
    (void)state;
    static const struct {
        kind_t kind;
        int32_t per_second, burst;
        filter_why_t why;
    } rows[] = {{DATAGRAMS, FILTER_DATAGRAMS_S, FILTER_DATAGRAMS_BURST, FILTER_FLOOD},
                {UNRELIABLE, FILTER_UNRELIABLE_S, FILTER_UNRELIABLE_BURST, FILTER_RATE},
                {RELIABLE, FILTER_RELIABLE_S, FILTER_RELIABLE_BURST, FILTER_RATE},
                {PINGS, FILTER_OWN_S, FILTER_OWN_BURST, FILTER_OWN},
                {SETTINGS, FILTER_OWN_S, FILTER_OWN_BURST, FILTER_OWN},
                {OLD_PINGS, FILTER_REPEATS_S, FILTER_REPEATS_BURST, FILTER_REPEATS},
                {OLD, FILTER_REPEATS_S, FILTER_REPEATS_BURST, FILTER_REPEATS},
                {VERIFIES, FILTER_OWN_S, FILTER_OWN_BURST, FILTER_OWN}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        play_t play = begin(rows[i].kind != VERIFIES);
        int32_t factor = play.link.from_client ? 1 : FILTER_SERVER_FACTOR;
        int32_t burst = rows[i].burst * factor;
        int32_t passed = 0;
        for (int32_t n = 0; n < burst + 300; n++) {
            filter_why_t why = judge_kind(&play, rows[i].kind);
            assert_true(why == FILTER_OK || why == rows[i].why);
            passed += why == FILTER_OK;
        }
        assert_int_equal(passed, burst);
        assert_int_equal(play.counts[rows[i].why], 300);
        // One second later, the commands of one second may pass.
        play.link.now_ms += 1000;
        for (int32_t n = 0; n < burst; n++) {
            passed += judge_kind(&play, rows[i].kind) == FILTER_OK;
        }
        int32_t per_second = rows[i].per_second * factor;
        assert_in_range(passed - burst, per_second, per_second + per_second / 50 + 2);
    }
}

/// However many old datagrams arrive, the new ones among them pass.
static void test_replays_use_up_nothing(void **state) {
    (void)state;
    play_t play = begin(true);
    for (int32_t i = 0; i < 620; i++) {
        play.link.now_ms += 16;
        play.link.clock_ms += 16;
        for (int32_t n = 0; n < 64; n++) { // 4,000 a second
            play.unreliable = (uint16_t)i;
            add_unreliable(&play, 1, 2000, 60);
            add_ack(&play, 0, 7, 101000);
            add(&play, 0x85, 0xff, (uint32_t)play.own, 4);
            add_reliable(&play, 0, 1000, 5);
            judge(&play, NULL);
        }
        play.unreliable = (uint16_t)(i + 1);
        send_reliable(&play, 0, (uint32_t)i);
        add_unreliable(&play, 1, 2000, 60);
        add_reliable(&play, 0, 1001, 5);
        add_ping(&play);
        add_ack(&play, 0, (uint32_t)i, play.link.clock_ms);
        size_t size = play.size - START;
        size_t left = 0;
        // A ping in each datagram is more than an honest peer sends.
        play.filter.own_us = 0;
        assert_int_equal(judge(&play, &left), FILTER_OK);
        assert_int_equal(left, size);
        play.link.unreliable[1] = play.unreliable;
    }
    assert_true(play.counts[FILTER_OLD] > 39000);
    assert_true(play.counts[FILTER_REPEATS] > 39000);
}

static void test_old_unreliable(void **state) {
    (void)state;
    play_t play = begin(true);
    play.link.unreliable[1] = 500;
    for (int32_t number = 499; number <= 501; number++) {
        play.unreliable = (uint16_t)number;
        add_unreliable(&play, 1, 2000, 1);
        assert_verdict(&play, number <= 500 ? FILTER_OLD : FILTER_OK);
    }
    // A reliable message starts the numbers again; the second of equal ones is old.
    size_t left = 0;
    play.unreliable = 1;
    add_reliable(&play, 1, 2001, 0);
    add_unreliable(&play, 1, 2001, 1);
    add_unreliable(&play, 1, 2001, 1);
    assert_int_equal(judge(&play, &left), FILTER_OK);
    assert_int_equal(left, 6 + 9);
}

/// Commands beyond a rate are cut out of the datagram; its other commands pass unchanged.
static void test_cut_out_of_the_middle(void **state) {
    (void)state;
    play_t play = begin(true);
    play.filter.repeats_us = INT64_MAX / 2;
    play.filter.own_us = INT64_MAX / 2;
    add_unreliable(&play, 0, 1000, 3);
    memcpy(play.data + START + 8, "one", 3);
    add_ping(&play);
    add_reliable(&play, 0, 1001, 3);
    memcpy(play.data + START + 11 + 4 + 6, "two", 3);
    add_reliable(&play, 0, 999, 100);
    add_unreliable(&play, 2, 65530, 5);
    memcpy(play.data + play.size - 5, "three", 5);
    size_t left = 0;
    assert_int_equal(judge(&play, &left), FILTER_OK);
    assert_int_equal(left, 11 + 9 + 13);
    assert_memory_equal(play.data + START + 8, "one", 3);
    assert_memory_equal(play.data + START + 11 + 6, "two", 3);
    assert_memory_equal(play.data + START + 20 + 8, "three", 5);
    assert_int_equal(play.counts[FILTER_REPEATS], 1);
    assert_int_equal(play.counts[FILTER_OWN], 1);
}

/// Tests a breach behind commands that were cut out, and late in the datagram: it is found.
static void test_breach_at_the_end(void **state) {
    (void)state;
    play_t play = begin(true);
    play.filter.repeats_us = INT64_MAX / 2;
    for (int32_t i = 0; i < 31; i++) {
        add_ping(&play);
    }
    add(&play, 0x49, 0, 1, 8);
    assert_verdict(&play, FILTER_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_replays_use_up_nothing),
        cmocka_unit_test(test_old_unreliable),
        cmocka_unit_test(test_cut_out_of_the_middle),
        cmocka_unit_test(test_breach_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
