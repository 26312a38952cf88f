// A session with more usercmds than 16-bit numbers: 70,000 usercmds of 1 ms.

#include "lib/testing.h"

#include "lib/net_fixture.h"

static void test_commands_go_on_beyond_65536(void **state) {
    (void)state;
    static test_net_t net;
    const test_map_t room = {.room = {{-512.0f, -512.0f, 0.0f}, {512.0f, 512.0f, 256.0f}}};
    const test_net_config_t config = {
        .seed = 1, .conditions = {.delay_ms = 5}, .max_clients = 2, .map = &room};
    const netaddr_t server = {0x0a000001, 27500, 0};
    const netaddr_t own = {0x0a000100, 4000, 0};
    TestNet_Init(&net, &config);
    net.client_nets[0] = SimNet_Transport(net.sim, own, 2, false);
    net.clients[0] =
        CL_Create(&(cl_config_t){.net = net.client_nets[0], .maps = net.maps, .cmd_ms = 1});
    net.num_clients = 1;
    assert_non_null(net.clients[0]);
    assert_true(CL_Connect(net.clients[0], server, "anna", false, NULL));
    assert_true(TestNet_WaitActive(&net, 10000));

    cl_stats_t stats = {0};
    player_state_t before = {0};
    player_state_t after = {0};
    while (stats.cmds < 70000) {
        CL_SetInput(net.clients[0],
                    &(cl_input_t){.forward = 320.0f, .yaw = (float)(net.now_ms % 360)});
        for (int32_t i = 0; i < 50; i++) {
            TestNet_Step(&net);
        }
        CL_Stats(net.clients[0], &stats);
    }
    assert_int_equal(stats.filled_ms, 0); // the server never filled in missing time
    assert_int_equal(stats.dropped_cmds, 0);
    assert_true(CL_Self(net.clients[0], &before));
    for (int32_t i = 0; i < 100; i++) {
        TestNet_Step(&net);
    }
    assert_true(CL_Self(net.clients[0], &after));
    assert_false(VectorCompare(before.origin, after.origin));
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_commands_go_on_beyond_65536)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
