// The messages of a join reach the client in one flight: WELCOME, players, map and 48 KiB of names,
// before the server has read one acknowledgement. For ENet and the simulated network.

#include "lib/net_rig.h"
#include "lib/testing.h"

#include "proto/control.h"

#define PLAYERS      255
#define PLAYER_BYTES 120 // PLAYER_INFO with a name and some settings
#define NAMES        (NAMES_BYTES / CTL_NAMES_BYTES + NAMES_TABLES)

static void send(const net_rig_t *rig, int32_t peer, int32_t count, size_t size) {
    static const uint8_t bytes[MAX_MESSAGE_BYTES] = {1};
    for (int32_t i = 0; i < count; i++) {
        assert_true(rig->server->send(rig->server, peer, NET_CHANNEL_CONTROL, true, bytes, size));
    }
}

static void test_one_flight(void **state) {
    (void)state;
    for (int32_t i = 0; i < 4; i++) {
        net_rig_t rig = NetRig_Open(i % 2, 4, 1);
        net_heard_t client = {0};
        int32_t peer = NetRig_Join(&rig, 0);
        if (i >= 2) { // the same for a further map: ENet changes its settings after a second
            NetRig_Run(&rig, 3000, NULL, &client);
        }
        send(&rig, peer, PLAYERS, PLAYER_BYTES);
        send(&rig, peer, NAMES, CTL_NAMES_BYTES);
        rig.server->flush(rig.server);
        for (int32_t step = 0; step < 10; step++) { // the server reads nothing meanwhile
            NetRig_Advance(&rig);
            NetRig_Listen(&rig, rig.clients[0], &client);
        }
        assert_int_equal(client.messages, PLAYERS + NAMES);
        NetRig_Close(&rig);
    }
}

// Further maps come at once, too: limits of rates allow a join every few seconds.
static void test_again_and_again(void **state) {
    (void)state;
    for (int32_t is_sim = 0; is_sim < 2; is_sim++) {
        net_rig_t rig = NetRig_Open(is_sim, 4, 1);
        net_heard_t client = {0};
        int32_t peer = NetRig_Join(&rig, 0);
        for (int32_t round = 1; round <= 5; round++) {
            send(&rig, peer, NAMES, CTL_NAMES_BYTES);
            NetRig_Run(&rig, 100, NULL, &client);
            assert_int_equal(client.messages, round * NAMES);
            NetRig_Run(&rig, 2000, NULL, &client);
        }
        NetRig_Close(&rig);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_flight),
        cmocka_unit_test(test_again_and_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
