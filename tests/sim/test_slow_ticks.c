// Tests that a server whose ticks take too long sends fewer snapshots, and all again afterwards.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "core/server_local.h"

static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};

// Runs seconds of ticks that take `took_ms` each, or `full_ms` if each carries every snapshot.
// Returns the snapshots of the last second.
static int32_t run_with(test_net_t *net, int32_t seconds, double took_ms, double full_ms) {
    const server_stats_t *stats = &net->server->stats;
    uint64_t before = 0;
    for (int32_t step_ms = 0; step_ms < 1000 * seconds; step_ms += TEST_NET_STEP_MS) {
        const uint64_t ticks = stats->ticks;
        if (step_ms == 1000 * (seconds - 1)) {
            before = stats->snapshots;
        }
        TestNet_Step(net);
        if (stats->ticks > ticks) {
            const double ms = net->server->snapshot_ticks == 1 ? full_ms : took_ms;
            Server_NoteTick(net->server, (int64_t)(ms * 1e6));
        }
    }
    return (int32_t)(stats->snapshots - before);
}

static int32_t run(test_net_t *net, int32_t seconds, double took_ms) {
    return run_with(net, seconds, took_ms, took_ms);
}

// Notes ticks until a window of pace.c ends.
static void end_windows(server_t *server, int32_t count, double took_ms) {
    for (int32_t i = 0; i < count; i++) {
        do {
            Server_NoteTick(server, (int64_t)(took_ms * 1e6));
        } while (server->tick_times.count > 0);
    }
}

static void test_slow_ticks_carry_fewer_snapshots(void **state) {
    (void)state;
    static test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 1, .max_clients = 2, .map = &room});
    TestNet_AddClient(&net, "player");
    assert_true(TestNet_WaitActive(&net, 3000));
    assert_in_range(run(&net, 3, 13.0), 62, 63); // of 16 ms
    assert_int_equal(net.server->stats.snapshots_slowed, 0);
    assert_in_range(run(&net, 8, 20.0), 5, 6); // every 12th tick: 13 would take 208 ms
    assert_int_equal(net.server->stats.snapshots_slowed, 4);
    assert_in_range(run(&net, 3, 13.0), 5, 6); // neither busy nor calm
    assert_in_range(run(&net, 6, 5.0), 62, 63);
    assert_int_equal(net.server->stats.snapshots_slowed, 4);
    TestNet_Free(&net);
}

// The interval grows no more than necessary: in a crowd, entities wait for the next snapshots.
static void test_slightly_slow_ticks(void **state) {
    (void)state;
    static test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 5, .max_clients = 2, .map = &room});
    Server_SetHost(net.server, "slow", net.folder, "", 3);
    end_windows(net.server, 1, 14.5); // of 16 ms; with a fourth tick at least 10.9
    assert_int_equal(net.server->snapshot_ticks, 4);
    end_windows(net.server, 1, 14.5);
    assert_int_equal(net.server->snapshot_ticks, 5);
    end_windows(net.server, 1, 500.0);
    assert_int_equal(net.server->snapshot_ticks, 10);
    end_windows(net.server, 1, 500.0);
    assert_int_equal(net.server->snapshot_ticks, 12);
    end_windows(net.server, 1, 500.0);
    assert_int_equal(net.server->snapshot_ticks, 12);
    TestNet_Free(&net);
}

// A process that was stopped for 2 s catches up with five late ticks. They slow nothing down.
static void test_a_stopped_process(void **state) {
    (void)state;
    static test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 8, .max_clients = 2, .map = &room});
    end_windows(net.server, 1, 2.0);
    for (int32_t i = 0; i < 5; i++) {
        Server_NoteTick(net.server, INT64_C(2000000000));
    }
    end_windows(net.server, 1, 2.0);
    assert_int_equal(net.server->snapshot_ticks, 1);
    assert_int_equal(net.server->stats.snapshots_slowed, 0);
    TestNet_Free(&net);
}

// A view of the client names both snapshots around it, which are at most 15 ticks apart.
static void test_views_span_two_snapshots(void **state) {
    (void)state;
    static test_net_t net;
    const test_net_config_t config = {.seed = 7, .max_clients = 2, .map = &room, .rate_hz = 125};
    TestNet_Init(&net, &config);
    end_windows(net.server, 6, 500.0);
    assert_int_equal(net.server->snapshot_ticks, 15);
    assert_true(UserCmd_Span(0, net.server->snapshot_ticks) >> 4 > 0);
    TestNet_Free(&net);
}

// Snapshots come back as soon as they surely fit, even if ticks do nothing else.
static void test_affordable_snapshots_come_back(void **state) {
    (void)state;
    static test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 6, .max_clients = 2, .map = &room});
    end_windows(net.server, 4, 500.0);
    assert_int_equal(net.server->snapshot_ticks, 12);
    end_windows(net.server, 1, 9.0); // of 12: every 9th tick
    assert_int_equal(net.server->snapshot_ticks, 9);
    end_windows(net.server, 1, 12.0);
    assert_int_equal(net.server->snapshot_ticks, 9);
    end_windows(net.server, 1, 2.0); // at most twice as many
    assert_int_equal(net.server->snapshot_ticks, 4);
    TestNet_Free(&net);
}

// A burst of slow ticks ends. Then only ticks with every snapshot are slow.
static void test_tries_become_rare(void **state) {
    (void)state;
    static test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 3, .max_clients = 2, .map = &room});
    TestNet_AddClient(&net, "player");
    assert_true(TestNet_WaitActive(&net, 3000));
    end_windows(net.server, 2, 20.0);
    assert_int_equal(net.server->snapshot_ticks, 4);
    run(&net, 13, 11.0); // a burst is over: after three tries of 4 s, all again
    assert_int_equal(net.server->snapshot_ticks, 1);
    const uint64_t before = net.server->stats.snapshots_slowed;
    run_with(&net, 40, 10.0, 20.0);
    const uint64_t after = net.server->stats.snapshots_slowed;
    assert_in_range(after - before, 3, 4); // after 0, 5, 14 and 31 s
    run_with(&net, 40, 10.0, 20.0);
    assert_in_range(net.server->stats.snapshots_slowed - after, 0, 1);
    TestNet_Free(&net);
}

// A try has failed if one of the four windows after it is busy.
static void test_a_try_lasts_four_windows(void **state) {
    (void)state;
    for (int32_t calm = 0; calm <= 4; calm++) {
        static test_net_t net;
        TestNet_Init(&net, &(test_net_config_t){.seed = 4, .max_clients = 2, .map = &room});
        end_windows(net.server, 1, 20.0);
        assert_int_equal(net.server->snapshot_ticks, 2);
        end_windows(net.server, 4, 11.0);
        assert_int_equal(net.server->snapshot_ticks, 1);
        end_windows(net.server, calm, 11.0);
        end_windows(net.server, 1, 20.0);
        assert_int_equal(net.server->snapshot_ticks, 2);
        end_windows(net.server, 4, 11.0); // the wait has doubled if the try failed
        assert_int_equal(net.server->snapshot_ticks, calm < 4 ? 2 : 1);
        TestNet_Free(&net);
    }
}

static void test_an_operator_who_wants_few_snapshots_keeps_them(void **state) {
    (void)state;
    static test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 2, .max_clients = 2, .map = &room});
    TestNet_AddClient(&net, "player");
    assert_true(TestNet_WaitActive(&net, 3000));
    Server_SetHost(net.server, "slow", net.folder, "", 3);
    assert_in_range(run(&net, 3, 1.0), 20, 21);
    assert_in_range(run(&net, 4, 90.0), 5, 6);
    Server_SetHost(net.server, "renamed", net.folder, "", 3); // as any change of a cvar
    assert_in_range(run(&net, 1, 90.0), 5, 6);
    assert_in_range(run(&net, 4, 1.0), 20, 21);
    Server_SetHost(net.server, "slow", net.folder, "", 15); // 240 ms already
    assert_in_range(run(&net, 4, 90.0), 4, 5);
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_ticks_carry_fewer_snapshots),
        cmocka_unit_test(test_slightly_slow_ticks),
        cmocka_unit_test(test_a_stopped_process),
        cmocka_unit_test(test_views_span_two_snapshots),
        cmocka_unit_test(test_affordable_snapshots_come_back),
        cmocka_unit_test(test_tries_become_rare),
        cmocka_unit_test(test_a_try_lasts_four_windows),
        cmocka_unit_test(test_an_operator_who_wants_few_snapshots_keeps_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
