// Tests which snapshots a client receives: in which ticks, of how many bytes, with which entities.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "core/server_local.h"

#include <string.h>

#define CLIENTS 8
#define EVERY   4 // sv_snapshot_ticks

static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};

typedef struct {
    test_net_t net;
    bool (*send)(transport_t *net, int32_t peer, uint8_t channel, bool reliable, const void *data,
                 size_t size);
    int32_t num_sent;            // snapshots of a step
    int64_t sent_tick[CLIENTS];  // of the newest snapshot
    int64_t sent_bytes[CLIENTS]; // of all snapshots
} play_t;

static play_t *the_play; // of send_noted()

static bool send_noted(transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                       const void *data, size_t size) {
    if (channel == NET_CHANNEL_SNAPSHOT && size > SNAPSHOT_BUSY_BYTES) {
        the_play->num_sent++;
        the_play->sent_tick[peer] = Server_World(the_play->net.server)->tick;
        the_play->sent_bytes[peer] += (int64_t)size;
    }
    return the_play->send(net, peer, channel, reliable, data, size);
}

static void begin(play_t *play, int32_t clients) {
    const test_net_config_t config = {
        .seed = 1, .max_clients = CLIENTS, .map = &room, .conditions = {.delay_ms = 20}};
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net, &config);
    the_play = play;
    play->send = play->net.server_net->send;
    play->net.server_net->send = send_noted;
    for (int32_t i = 0; i < clients; i++) {
        (void)TestNet_AddClient(&play->net, "player");
    }
    assert_true(TestNet_WaitActive(&play->net, 3000));
}

static void test_turns_are_spread_over_the_slots(void **state) {
    (void)state;
    static play_t play;
    int64_t last[CLIENTS];
    begin(&play, CLIENTS);
    Server_SetHost(play.net.server, "budget", play.net.folder, "", EVERY);
    for (int32_t i = 0; i < 50; i++) {
        TestNet_Step(&play.net);
    }
    memcpy(last, play.sent_tick, sizeof last);
    for (int32_t i = 0; i < 200; i++) {
        const int64_t tick = Server_World(play.net.server)->tick;
        play.num_sent = 0;
        TestNet_Step(&play.net);
        const bool ran = Server_World(play.net.server)->tick > tick;
        assert_int_equal(play.num_sent, ran ? CLIENTS / EVERY : 0);
        for (int32_t peer = 0; peer < CLIENTS; peer++) {
            if (play.sent_tick[peer] != last[peer]) {
                assert_int_equal(play.sent_tick[peer] - last[peer], EVERY);
                last[peer] = play.sent_tick[peer];
            }
        }
    }
    TestNet_Free(&play.net);
}

static void run_ms(play_t *play, int32_t ms) {
    for (int32_t at = 0; at < ms; at += TEST_NET_STEP_MS) {
        TestNet_Step(&play->net);
    }
}

// Returns the bytes/s that a client receives as snapshots, with headers.
static int64_t measured_rate(play_t *play, int32_t peer) {
    uint64_t skipped = play->net.server->stats.snapshots_skipped;
    play->num_sent = 0;
    play->sent_bytes[peer] = 0;
    run_ms(play, 4000);
    skipped = play->net.server->stats.snapshots_skipped - skipped;
    assert_in_range(play->num_sent + (int64_t)skipped, 249, 251); // of one client
    return (play->sent_bytes[peer] + (int64_t)play->num_sent * RATE_HEADERS) / 4;
}

static void test_a_wished_rate(void **state) {
    (void)state;
    static play_t play;
    static const char *const refused[] = {"2147483648", "-1", "fast", "1e4"};
    begin(&play, 1);
    cl_t *client = play.net.clients[0];
    Server_SetRates(play.net.server, (rate_bounds_t){1000, RATE_MAX});
    int64_t all = measured_rate(&play, 0);
    assert_int_equal(play.net.server->stats.snapshots_skipped, 0);
    assert_true(CL_SetInfo(client, "rate", "2000", NULL));
    run_ms(&play, 400);
    for (size_t i = 0; i < COUNTOF(refused); i++) {
        int64_t rate = measured_rate(&play, 0);
        assert_in_range(rate, 1800, 2000 + MAX_PACKET_BYTES / 4);
        assert_true(CL_SetInfo(client, "rate", refused[i], NULL));
    }
    Server_SetRates(play.net.server, (rate_bounds_t){3000, 100000});
    run_ms(&play, 4000);
    assert_in_range(measured_rate(&play, 0), 2700, 3300); // not less than the operator's bound
    assert_true(CL_SetInfo(client, "rate", "0", NULL));
    run_ms(&play, 4000);
    assert_in_range(measured_rate(&play, 0), all * 9 / 10, all * 11 / 10);
    TestNet_Free(&play.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns_are_spread_over_the_slots),
        cmocka_unit_test(test_a_wished_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
