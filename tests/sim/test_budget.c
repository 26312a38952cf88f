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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns_are_spread_over_the_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
