// Honest traffic through the command filter on bad lines: all arrives, and nothing is a breach.
#include "base/limits.h"
#include "lib/testing.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"

#include <string.h>

static transport_t *open_end(bool is_server, const impair_conditions_t *conditions) {
    err_t err = {""};
    transport_t *net = EnetTransport_Create(&(enet_transport_config_t){.bind.host = UDP_LOOPBACK,
                                                                       .max_peers = 2,
                                                                       .is_server = is_server,
                                                                       .impair = conditions},
                                            &err);
    assert_string_equal(err.text, "");
    return net;
}

typedef struct {
    transport_t *net;
    uint32_t sent, heard, num_unreliable;
    int32_t connected, left;
} end_t;

static void hear(end_t *end, int64_t now_ms) {
    net_event_t event;
    for (end->net->poll(end->net, now_ms, &event); event.type != NET_NONE;
         end->net->poll(end->net, now_ms, &event)) {
        if (event.type == NET_CONNECTED) {
            end->connected++;
            assert_true(end->net->is_sealed(end->net, event.peer)); // by default
            // ENet gives a message up after about six losses in a row, which happens here.
            enet_peer_timeout(((enet_transport_t *)end->net)->slots[0].peer, 1u << 30, 600000,
                              600000);
        }
        end->left += event.type == NET_LEFT;
        if (event.type == NET_MESSAGE && event.channel == NET_CHANNEL_CONTROL) {
            uint32_t number = 0;
            memcpy(&number, event.data, sizeof number);
            assert_int_equal(number, end->heard);
            end->heard++;
        }
        end->num_unreliable += event.type == NET_MESSAGE && event.channel != NET_CHANNEL_CONTROL;
    }
}

/// Limits the intervals between all repeats. The transport limits only those of the earliest,
/// and lines as bad as these need more.
static void repeat_soon(const end_t *end) {
    ENetPeer *peer = ((enet_transport_t *)end->net)->slots[0].peer;
    ENetList *list = &peer->sentReliableCommands;
    for (ENetListIterator at = enet_list_begin(list); at != enet_list_end(list);
         at = enet_list_next(at)) {
        ENetOutgoingCommand *command = (ENetOutgoingCommand *)at;
        if (command->roundTripTimeout > 1000) {
            command->roundTripTimeout = 1000;
            peer->nextTimeout = peer->host->serviceTime;
        }
    }
}

static void talk(end_t *end, bool is_server, int32_t step) {
    static uint8_t bytes[MAX_MESSAGE_BYTES];
    if (step % 8 == 0) {
        size_t size = is_server && step % 400 == 0 ? MAX_MESSAGE_BYTES : 4 + (size_t)step % 200;
        memcpy(bytes, &end->sent, 4);
        assert_true(end->net->send(end->net, 0, NET_CHANNEL_CONTROL, true, bytes, size));
        end->sent++;
    }
    if (step % 2 == 0) {
        end->net->send(end->net, 0, is_server ? NET_CHANNEL_SNAPSHOT : NET_CHANNEL_USERCMD, false,
                       bytes, 100);
        end->net->flush(end->net);
    }
}

/// All reliable messages arrive in order, long ones too, and nothing is taken for a breach.
static void talk_on_an_awful_line(const impair_conditions_t *at_server,
                                  const impair_conditions_t *at_client) {
    end_t ends[2] = {{.net = open_end(true, at_server)}, {.net = open_end(false, at_client)}};
    netaddr_t at = {.host = UDP_LOOPBACK, .port = EnetTransport_Port(ends[0].net)};
    int32_t num_steps = Test_IsLong() ? 400000 : 40000;
    assert_int_equal(ends[1].net->connect(ends[1].net, at, NULL), 0);
    for (int32_t step = 0; step < num_steps; step++) {
        for (int32_t i = 0; i < 2; i++) {
            hear(&ends[i], 5000 + 8 * (int64_t)step);
            if (ends[0].connected > 0 && ends[1].connected > 0) {
                repeat_soon(&ends[i]);
                if (step < num_steps - 8000) {
                    talk(&ends[i], i == 0, step);
                }
            }
        }
    }
    print_message("%u and %u reliable, %u and %u unreliable messages\n", ends[1].heard,
                  ends[0].heard, ends[1].num_unreliable, ends[0].num_unreliable);
    for (int32_t i = 0; i < 2; i++) {
        assert_true(ends[i].connected == 1);
        assert_true(ends[i].left == 0);
        assert_true(ends[i].sent > 3500);
        assert_int_equal(ends[i].heard, ends[1 - i].sent);
        assert_true(ends[i].num_unreliable > ends[1 - i].sent);
        // docs/enet.md, "Waiting data"
        assert_int_equal(((enet_transport_t *)ends[i].net)->slots[0].peer->totalWaitingData, 0);
        for (int32_t why = FILTER_FIRST_BREACH; why < FILTER_WHY_COUNT; why++) {
            assert_int_equal(Udp_Filtered(ends[i].net, (filter_why_t)why), 0);
        }
    }
    for (int32_t i = 0; i < 2; i++) {
        ends[i].net->destroy(ends[i].net);
    }
}

static void test_honest_with_thirty_percent(void **state) {
    (void)state;
    talk_on_an_awful_line(&(impair_conditions_t){.seed = 5,
                                                 .loss = 0.3f,
                                                 .duplicate = 0.3f,
                                                 .reorder = 0.3f,
                                                 .delay_ms = 40,
                                                 .jitter_ms = 30},
                          NULL);
}

static void test_honest_with_both_directions_impaired(void **state) {
    (void)state;
    talk_on_an_awful_line(NULL, &(impair_conditions_t){.seed = 6,
                                                       .loss = 0.1f,
                                                       .burst = 0.005f,
                                                       .burst_length = 10,
                                                       .duplicate = 0.3f,
                                                       .reorder = 0.3f,
                                                       .delay_ms = 40,
                                                       .jitter_ms = 30});
}

/// Sends `per_s` reliable messages a second for `seconds` from a server, as a match of many players
/// does. None waits longer than `wait_s`, and the client is not dropped for being too slow.
static void send_a_crowd(int32_t per_s, int32_t seconds, int32_t wait_s,
                         const impair_conditions_t *conditions) {
    end_t ends[2] = {{.net = open_end(true, NULL)}, {.net = open_end(false, conditions)}};
    netaddr_t at = {.host = UDP_LOOPBACK, .port = EnetTransport_Port(ends[0].net)};
    transport_t *net = ends[0].net;
    int64_t now_ms = 5000;
    uint32_t longest = 0;
    assert_int_equal(ends[1].net->connect(ends[1].net, at, NULL), 0);
    for (int32_t tick = 0; tick < (seconds + 30) * 1000 / 16; tick++) {
        now_ms += 16;
        hear(&ends[0], now_ms);
        hear(&ends[1], now_ms);
        bool talks = ends[0].connected > 0 && ends[1].connected > 0;
        uint32_t due = (uint32_t)((int64_t)tick * 16 * per_s / 1000);
        while (talks && tick < seconds * 1000 / 16 && ends[0].sent < due) {
            uint8_t bytes[40] = {0};
            memcpy(bytes, &ends[0].sent, 4);
            assert_true(net->send(net, 0, NET_CHANNEL_CONTROL, true, bytes, sizeof bytes));
            ends[0].sent++;
        }
        uint32_t behind = ends[0].sent - ends[1].heard;
        longest = talks && behind > longest ? behind : longest;
        net->flush(net);
    }
    print_message("%d messages/s: at most %u behind\n", per_s, longest);
    assert_in_range(longest, 1, per_s * wait_s);
    assert_int_equal(ends[1].heard, ends[0].sent);
    assert_true(ends[0].left == 0);
    assert_true(ends[1].left == 0);
    ends[1].net->destroy(ends[1].net);
    ends[0].net->destroy(ends[0].net);
}

static void test_crowd(void **state) {
    (void)state;
    impair_conditions_t line = {.loss = 0.05f, .delay_ms = 100};
    send_a_crowd(2000, 60, 1, NULL);
    // About 10 % of the messages or their acknowledgements are lost. Repeats after 0.3, 0.8, 1.8,
    // 2.8 .. 7.8 s: of 37,500 packets, one is lost ten times with a probability of at most 3e-6.
    line.seed = 58;
    send_a_crowd(1000, 60, 8, &line);
    line.seed = 49; // more messages wait than the client can store
    send_a_crowd(2000, 20, 8, &line);
    line.seed = 8;
    send_a_crowd(437, Test_IsLong() ? 600 : 110, 8, &line);
}

/// ENet sends the 65,536th unreliable message of a channel as a reliable one: it passes, too.
static void test_sequence_wrap(void **state) {
    (void)state;
    end_t ends[2] = {{.net = open_end(true, NULL)}, {.net = open_end(false, NULL)}};
    static const uint8_t bytes[MAX_PACKET_BYTES];
    netaddr_t at = {.host = UDP_LOOPBACK, .port = EnetTransport_Port(ends[0].net)};
    int64_t now_ms = 5000;
    uint32_t num_sent = 0;
    assert_int_equal(ends[1].net->connect(ends[1].net, at, NULL), 0);
    while (num_sent < 66000) {
        now_ms += 8;
        for (int32_t i = 0; i < 2; i++) {
            hear(&ends[i], now_ms);
        }
        for (int32_t i = 0; ends[0].connected && ends[1].connected && i < 2; i++) {
            assert_true(
                ends[i].net->send(ends[i].net, 0, (uint8_t)(1 + i), false, bytes, sizeof bytes));
            ends[i].net->flush(ends[i].net);
            num_sent += (uint32_t)i;
        }
    }
    for (int32_t i = 0; i < 2; i++) {
        hear(&ends[i], now_ms + 8);
        assert_int_equal(ends[i].num_unreliable, num_sent);
        assert_int_equal(ends[i].left, 0);
    }
    ends[1].net->destroy(ends[1].net);
    ends[0].net->destroy(ends[0].net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_honest_with_thirty_percent),
        cmocka_unit_test(test_honest_with_both_directions_impaired),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_sequence_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
