// Tests a thousand joins at one moment: all are in within ten seconds, few of them in each tick.
// The player inside is heard in each tick.
#include "lib/testing.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"

#include <string.h>

enum {
    PER_ADDRESS = 3,
    MOST = 999,
    TICK_MS = 16,
    LIMIT_MS = 10000,
    MOST_IN_A_TICK = 8,
    BURST = 16
};

/// Connects `count` clients of many addresses, or of one, and polls until all are connected.
static void run_burst(int32_t count, bool is_exempt, net_seal_t seal) {
    static transport_t *clients[MOST / PER_ADDRESS];
    netranges_t exempt = {0};
    assert_true(!is_exempt || Net_ParseRanges("127.0.0.0/8", &exempt, NULL));
    udp_rig_t rig = UdpRig_Open((enet_transport_config_t){.max_peers = count + 32,
                                                          .max_waiting = 32,
                                                          .max_peers_per_address = PER_ADDRESS,
                                                          .exempt = &exempt});
    transport_t *player = UdpRig_Join(&rig, false);
    int32_t player_number = rig.last_peer;
    rig.server->more->admit(rig.server, player_number, NET_TIMEOUT_MS);
    for (int32_t i = 0; i < count / PER_ADDRESS; i++) {
        err_t err = {""};
        enet_transport_config_t config = {
            .bind = {.host = UDP_LOOPBACK + (is_exempt ? 1 : (uint32_t)i + 1)},
            .max_peers = PER_ADDRESS};
        clients[i] = EnetTransport_Create(&config, &err);
        assert_non_null(clients[i]);
        clients[i]->set_seal(clients[i], seal, NULL);
        for (int32_t k = 0; k < PER_ADDRESS; k++) {
            assert_int_equal(clients[i]->connect(clients[i], rig.at, NULL), k);
        }
    }
    int64_t start_ms = rig.now_ms;
    int32_t in = 0;
    while (in < count && rig.now_ms - start_ms < LIMIT_MS) {
        net_event_t event;
        int32_t new = 0;
        bool is_heard = false;
        rig.now_ms += TICK_MS;
        // First: the crowd may overflow the kernel's buffer.
        player->send(player, 0, NET_CHANNEL_USERCMD, false, "move", 4);
        player->poll(player, rig.now_ms, &event);
        for (int32_t i = 0; i < count / PER_ADDRESS; i++) {
            do {
                clients[i]->poll(clients[i], rig.now_ms, &event);
                assert_int_not_equal(event.type, NET_LEFT);
            } while (event.type != NET_NONE);
        }
        for (rig.server->poll(rig.server, rig.now_ms, &event); event.type != NET_NONE;
             rig.server->poll(rig.server, rig.now_ms, &event)) {
            assert_int_not_equal(event.type, NET_LEFT);
            is_heard |= event.type == NET_MESSAGE && event.peer == player_number;
            if (event.type == NET_CONNECTED) {
                rig.server->more->admit(rig.server, event.peer, NET_TIMEOUT_MS);
                new ++;
            }
        }
        assert_true(is_heard);
        assert_in_range(new, 0, BURST + MOST_IN_A_TICK);
        in += new;
    }
    print_message("%d in after %d ms\n", in, (int)(rig.now_ms - start_ms));
    assert_int_equal(in, count);
    for (int32_t i = 0; i < count / PER_ADDRESS; i++) {
        clients[i]->destroy(clients[i]);
    }
    player->destroy(player);
    rig.server->destroy(rig.server);
}

static int32_t full_count(void) {
    return Test_IsLong() ? MOST : Test_IsSlow() ? 60 : 240;
}

static void test_many_addresses(void **state) {
    (void)state;
    run_burst(full_count(), false, NET_SEAL_OFFERED);
    run_burst(full_count(), false, NET_SEAL_OFF);
}

static void test_one_exempt_address(void **state) {
    (void)state;
    run_burst(full_count(), true, NET_SEAL_OFFERED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_addresses),
        cmocka_unit_test(test_one_exempt_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
