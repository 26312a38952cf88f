// Tests that a server whose ticks take too long sends fewer snapshots, and all again afterwards.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "core/server_local.h"

static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};

// Runs seconds of ticks that take `took_ms` each. Returns the snapshots of the last second.
static int32_t run(test_net_t *net, int32_t seconds, double took_ms) {
    const server_stats_t *stats = &net->server->stats;
    uint64_t before = 0;
    for (int32_t ms = 0; ms < 1000 * seconds; ms += TEST_NET_STEP_MS) {
        const uint64_t ticks = stats->ticks;
        if (ms == 1000 * (seconds - 1)) {
            before = stats->snapshots;
        }
        TestNet_Step(net);
        if (stats->ticks > ticks) {
            Server_NoteTick(net->server, (int64_t)(took_ms * 1e6));
        }
    }
    return (int32_t)(stats->snapshots - before);
}

static void test_slow_ticks_carry_fewer_snapshots(void **state) {
    (void)state;
    static test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 1, .max_clients = 2, .map = &room});
    TestNet_AddClient(&net, "player");
    assert_true(TestNet_WaitActive(&net, 3000));
    assert_in_range(run(&net, 3, 14.0), 62, 63); // of 16 ms
    assert_int_equal(net.server->stats.snapshots_slowed, 0);
    assert_in_range(run(&net, 4, 20.0), 15, 16); // every fourth tick: 8 would take 128 ms
    assert_int_equal(net.server->stats.snapshots_slowed, 2);
    assert_in_range(run(&net, 3, 10.0), 15, 16); // neither busy nor free
    assert_in_range(run(&net, 4, 5.0), 62, 63);
    assert_int_equal(net.server->stats.snapshots_slowed, 2);
    TestNet_Free(&net);
}

static void test_an_operator_who_wants_few_snapshots_keeps_them(void **state) {
    (void)state;
    static test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 2, .max_clients = 2, .map = &room});
    TestNet_AddClient(&net, "player");
    assert_true(TestNet_WaitActive(&net, 3000));
    Server_SetHost(net.server, "slow", net.folder, "", 3);
    assert_in_range(run(&net, 3, 1.0), 20, 21);
    assert_in_range(run(&net, 4, 90.0), 10, 11);
    Server_SetHost(net.server, "renamed", net.folder, "", 3); // as any change of a cvar
    assert_in_range(run(&net, 1, 90.0), 10, 11);
    assert_in_range(run(&net, 3, 1.0), 20, 21);
    Server_SetHost(net.server, "slow", net.folder, "", 10); // 160 ms already
    assert_in_range(run(&net, 4, 90.0), 6, 7);
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_ticks_carry_fewer_snapshots),
        cmocka_unit_test(test_an_operator_who_wants_few_snapshots_keeps_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
