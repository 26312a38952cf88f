// Tests of the command filter: each rule has a case on both sides of its limit.
#include "base/limits.h"
#include "lib/filter_fixture.h"

// --- form ------------------------------------------------------------------------------------

static void test_commands_per_datagram(void **state) {
    (void)state;
    play_t play = begin(true);
    for (int32_t num = FILTER_MAX_COMMANDS; num <= FILTER_MAX_COMMANDS + 1; num++) {
        for (int32_t i = 0; i < num; i++) {
            add_ping(&play);
        }
        assert_verdict(&play, num == FILTER_MAX_COMMANDS ? FILTER_OK : FILTER_COMMANDS);
    }
    assert_int_equal(play.counts[FILTER_COMMANDS], 1);
}

/// Tests the first bytes of commands: only the exact bytes that ENet sends for this protocol are
/// commands.
static void test_command_bytes(void **state) {
    (void)state;
    static const struct {
        uint8_t byte, channel;
        size_t size;
    } good[] = {{0x84, 0xff, 8}, {0x44, 0xff, 8},  {0x85, 0xff, 4},  {0x86, 0, 6},
                {0x07, 0, 8},    {0x8a, 0xff, 12}, {0x8b, 0xff, 16}, {0x01, 0, 8}};
    for (uint32_t byte = 0; byte < 256; byte++) {
        bool is_good = byte == 0x88 || byte == 0x83; // these need contents and are tested below
        for (size_t i = 0; i < COUNTOF(good); i++) {
            if (good[i].byte == byte) {
                play_t play = begin(true);
                play.filter.sent[0][1001 / 64] = ~UINT64_C(0);
                add(&play, good[i].byte, good[i].channel, byte == 0x86 ? 1001 : 1000, good[i].size);
                if (byte == 0x07) {
                    Wire_WriteU16(play.data + START + 4, 1);
                } else if (byte == 0x01) {
                    Wire_WriteU16(play.data + START + 4, 1001);
                    Wire_WriteU16(play.data + START + 6, 101000 & 0xffff);
                }
                assert_verdict(&play, FILTER_OK);
                is_good = true;
            }
        }
        if (!is_good) {
            play_t play = begin(byte & 1);
            add(&play, (uint8_t)byte, 0, 1001, 48);
            assert_verdict(&play, FILTER_UNKNOWN);
        }
    }
}

static void test_cut_commands(void **state) {
    (void)state;
    play_t play = begin(true);
    assert_verdict(&play, FILTER_CUT); // empty datagram
    add_ping(&play);
    play.size--;
    assert_verdict(&play, FILTER_CUT);
    add_reliable(&play, 0, 1001, 10);
    play.size--;
    assert_verdict(&play, FILTER_CUT);
    add_reliable(&play, 0, 1001, 10);
    play.data[play.size++] = 0x85; // one extra byte
    assert_verdict(&play, FILTER_CUT);
    add_reliable(&play, 0, 1001, 10);
    assert_verdict(&play, FILTER_OK);
}

static void test_channels(void **state) {
    (void)state;
    play_t play = begin(true);
    for (uint32_t channel = 0; channel < 256; channel++) {
        play.filter = (filter_t){0};
        add_unreliable(&play, (uint8_t)channel,
                       channel == 1   ? 2000
                       : channel == 2 ? 65530
                                      : 1000,
                       1);
        assert_verdict(&play, channel < 3 ? FILTER_OK : FILTER_CHANNEL);
        add(&play, 0x85, (uint8_t)channel, 1, 4);
        assert_verdict(&play, channel == 0xff ? FILTER_OK : FILTER_CHANNEL);
        add_ack(&play, (uint8_t)channel, 1, 101000);
        assert_verdict(&play, channel < 3 || channel == 0xff ? FILTER_STALE_ACK : FILTER_CHANNEL);
    }
}

static void test_sent_time_is_needed(void **state) {
    (void)state;
    play_t play = begin(true);
    play.data[0] = 0;
    add_ping(&play);
    assert_verdict(&play, FILTER_NO_TIME);
    play.data[0] = 0;
    add_unreliable(&play, 0, 1000, 1);
    assert_verdict(&play, FILTER_OK);
}

// --- reliable messages -----------------------------------------------------------------------

static void test_window(void **state) {
    (void)state;
    for (int32_t from_client = 0; from_client < 2; from_client++) {
        int32_t window = from_client ? FILTER_CLIENT_WINDOW : FILTER_SERVER_WINDOW;
        const struct {
            int32_t ahead;
            filter_why_t why;
        } rows[] = {{1, FILTER_OK},         {window, FILTER_OK}, {window + 1, FILTER_AHEAD},
                    {0x7fff, FILTER_AHEAD}, {0, FILTER_OK}, // repeated
                    {-1, FILTER_OK},                        // repeated
                    {-0x8000, FILTER_OK}};                  // repeated
        for (size_t i = 0; i < COUNTOF(rows) * 3; i++) {
            play_t play = begin(from_client);
            uint8_t channel = (uint8_t)(i % 3);
            int32_t sequence = play.link.delivered[channel] + rows[i / 3].ahead;
            add_reliable(&play, channel, (uint32_t)sequence & 0xffffu, 5);
            assert_verdict(&play, rows[i / 3].why);
            if (!from_client) {
                add_fragment(&play, channel,
                             (fragment_t){.start = (uint32_t)sequence & 0xffffu,
                                          .count = 2,
                                          .total = 1500,
                                          .length = 1000});
                assert_verdict(&play, rows[i / 3].why);
            }
        }
    }
}

/// Tests that the window moves on with the messages within one datagram.
static void test_window_within_a_datagram(void **state) {
    (void)state;
    play_t play = begin(true);
    size_t left = 0;
    add_reliable(&play, 2, 65531, 1);
    add_unreliable(&play, 2, 65531, 3);
    add_reliable(&play, 2, 65532, 1);
    add_unreliable(&play, 2, 65531, 3); // older than the reliable one: ENet would discard it
    add_reliable(&play, 2, (65532 + FILTER_CLIENT_WINDOW + 1) & 0xffff, 1);
    size_t size = play.size - START;
    assert_int_equal(judge(&play, &left), FILTER_OK);
    assert_int_equal(left, size - 11 - 7);
    assert_int_equal(play.counts[FILTER_EARLY], 1);
    assert_int_equal(play.counts[FILTER_AHEAD], 1);
}

/// Tests that messages which must wait never take the room of the one for which they wait.
static void test_room(void **state) {
    (void)state;
    play_t play = begin(false);
    play.link.room = 0;
    add_reliable(&play, 0, 1001, 700);
    assert_verdict(&play, FILTER_OK);
    add_fragment(&play, 1, (fragment_t){.start = 2001, .count = 2, .total = 1500, .length = 1000});
    assert_verdict(&play, FILTER_OK);
    add_reliable(&play, 0, 1000, 700); // repeated: ENet only acknowledges it
    assert_verdict(&play, FILTER_OK);
    for (size_t room = 1500; room <= 1501; room++) {
        filter_why_t why = room > 1500 ? FILTER_OK : FILTER_AHEAD;
        play.link.room = room;
        add_reliable(&play, 0, 1002, 1500);
        assert_verdict(&play, why);
        fragment_t waiting = {.start = 2002, .count = 2, .total = 1500, .length = 1000};
        add_fragment(&play, 1, waiting);
        assert_verdict(&play, why);
    }
    size_t left = 0;
    play.link.room = 1401;
    for (uint32_t i = 2; i <= 4; i++) { // two of three fit
        add_reliable(&play, 0, 1000 + i, 700 - (i == 3));
    }
    add_reliable(&play, 0, 1001, 700);
    size_t size = play.size - START;
    assert_int_equal(judge(&play, &left), FILTER_OK);
    assert_int_equal(left, size - 706);
}

static void test_sizes(void **state) {
    (void)state;
    play_t play = begin(true);
    add_reliable(&play, 0, 1001, MAX_REQUEST_BYTES);
    assert_verdict(&play, FILTER_OK);
    add_reliable(&play, 0, 1001, MAX_REQUEST_BYTES + 1);
    assert_verdict(&play, FILTER_SIZE);
    play.link.from_client = false;
    add_reliable(&play, 0, 1001, MAX_REQUEST_BYTES + 1);
    assert_verdict(&play, FILTER_OK);
    add_unreliable(&play, 0, 1000, MAX_PACKET_BYTES);
    assert_verdict(&play, FILTER_OK);
    add_unreliable(&play, 0, 1000, MAX_PACKET_BYTES + 1);
    assert_verdict(&play, FILTER_SIZE);
    add_reliable(&play, 0, 1001, 0); // an empty message is allowed
    assert_verdict(&play, FILTER_OK);
}

/// Tests that an unreliable message never waits in ENet for a reliable one.
static void test_unreliable_of_another_time(void **state) {
    (void)state;
    play_t play = begin(true);
    for (int32_t ahead = -300; ahead <= 300; ahead++) {
        add_unreliable(&play, 1, (uint32_t)(2000 + ahead), 2);
        assert_verdict(&play, ahead == 0 ? FILTER_OK : FILTER_EARLY);
    }
    play.link.is_open = false;
    add_unreliable(&play, 1, 2000, 2);
    assert_verdict(&play, FILTER_EARLY);
    add_reliable(&play, 1, 30000, 2); // ENet refuses it also while it disconnects
    assert_verdict(&play, FILTER_EARLY);
}

// --- fragments -------------------------------------------------------------------------------

static void test_fragments(void **state) {
    (void)state;
    static const struct {
        fragment_t is;
        bool is_good;
    } rows[] = {
        {{1001, 2, 0, 2000, 0, 1200}, true},
        {{1001, 2, 1, 2000, 1200, 800}, true},
        {{1001, 7, 6, 8192, 7200, 992}, true},
        {{1001, 16, 3, 8192, 1536, 512}, true},
        {{1001, 17, 3, 8192, 1455, 485}, false}, // message too short
        {{1001, 2, 0, 1000, 0, 511}, false},     // message too short
        {{1001, 1, 0, 1200, 0, 1200}, false},    // not a fragment
        {{1001, 2, 0, 2000, 0, 0}, false},       // empty
        {{1001, 0, 0, 2000, 0, 1200}, false},
        {{1001, 1048576, 0, 1048576, 0, 1200}, false},
        {{1001, 2, 2, 2000, 1200, 800}, false},          // fragment number beyond the count
        {{1001, 2, 0xffffffff, 2000, 1200, 800}, false}, // fragment number beyond the count
        {{1001, 7, 0, 8195, 0, 1200}, false},            // message too long
        {{1001, 2, 0, 2000, 1, 1200}, false},            // wrong offset
        {{1001, 2, 1, 2000, 1200, 799}, false},          // last fragment too short
        {{1001, 2, 1, 2000, 1200, 801}, false},          // beyond the end
        {{1001, 2, 1, 2000, 2000, 1}, false},            // beyond the end
        {{1001, 3, 0, 2000, 0, 1200}, false},            // wrong count
        {{1001, 2, 0, 2401, 0, 1200}, false},            // wrong count
        // Offset is no multiple of a fragment's length.
        {{1001, 3, 2, 2500, 2401, 99}, false},
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        play_t play = begin(false);
        add_fragment(&play, 0, rows[i].is);
        assert_int_equal(judge(&play, NULL), rows[i].is_good ? FILTER_OK : FILTER_FRAGMENT);
        play.link.from_client = true; // a client never needs fragments
        add_fragment(&play, 0, rows[i].is);
        assert_verdict(&play, FILTER_FRAGMENT);
    }
    play_t play = begin(false);
    add_fragment(&play, 0, rows[1].is);
    Wire_WriteU16(play.data + START + 2, 1001); // not the sequence number of the second fragment
    assert_verdict(&play, FILTER_FRAGMENT);
}

// --- acknowledgements ------------------------------------------------------------------------

/// Tests acknowledgements: each passes once, for something that was sent, within the timeout.
static void test_acknowledgements(void **state) {
    (void)state;
    static const uint8_t channels[] = {0, 1, 2, 0xff};
    for (size_t i = 0; i < COUNTOF(channels); i++) {
        play_t play = begin(true);
        uint8_t channel = channels[i];
        add_ack(&play, channel, 65535, 101000);
        assert_verdict(&play, FILTER_STALE_ACK); // was never sent
        if (channel == 0xff) {
            add(&play, 0x85, 0xff, 65535, 4);
            Filter_Sent(&play.filter, play.data, play.size, START);
            play.size = START;
        } else {
            send_reliable(&play, channel, 65535);
        }
        add_ack(&play, channel, 65534, 101000);
        assert_verdict(&play, FILTER_STALE_ACK); // the numbers around it were not sent
        add_ack(&play, channel, 0, 101000);
        assert_verdict(&play, FILTER_STALE_ACK);
        add_ack(&play, channels[(i + 1) % 4], 65535, 101000);
        assert_verdict(&play, FILTER_STALE_ACK); // was not sent on this channel
        add_ack(&play, channel, 65535, 101000 - NET_TIMEOUT_MS - 1);
        assert_verdict(&play, FILTER_STALE_ACK); // older than the timeout
        add_ack(&play, channel, 65535, 101001);
        assert_verdict(&play, FILTER_STALE_ACK); // sent in the future
        add_ack(&play, channel, 65535, 101000 - NET_TIMEOUT_MS);
        assert_verdict(&play, FILTER_OK);
        add_ack(&play, channel, 65535, 101000);
        assert_verdict(&play, FILTER_STALE_ACK); // acknowledged for the second time
    }
}

/// Tests a lost datagram: it is sent again and may be acknowledged.
static void test_acknowledgement_after_resending(void **state) {
    (void)state;
    play_t play = begin(true);
    for (int32_t i = 0; i < 3; i++) {
        send_reliable(&play, 0, 5);
        add_ack(&play, 0, 5, 101000);
        assert_verdict(&play, FILTER_OK);
    }
    // The filter remembers as many messages as may be unacknowledged.
    for (uint32_t i = 0; i < FILTER_SENT; i++) {
        send_reliable(&play, 0, (i + 64000) & 0xffffu);
    }
    for (uint32_t i = 0; i < FILTER_SENT; i++) {
        play.link.now_ms += 10;
        add_ack(&play, 0, (i + 64000) & 0xffffu, 101000);
        assert_verdict(&play, FILTER_OK);
    }
}

/// Tests the round trip: acknowledgements change it, without their wait in the kernel.
static void test_round_trip(void **state) {
    (void)state;
    play_t play = begin(true);
    assert_int_equal(play.filter.rtt_eighths_ms, 0);
    add_ack(&play, 0, 5, 101000 - 40);
    assert_verdict(&play, FILTER_STALE_ACK); // of nothing sent
    assert_int_equal(play.filter.rtt_eighths_ms, 0);
    for (int32_t i = 0; i < 100; i++) {
        play.link.waited_ms = i == 0 ? 0 : 10;
        send_reliable(&play, 0, 5);
        add_ack(&play, 0, 5, 101000 - 40);
        assert_verdict(&play, FILTER_OK);
        assert_true(i > 1 || play.filter.rtt_eighths_ms == (i == 0 ? 8 * 40 : 7 * 40 + 30));
    }
    assert_in_range(play.filter.rtt_eighths_ms / 8, 30, 31);
    play.link.waited_ms = 1000; // longer than the round trip: an error of a clock
    for (int32_t i = 0; i < 100; i++) {
        send_reliable(&play, 0, 5);
        add_ack(&play, 0, 5, 101000 - 40);
        assert_verdict(&play, FILTER_OK);
    }
    assert_int_equal(play.filter.rtt_eighths_ms / 8, 1);
}

/// The acknowledgement of the connect and the first message arrive in one datagram.
static void test_first_datagram(void **state) {
    (void)state;
    play_t play = begin(true);
    play.link.is_open = false;
    play.link.is_opening = true;
    play.link.delivered[0] = 0;
    Wire_WriteU32(add(&play, 0x83, 0xff, 1, 44) + 16, NET_NUM_CHANNELS);
    Filter_Sent(&play.filter, play.data, play.size, START);
    for (int32_t order = 0; order < 3; order++) {
        size_t left = 0;
        play.size = START;
        if (order > 0) {
            add_ack(&play, order == 1 ? 0 : 0xff, 1, 101000);
        }
        add_reliable(&play, 0, 1, 10);
        assert_int_equal(judge(&play, &left), order < 2 ? FILTER_EARLY : FILTER_OK);
        assert_int_equal(left, order < 2 ? 0 : 8 + 16);
    }
}

// --- settings --------------------------------------------------------------------------------

/// Tests the settings: a peer cannot lower the rate at which it is sent to, so that messages for it
/// pile up.
static void test_settings_have_no_effect(void **state) {
    (void)state;
    play_t play = begin(true);
    memset(add(&play, 0x8a, 0xff, 1, 12) + 4, 0x11, 8);
    memset(add(&play, 0x8b, 0xff, 2, 16) + 4, 0x22, 12);
    size_t left = 0;
    assert_int_equal(judge(&play, &left), FILTER_OK);
    assert_int_equal(left, 28);
    const uint8_t *at = play.data + START;
    assert_true(Wire_ReadU32(at + 4) == 0);
    assert_true(Wire_ReadU32(at + 8) == 0);
    assert_true(Wire_ReadU32(at + 16) == NET_THROTTLE_MS);
    assert_true(Wire_ReadU32(at + 20) == NET_THROTTLE_UP);
    assert_true(Wire_ReadU32(at + 24) == NET_THROTTLE_DOWN);
}

static void test_verify(void **state) {
    (void)state;
    for (int32_t channels = 2; channels <= 4; channels++) {
        for (int32_t from_client = 0; from_client < 2; from_client++) {
            play_t play = begin(from_client);
            uint8_t *at = add(&play, 0x83, 0xff, 1, 44);
            memset(at + 4, 0x33, 40);
            Wire_WriteU32(at + 16, (uint32_t)channels);
            bool is_good = channels == NET_NUM_CHANNELS && !from_client;
            assert_verdict(&play, is_good ? FILTER_OK : FILTER_VERIFY);
            assert_int_equal(Wire_ReadU32(at + 20), is_good ? 0 : 0x33333333);
            assert_int_equal(Wire_ReadU32(at + 24), is_good ? 0 : 0x33333333);
            assert_int_equal(Wire_ReadU32(at + 28), 0x33333333);
            assert_int_equal(Wire_ReadU32(at + 12), 0x33333333);
        }
    }
}

static void test_texts(void **state) {
    (void)state;
    for (int32_t why = 0; why < FILTER_WHY_COUNT; why++) {
        assert_true(strlen(Filter_WhyText((filter_why_t)why)) > 1);
    }
    assert_string_equal(Filter_WhyText(FILTER_WHY_COUNT), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands_per_datagram),
        cmocka_unit_test(test_command_bytes),
        cmocka_unit_test(test_cut_commands),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_sent_time_is_needed),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_window_within_a_datagram),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_unreliable_of_another_time),
        cmocka_unit_test(test_fragments),
        cmocka_unit_test(test_acknowledgements),
        cmocka_unit_test(test_acknowledgement_after_resending),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_first_datagram),
        cmocka_unit_test(test_settings_have_no_effect),
        cmocka_unit_test(test_verify),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
