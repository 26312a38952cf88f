// Tests of the impairment model: fractions and delays as configured, equal results for equal seeds;
// then real ENet on loopback through it, in virtual time.
#include "lib/testing.h"

#include "lib/udp_rig.h"
#include "net/enet_local.h"

#include <string.h>
#include <unistd.h>

#define NUM_SENT 20000

// Counts the fates of numbered datagrams, one sent in each ms.
typedef struct {
    int32_t arrivals[NUM_SENT]; ///< number of copies
    int32_t num_arrived, num_overtaken, longest_gap;
    int64_t delay_ms_min, delay_ms_max, delay_ms_sum;
    impair_counters_t counters;
} outcome_t;

static void take(outcome_t *out, const impair_datagram_t *datagram, int64_t now_ms,
                 int32_t *newest) {
    int32_t number = 0;
    assert_int_equal(datagram->size, sizeof number);
    memcpy(&number, datagram->data, sizeof number);
    assert_in_range(number, 0, NUM_SENT - 1);
    assert_int_equal(datagram->address.host, UDP_LOOPBACK);
    assert_int_equal(datagram->address.port, number & 0xff);
    int64_t delay_ms = now_ms - number;
    out->arrivals[number]++;
    out->num_overtaken += number < *newest;
    *newest = Q_MaxI(*newest, number);
    out->delay_ms_min =
        out->num_arrived == 0 || delay_ms < out->delay_ms_min ? delay_ms : out->delay_ms_min;
    out->delay_ms_max = delay_ms > out->delay_ms_max ? delay_ms : out->delay_ms_max;
    out->delay_ms_sum += delay_ms;
    out->num_arrived++;
}

static void run(const impair_conditions_t *conditions, outcome_t *out) {
    impair_t *impair = Impair_Create(conditions);
    assert_non_null(impair);
    memset(out, 0, sizeof *out);
    int32_t newest = -1;
    for (int32_t now_ms = 0; now_ms < NUM_SENT + 1000; now_ms++) {
        if (now_ms < NUM_SENT) {
            netaddr_t from = {.host = UDP_LOOPBACK, .port = (uint16_t)(now_ms & 0xff)};
            Impair_Push(impair, now_ms, from, &now_ms, sizeof now_ms);
        }
        int32_t num_due = Impair_NumDue(impair, now_ms);
        const impair_datagram_t *datagram = NULL;
        while ((datagram = Impair_Pop(impair, now_ms)) != NULL) {
            take(out, datagram, now_ms, &newest);
            num_due--;
        }
        assert_int_equal(num_due, 0);
    }
    for (int32_t i = 0, gap = 0; i < NUM_SENT; i++) {
        gap = out->arrivals[i] > 0 ? 0 : gap + 1;
        out->longest_gap = Q_MaxI(out->longest_gap, gap);
    }
    out->counters = Impair_Counters(impair);
    Impair_Destroy(impair);
}

static void test_no_conditions_change_nothing(void **state) {
    (void)state;
    static outcome_t out;
    run(&(impair_conditions_t){.seed = 1}, &out);
    assert_int_equal(out.num_arrived, NUM_SENT);
    assert_int_equal(out.num_overtaken, 0);
    assert_int_equal(out.delay_ms_max, 0);
}

static void test_loss_and_duplicates(void **state) {
    (void)state;
    static outcome_t out;
    run(&(impair_conditions_t){.seed = 2, .loss = 0.05f, .duplicate = 0.02f}, &out);
    assert_in_range(out.counters.lost, NUM_SENT * 0.045, NUM_SENT * 0.055);
    assert_in_range(out.counters.duplicated, NUM_SENT * 0.016, NUM_SENT * 0.022);
    assert_int_equal(out.counters.taken, NUM_SENT);
    assert_int_equal(out.num_arrived, NUM_SENT - out.counters.lost + out.counters.duplicated);
    assert_in_range(out.longest_gap, 1, 6);
    run(&(impair_conditions_t){.seed = 2, .loss = 1.0f}, &out);
    assert_int_equal(out.num_arrived, 0);
}

static void test_jitter_keeps_the_order(void **state) {
    (void)state;
    static outcome_t out;
    run(&(impair_conditions_t){.seed = 3, .delay_ms = 50, .jitter_ms = 20}, &out);
    assert_int_equal(out.num_arrived, NUM_SENT);
    assert_int_equal(out.num_overtaken, 0);
    assert_true(out.delay_ms_min >= 30);
    assert_true(out.delay_ms_max <= 70);
    assert_true(out.delay_ms_max - out.delay_ms_min >= 20);
    assert_in_range(out.delay_ms_sum / out.num_arrived, 50, 70);
}

static void test_reordering_overtakes(void **state) {
    (void)state;
    static outcome_t out;
    run(&(impair_conditions_t){.seed = 4, .delay_ms = 20, .reorder = 0.03f}, &out);
    assert_in_range(out.counters.reordered, NUM_SENT * 0.025, NUM_SENT * 0.035);
    assert_int_equal(out.num_overtaken, out.counters.reordered);
    assert_true(out.delay_ms_min == 20);
    assert_true(out.delay_ms_max <= 20 + 20 + 20);
}

static void test_bursts_lose_in_a_row(void **state) {
    (void)state;
    static outcome_t out;
    run(&(impair_conditions_t){.seed = 5, .burst = 0.002f, .burst_length = 12}, &out);
    assert_in_range(out.counters.lost, 12 * 20, 12 * 60);
    assert_true(out.longest_gap >= 12);
    for (int32_t i = 0, gap = 0; i < NUM_SENT; i++) {
        if (out.arrivals[i] > 0) {
            assert_int_equal(gap % 12, 0); // bursts may follow each other directly
            gap = 0;
        } else {
            gap++;
        }
    }
}

static void test_same_seed_same_fate(void **state) {
    (void)state;
    static outcome_t a, b;
    impair_conditions_t conditions = {.seed = 6,
                                      .loss = 0.05f,
                                      .burst = 0.001f,
                                      .burst_length = 5,
                                      .duplicate = 0.02f,
                                      .reorder = 0.02f,
                                      .delay_ms = 50,
                                      .jitter_ms = 10};
    run(&conditions, &a);
    run(&conditions, &b);
    assert_memory_equal(&a, &b, sizeof a);
    conditions.seed = 7;
    run(&conditions, &b);
    assert_memory_not_equal(a.arrivals, b.arrivals, sizeof a.arrivals);
}

static void test_flight_is_bounded(void **state) {
    (void)state;
    impair_t *impair = Impair_Create(&(impair_conditions_t){.delay_ms = 1000});
    assert_non_null(impair);
    for (int32_t i = 0; i < IMPAIR_MAX_FLYING + 10; i++) {
        Impair_Push(impair, 0, (netaddr_t){0}, "x", 1);
    }
    assert_int_equal(Impair_Counters(impair).overflowed, 10);
    assert_int_equal(Impair_NumDue(impair, 999), 0);
    assert_int_equal(Impair_NumDue(impair, 1000), IMPAIR_MAX_FLYING);
    Impair_Destroy(impair);
}

// --- real ENet through it --------------------------------------------------------------------

// Stores one end, with its sent and received messages.
typedef struct {
    transport_t *net;
    int32_t peer;
    uint32_t sent, expected;
    int32_t connected, left, unreliable;
} end_t;

static void poll_end(end_t *end, int64_t now_ms) {
    net_event_t event;
    for (end->net->poll(end->net, now_ms, &event); event.type != NET_NONE;
         end->net->poll(end->net, now_ms, &event)) {
        if (event.type == NET_CONNECTED) {
            end->connected++;
            end->peer = event.peer;
        } else if (event.type == NET_LEFT) {
            end->left++;
        } else if (event.type == NET_MESSAGE && event.channel == NET_CHANNEL_CONTROL) {
            assert_int_equal(event.size, sizeof end->expected);
            assert_memory_equal(event.data, &end->expected, sizeof end->expected);
            end->expected++;
        } else if (event.type == NET_MESSAGE) {
            end->unreliable++;
        }
    }
}

static void send_both(end_t *end) {
    transport_t *net = end->net;
    assert_true(net->send(net, end->peer, NET_CHANNEL_CONTROL, true, &end->sent, sizeof end->sent));
    assert_true(net->send(net, end->peer, NET_CHANNEL_SNAPSHOT, false, "state", 5));
    end->sent++;
    net->flush(net);
}

static transport_t *open_end(bool is_server, int32_t max_peers,
                             const impair_conditions_t *conditions) {
    err_t err = {""};
    transport_t *net = EnetTransport_Create(&(enet_transport_config_t){.bind.host = UDP_LOOPBACK,
                                                                       .max_peers = max_peers,
                                                                       .is_server = is_server,
                                                                       .impair = conditions},
                                            &err);
    if (!net) {
        fail_msg("%s", err.text);
    }
    return net;
}

static bool has_all(const end_t *end, const end_t *other) {
    return end->sent > 0 && end->expected == other->sent;
}

/// Sends messages for 35 s of virtual time, then polls until the last repeats have arrived, because
/// ENet waits twice as long after each loss. From the 65th second on each step sleeps, because
/// virtual time can run faster than a busy kernel delivers datagrams. Each reliable message must
/// arrive once and in order, through loss, bursts, 50 +- 10 ms, duplicates and reordering in both
/// directions.
static void talk(end_t *server, end_t *client) {
    netaddr_t at = {.host = UDP_LOOPBACK, .port = EnetTransport_Port(server->net)};
    int64_t now_ms = 5000;
    assert_int_equal(client->net->connect(client->net, at, NULL), 0);
    bool is_done = false;
    for (int32_t step = 0; step < 20000 && !is_done; step++) {
        now_ms += 5;
        if (step > 13000) {
            usleep(1000);
        }
        poll_end(server, now_ms);
        poll_end(client, now_ms);
        if (server->connected && client->connected && step % 4 == 0 && step < 7000) {
            send_both(server);
            send_both(client);
        }
        is_done = step > 7000 && has_all(server, client) && has_all(client, server);
    }
    assert_true(server->connected == 1);
    assert_true(client->connected == 1);
    assert_true(server->left == 0);
    assert_true(client->left == 0);
    assert_true(server->sent > 1500);
    assert_true(client->sent == server->sent);
    assert_int_equal(server->expected, client->sent);
    assert_int_equal(client->expected, server->sent);
    int32_t sent = (int32_t)server->sent;
    assert_true(client->unreliable > sent / 5 * 4);
    assert_true(client->unreliable < sent);
    assert_true(server->unreliable > sent / 5 * 4);
    assert_true(server->unreliable < sent);
    assert_in_range(server->net->rtt_ms(server->net, server->peer), 90, 250);
    netaddr_t server_at = client->net->more->address(client->net, client->peer);
    assert_true(server_at.host == at.host);
    assert_true(server_at.port == at.port);
}

static void assert_impaired(impair_counters_t counters) {
    assert_true(counters.taken > 1500);
    assert_true(counters.lost > counters.taken / 40);
    assert_true(counters.duplicated > 0);
    assert_true(counters.reordered > 0);
    assert_true(counters.overflowed == 0);
}

static const impair_conditions_t bad = {.seed = 11,
                                        .loss = 0.05f,
                                        .burst = 0.001f,
                                        .burst_length = 4,
                                        .duplicate = 0.02f,
                                        .reorder = 0.02f,
                                        .delay_ms = 50,
                                        .jitter_ms = 10};

/// Tests a server that impairs what it receives, and a client that impairs both directions.
static void test_enet_with_both_ends_impaired(void **state) {
    (void)state;
    end_t server = {.net = open_end(true, 2, &bad)};
    end_t client = {.net = open_end(false, 2, &bad)};
    talk(&server, &client);
    assert_impaired(EnetTransport_Impaired(client.net, false));
    assert_impaired(EnetTransport_Impaired(server.net, false));
    assert_impaired(EnetTransport_Impaired(client.net, true));
    assert_int_equal(EnetTransport_Impaired(server.net, true).taken, 0);
    client.net->destroy(client.net);
    server.net->destroy(server.net);
}

/// Tests a client that impairs both directions, with a server that impairs nothing.
static void test_enet_with_a_client_impaired(void **state) {
    (void)state;
    end_t server = {.net = open_end(true, 2, NULL)};
    end_t client = {.net = open_end(false, 1, &bad)};
    talk(&server, &client);
    assert_impaired(EnetTransport_Impaired(client.net, false));
    assert_impaired(EnetTransport_Impaired(client.net, true));
    client.net->destroy(client.net);
    server.net->destroy(server.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_conditions_change_nothing),
        cmocka_unit_test(test_loss_and_duplicates),
        cmocka_unit_test(test_jitter_keeps_the_order),
        cmocka_unit_test(test_reordering_overtakes),
        cmocka_unit_test(test_bursts_lose_in_a_row),
        cmocka_unit_test(test_same_seed_same_fate),
        cmocka_unit_test(test_flight_is_bounded),
        cmocka_unit_test(test_enet_with_both_ends_impaired),
        cmocka_unit_test(test_enet_with_a_client_impaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
