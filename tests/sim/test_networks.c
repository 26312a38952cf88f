// Tests of what a player feels on bad networks: shown motion is smooth, commands arrive in time.
#include "lib/testing.h"

#include "core/server_local.h"
#include "lib/net_fixture.h"
#include "proto/entity_fields.h"

#include <string.h>

#define SETTLE_MS 6000 // after the join, until the clocks are measured

static const test_map_t long_room = {
    .room = {{-4000, -256, 0}, {4000, 256, 256}},
    .entities = "{\n\"classname\" \"info_player_start\"\n\"origin\" \"-3900 -100 24\"\n}\n"
                "{\n\"classname\" \"info_player_start\"\n\"origin\" \"-3900 100 24\"\n}\n"};

// Measured at the client with the bad network.
typedef struct {
    int32_t frames, past_newest; ///< frames; of those, the shown time was after the newest snapshot
    int32_t stalls, still;       ///< frames in which the shown time, or the walker, stood still
    int32_t delay_ms_sum;        ///< of the shown time, after the newest snapshot
    float back_max, fast_max;    ///< steps of the shown walker, qu: back, and ahead
    int32_t ahead_ms_max;        ///< most that the shown time was after the newest snapshot
    int32_t queued_ms_sum, queued_ms_max, snapshots;
    uint64_t filled_ms;
    int32_t run_ms;
    cl_net_graph_t graph; ///< at the end
} felt_t;

static void watch(test_net_t *net, felt_t *felt, int64_t *last_ms, float *last_x) {
    cl_t *cl = net->clients[0];
    int64_t tick = 0;
    uint16_t frac = 0;
    pose_t pose;
    const int32_t rate = CL_TickRate(cl);
    if (!CL_ViewTime(cl, &tick, &frac) || !CL_EntityPose(cl, 2, tick, frac, &pose)) {
        fail_msg("the walker is not shown");
    }
    int64_t time_ms = Ticks_TimeMs(rate, tick, frac);
    int64_t newest_ms = Ticks_EndMs(rate, CL_ServerTick(cl));
    if (*last_ms > 0) {
        float ahead = pose.origin.x - *last_x;
        felt->frames++;
        felt->stalls += time_ms <= *last_ms;
        felt->still += ahead < 0.1f;
        felt->past_newest += time_ms > newest_ms;
        felt->ahead_ms_max = Q_MaxI(felt->ahead_ms_max, (int32_t)(time_ms - newest_ms));
        felt->delay_ms_sum += (int32_t)(newest_ms - time_ms);
        felt->back_max = -ahead > felt->back_max ? -ahead : felt->back_max;
        felt->fast_max = ahead > felt->fast_max ? ahead : felt->fast_max;
        assert_true(time_ms >= *last_ms);
    }
    *last_ms = time_ms;
    *last_x = pose.origin.x;
}

static void join(test_net_t *net, const char *network, uint64_t seed, int32_t snapshot_ticks) {
    err_t err;
    net_conditions_t conditions;
    TestNet_Init(net, &(test_net_config_t){.seed = seed, .max_clients = 4, .map = &long_room});
    net->server->snapshot_ticks = snapshot_ticks;
    assert_true(Net_Conditions(network, seed, &conditions, &err));
    SimNet_SetNetwork(net->sim, TestNet_ClientAddress(0), &conditions);
    TestNet_AddClient(net, "watcher");
    assert_true(TestNet_WaitActive(net, 20000));
    TestNet_AddClient(net, "walker");
    assert_true(TestNet_WaitActive(net, 20000));
}

static felt_t feel(const char *network, uint64_t seed, int32_t run_ms) {
    static test_net_t net;
    felt_t felt = {.run_ms = run_ms};
    join(&net, network, seed, 1);
    const int64_t start_ms = net.now_ms + SETTLE_MS, end_ms = start_ms + run_ms;
    int64_t last_ms = 0, last_tick = 0;
    float last_x = 0.0f;
    cl_stats_t before = {0}, after;
    while (net.now_ms < end_ms) {
        bool walks = net.now_ms > start_ms - 1000;
        CL_SetInput(net.clients[0], &(cl_input_t){.yaw = (float)(net.now_ms % 360)});
        CL_SetInput(net.clients[1], &(cl_input_t){.forward = walks ? 320.0f : 0.0f});
        TestNet_Step(&net);
        assert_int_equal(CL_State(net.clients[0]), CL_ACTIVE);
        if (net.now_ms >= start_ms) {
            const client_t *at_server = World_Client(net.server->world, 0);
            int32_t queued_ms = 0;
            watch(&net, &felt, &last_ms, &last_x);
            for (int32_t i = 0; i < at_server->queue_count; i++) {
                queued_ms += at_server->queue[(at_server->queue_first + i) % MAX_CMD_QUEUE].msec;
            }
            if (net.server->world->tick != last_tick) {
                last_tick = net.server->world->tick;
                felt.snapshots++;
                felt.queued_ms_sum += queued_ms;
                felt.queued_ms_max = Q_MaxI(felt.queued_ms_max, queued_ms);
            }
        } else {
            before.filled_ms = World_Client(net.server->world, 0)->filled_ms;
        }
    }
    after.filled_ms = World_Client(net.server->world, 0)->filled_ms;
    felt.filled_ms = after.filled_ms - before.filled_ms;
    CL_NetGraph(net.clients[0], &felt.graph);
    TestNet_Free(&net);
    return felt;
}

static void report(const char *network, const felt_t *felt) {
    print_message("%s: shown %d ms behind, past newest %.2f %% (at most %d ms), stalls %.2f %%, "
                  "back %.2f qu, step %.2f qu; queue %d ms (at most %d), filled %.2f %%\n",
                  network, felt->delay_ms_sum / felt->frames,
                  100.0 * felt->past_newest / felt->frames, felt->ahead_ms_max,
                  100.0 * felt->stalls / felt->frames, (double)felt->back_max,
                  (double)felt->fast_max, felt->queued_ms_sum / felt->snapshots,
                  felt->queued_ms_max, 100.0 * (double)felt->filled_ms / felt->run_ms);
    const cl_net_graph_t *graph = &felt->graph;
    print_message(
        "  rtt %d ms, jitter %d ms, lost %.1f %% up, %.1f %% down; %d and %d bytes/s; %s\n",
        graph->rtt_ms, graph->jitter_ms, 100.0 * (double)graph->loss_up,
        100.0 * (double)graph->loss_down, graph->up_bytes_s, graph->bytes_s, graph->why);
}

// On each network, shown motion never goes back and is even, and commands wait for two ticks or
// less beyond what jitter needs. A walker makes 1.28 qu in a step of 4 ms, and 1.6 in 5 ms.
static void test_presets_feel_smooth(void **state) {
    (void)state;
    static const struct {
        const char *network;
        double past_max;               // share of frames after the newest snapshot, %
        float step_max;                // qu
        int32_t delay_max, queued_max; // mean, ms
        double filled_max;             // share of time, %
    } cases[] = {
        {"delay=20", 0.0, 1.29f, 12, 28, 0.0},
        {"dsl", 0.5, 1.61f, 14, 32, 0.0},
        {"wifi", 1.0, 1.61f, 26, 36, 0.0},
        {"mobile", 1.0, 1.61f, 32, 52, 0.0},
        {"delay=60,jitter=30,loss=2", 1.0, 1.61f, 48, 60, 0.0},
        {"satellite", 3.0, 1.61f, 30, 48, 0.0},             // with bursts of 12
        {"train", 8.0, 250.0f, 45, 64, 5.0},                // an outage of about 0.6 s
        {"delay=60,jitter=300", 2.0, 1.61f, 125, 140, 0.0}, // many snapshots are 0.2 s late
    };
    for (size_t i = 0; i < COUNTOF(cases); i += Test_IsSlow() ? 3 : 1) {
        felt_t felt = feel(cases[i].network, 3, 18000);
        report(cases[i].network, &felt);
        assert_true(felt.back_max == 0.0f);
        assert_true(felt.fast_max <= cases[i].step_max);
        assert_true(felt.ahead_ms_max <= ENTITY_EXPECT_MS);
        assert_true(100.0 * felt.past_newest / felt.frames <= cases[i].past_max);
        assert_true(felt.delay_ms_sum / felt.frames <= cases[i].delay_max);
        assert_true(felt.queued_ms_sum / felt.snapshots <= cases[i].queued_max);
        assert_true(100.0 * (double)felt.filled_ms / felt.run_ms <= cases[i].filled_max);
    }
}

// Under strain, a server sends a snapshot each 192 ms (core/pace.c). The shown walker never stands
// still or jumps, also when the interval changes. The delay follows the interval.
static void walk_on(const char *network, uint64_t seed) {
    static const int32_t every[] = {12, 1, 12, 3, 6, 1};
    static test_net_t net;
    felt_t felt = {0};
    int64_t last_ms = 0;
    float last_x = 0.0f;
    join(&net, network, seed, every[0]);
    const int64_t start_ms = net.now_ms;
    for (size_t i = 0; i < COUNTOF(every); i++) {
        net.server->snapshot_ticks = every[i];
        for (const int64_t end_ms = net.now_ms + 4000; net.now_ms < end_ms;) {
            CL_SetInput(net.clients[1], &(cl_input_t){.forward = 320.0f});
            TestNet_Step(&net);
            if (net.now_ms > start_ms + 1000) {
                watch(&net, &felt, &last_ms, &last_x);
            }
        }
        CL_NetGraph(net.clients[0], &felt.graph);
        print_message("%s: a snapshot each %d ms: shown %d ms late, still %d, step %.2f qu\n",
                      network, every[i] * 16, felt.graph.delay_ms, felt.still,
                      (double)felt.fast_max);
        assert_in_range(felt.graph.delay_ms, every[i] * 16, every[i] * 16 + 40);
    }
    assert_int_equal(felt.still, 0);
    assert_true(felt.back_max == 0.0f && felt.fast_max <= 1.61f);
    TestNet_Free(&net);
}

static void test_rare_snapshots(void **state) {
    (void)state;
    walk_on("delay=20", 7);
    walk_on("wifi", 7);
    walk_on("mobile", 7);
}

// A client whose clock runs `ppm` too fast shows even motion, and its commands stay in time.
static void drift(int32_t ppm) {
    static test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 5,
                                            .conditions = {.delay_ms = 20, .jitter_ms = 3},
                                            .max_clients = 2,
                                            .map = &long_room});
    cl_t *cl = net.clients[TestNet_AddClient(&net, "drifter")];
    int64_t last_ms = 0;
    int32_t queued_min = INT32_MAX, queued_max = 0, behind_min = INT32_MAX, behind_max = 0;
    while (net.now_ms < 110000) {
        net.now_ms += TEST_NET_STEP_MS;
        SimNet_Advance(net.sim, net.now_ms);
        Server_Drain(net.server, net.now_ms);
        if (net.now_ms >= net.next_tick_ms) {
            Server_Tick(net.server, net.now_ms);
            net.next_tick_ms += Server_TickMs(net.server);
        }
        CL_Frame(cl, net.now_ms + net.now_ms * ppm / 1000000);
        int64_t tick = 0;
        uint16_t frac = 0;
        if (net.now_ms < 10000) {
            continue;
        }
        assert_true(CL_ViewTime(cl, &tick, &frac));
        int64_t time_ms = Ticks_TimeMs(CL_TickRate(cl), tick, frac);
        int32_t behind_ms =
            (int32_t)(Ticks_EndMs(CL_TickRate(cl), net.server->world->tick) - time_ms);
        assert_true(last_ms == 0 || (time_ms > last_ms && time_ms <= last_ms + 6));
        last_ms = time_ms;
        behind_min = Q_MinI(behind_min, behind_ms);
        behind_max = Q_MaxI(behind_max, behind_ms);
        queued_min = Q_MinI(queued_min, World_Client(net.server->world, 0)->queue_count);
        queued_max = Q_MaxI(queued_max, World_Client(net.server->world, 0)->queue_count);
    }
    cl_stats_t stats;
    CL_Stats(cl, &stats);
    print_message("%d ppm: shown %d..%d ms behind, %d..%d commands wait\n", ppm, behind_min,
                  behind_max, queued_min, queued_max);
    assert_int_equal(stats.cmds_skipped, 0);
    assert_true(stats.filled_ms <= 200); // of the join
    assert_int_equal(World_Client(net.server->world, 0)->dropped_credit_ms, 0);
    assert_true(behind_max - behind_min <= 28); // a tick, jitter and rounding
    assert_in_range(queued_max, 1, 3);
    TestNet_Free(&net);
}

static void test_clocks_drift(void **state) {
    (void)state;
    drift(200);
    if (!Test_IsSlow()) {
        drift(-200);
    }
}

static void test_the_net_graph_names_the_cause(void **state) {
    (void)state;
    cl_net_graph_t graph = feel("delay=20,up-loss=8", 1, 6000).graph;
    assert_true(graph.loss_up > 0.04f && graph.loss_up < 0.13f); // of 310 packets
    assert_true(graph.loss_down == 0.0f);
    assert_non_null(strstr(graph.why, "your uplink lost "));
    graph = feel("delay=20,down-loss=8", 1, 6000).graph;
    assert_true(graph.loss_down > 0.04f && graph.loss_down < 0.13f);
    assert_true(graph.loss_up == 0.0f);
    assert_non_null(strstr(graph.why, "your downlink lost "));
    graph = feel("delay=150,jitter=3", 1, 6000).graph;
    assert_in_range(graph.rtt_ms, 300, 330);
    assert_in_range(graph.jitter_ms, 1, 6);
    assert_non_null(strstr(graph.why, "the server is far: 3"));
    graph = feel("delay=10", 1, 6000).graph;
    assert_string_equal(graph.why, "");
    assert_true(graph.loss_up == 0.0f && graph.loss_down == 0.0f);
    assert_in_range(graph.queued_ms, 16, 48);
    assert_true(graph.bytes_s > 400 && graph.up_bytes_s > 400);
}

// The host reports how long its ticks took; clients receive mean and worst of a second.
static void test_the_net_graph_shows_the_server(void **state) {
    (void)state;
    static test_net_t net;
    cl_net_graph_t graph;
    TestNet_Init(&net, &(test_net_config_t){.seed = 5, .max_clients = 2, .map = &long_room});
    cl_t *cl = net.clients[TestNet_AddClient(&net, "watcher")];
    CL_NetGraph(cl, &graph);
    assert_string_equal(graph.why, "");
    assert_true(TestNet_WaitActive(&net, 20000));
    for (int32_t i = 0; i < 63; i++) {
        Server_NoteTick(net.server, i == 7 ? 31000000 : 2000000, 2000000, 1000000);
    }
    for (int64_t end_ms = net.now_ms + 3000; net.now_ms < end_ms;) {
        TestNet_Step(&net);
    }
    CL_NetGraph(cl, &graph);
    assert_float_equal(graph.tick_mean_ms, 2.4, 0.01); // (62 * 2 + 31) / 63 = 2.46
    assert_float_equal(graph.tick_worst_ms, 31.0, 0.01);
    assert_float_equal(graph.tick_ms, 16.0, 0.001);
    assert_string_equal(graph.why, "the server overran: a tick of 16 ms took 31 ms");
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets_feel_smooth),
        cmocka_unit_test(test_rare_snapshots),
        cmocka_unit_test(test_clocks_drift),
        cmocka_unit_test(test_the_net_graph_names_the_cause),
        cmocka_unit_test(test_the_net_graph_shows_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
