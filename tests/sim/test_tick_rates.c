// The tick rates that people use: time does not drift, a player walks as far at every rate, pushers
// and riders stay together, and a client that sends exactly real time is never starved or refused.

#include "lib/course_fixture.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "core/server_local.h"
#include "move/pusher.h"
#include "physics/actions.h"
#include "world/tick_time.h"

#include <stdio.h>
#include <string.h>

static const float rates_hz[] = {20, 30, 60, 62.5f, 64, 72, 77, 100, 128};

#define NUM_RATES  ((int32_t)COUNTOF(rates_hz))
#define MINUTE_MS  60000 // ends with a tick at each of these rates
#define MAX_SPEED  320.0f
#define START_X    -14000.0f
#define SUB_STEP_S 0.008f

static void start(test_world_t *test, const test_map_t *map, float rate_hz) {
    if (map) {
        TestWorld_Init(test, map, 1);
    } else {
        TestCourse_Init(test);
    }
    test->world->cvars.sv_tickrate = rate_hz;
    TestWorld_Join(test, 0, "ann");
    TestWorld_Tick(test);
}

// Runs a tick with a command of the tick's length.
static void tick_with(test_world_t *test, usercmd_t cmd) {
    cmd.msec = (uint8_t)World_TickMs(test->world);
    TestWorld_Cmd(test, 0, cmd);
    TestWorld_Tick(test);
}

// ---- time ----

// Tests the sum that the daemon's loop forms: each deadline is the last one plus the next length.
static void test_deadlines_do_not_drift(void **state) {
    (void)state;
    const test_map_t room = {.room = {{-256, -256, 0}, {256, 256, 256}}};
    for (int32_t r = 0; r < NUM_RATES; r++) {
        test_net_t net;
        const test_net_config_t config = {
            .seed = 1, .max_clients = 1, .map = &room, .rate_hz = rates_hz[r]};
        TestNet_Init(&net, &config);
        int32_t rate_mhz = Ticks_Rate(rates_hz[r]);
        int32_t seconds = Test_IsLong() || (r % 3 == 1 && !Test_IsSlow()) ? 1000 : 100;
        int64_t deadline_ms = 0;
        for (int64_t n = 1; deadline_ms < seconds * 1000; n++) {
            deadline_ms += Server_TickMs(net.server);
            Server_Tick(net.server, deadline_ms);
            assert_int_equal(deadline_ms, n * 1000000 / rate_mhz);
            assert_int_equal(Server_World(net.server)->time_ms, deadline_ms);
            assert_int_equal(Server_World(net.server)->tick, n);
        }
        assert_int_equal(deadline_ms, seconds * 1000);
        TestNet_Free(&net);
    }
}

// ---- players ----

static const test_map_t hall = {.room = {{-15000, -128, 0}, {15000, 128, 256}},
                                .entities = "{ \"classname\" \"worldspawn\" }\n"
                                            "{ \"classname\" \"info_player_deathmatch\" "
                                            "\"origin\" \"-14000 0 24\" }\n"};

// Walks a minute from a fixed state at the start of a tick. Writes the distance at each second.
static player_state_t walk_a_minute(float rate_hz, float *at_second) {
    test_world_t test;
    start(&test, &hall, rate_hz);
    client_t *client = World_Client(test.world, 0);
    TestWorld_Tick(&test);
    TestCourse_Put(&test, Vector(START_X, 0.0f, 24.03125f));
    client->player.step_ms = 0;
    int64_t begun_ms = test.world->time_ms;
    for (int64_t walked_ms = 0; walked_ms < MINUTE_MS;) {
        usercmd_t cmd = TestCourse_Forward(World_TickMs(test.world));
        cmd.msec = (uint8_t)Q_MinI(cmd.msec, (int32_t)(MINUTE_MS - walked_ms));
        TestWorld_Cmd(&test, 0, cmd);
        TestWorld_Tick(&test);
        walked_ms = Q_MinI((int32_t)(test.world->time_ms - begun_ms), MINUTE_MS);
        float *x = &at_second[walked_ms / 1000];
        if (*x == 0.0f) {
            *x = client->player.origin.x - MAX_SPEED * (float)(walked_ms % 1000) / 1000.0f;
        }
    }
    player_state_t player = client->player;
    TestWorld_Free(&test);
    return player;
}

// Tests that the 7,500 sub-steps of a minute are the same at every rate, so the last state is equal
// to the bit. At each second, the distances differ by at most one sub-step.
static void test_a_walk_is_as_long_at_every_rate(void **state) {
    (void)state;
    float at_second[NUM_RATES][MINUTE_MS / 1000 + 1] = {{0}};
    player_state_t last[NUM_RATES];
    for (int32_t r = 0; r < NUM_RATES; r++) {
        last[r] = walk_a_minute(rates_hz[r], at_second[r]);
        float walked = last[r].origin.x - START_X;
        print_message("%g Hz: %.3f qu in 60 s\n", (double)rates_hz[r], (double)walked);
        assert_true(walked > 59.0f * MAX_SPEED);
        assert_true(walked < 60.0f * MAX_SPEED);
        assert_memory_equal(&last[r], &last[0], sizeof last[0]);
        for (int32_t s = 2; s < MINUTE_MS / 1000; s++) {
            float apart = fabsf(at_second[r][s] - at_second[0][s]);
            assert_true(apart <= MAX_SPEED * SUB_STEP_S + 0.1f); // 0.1: rounding of floats
        }
    }
}

// Sends exactly real time for ten minutes, in commands of this length (0 = each tick's), each in
// the tick in which it ends.
static void send_real_time(float rate_hz, int32_t cmd_ms) {
    test_world_t test;
    start(&test, NULL, rate_hz);
    const client_t *client = World_Client(test.world, 0);
    int64_t sent_ms = test.world->time_ms;
    int64_t end_ms = sent_ms + (Test_IsSlow() ? 1 : 10) * MINUTE_MS;
    while (test.world->time_ms < end_ms) {
        int32_t tick_ms = World_TickMs(test.world);
        int32_t msec = cmd_ms > 0 ? cmd_ms : tick_ms;
        for (; sent_ms + msec <= test.world->time_ms + tick_ms; sent_ms += msec) {
            TestWorld_Cmd(&test, 0, (usercmd_t){.msec = (uint8_t)msec, .yaw = (uint16_t)sent_ms});
        }
        TestWorld_Tick(&test);
        assert_true(client->credit_ms < msec);
        assert_true(client->starved_ms < msec + tick_ms);
    }
    assert_int_equal(client->filled_ms, 0);
    assert_int_equal(client->dropped_credit_ms, 0);
    assert_int_equal(test.world->counters.cmds_over_credit_ms, 0);
    assert_int_equal(test.world->counters.cmds_queue_full, 0);
    TestWorld_Free(&test);
}

static void test_real_time_is_neither_starved_nor_refused(void **state) {
    (void)state;
    static const int32_t cmds_ms[] = {0, 16, 10, 50};
    for (int32_t r = 0; r < NUM_RATES; r++) {
        send_real_time(rates_hz[r], 0);
        send_real_time(rates_hz[r], cmds_ms[1 + r % 3]);
    }
}

// Tests the client library on a clean network: it keeps the same lead, and nothing is filled.
static void test_clients_keep_up(void **state) {
    (void)state;
    const test_map_t room = {.room = {{-256, -256, 0}, {256, 256, 256}}};
    for (int32_t r = 0; r < NUM_RATES; r++) {
        test_net_t net;
        cl_stats_t before, after;
        const test_net_config_t config = {.seed = (uint64_t)r + 1,
                                          .conditions = {.delay_ms = 20},
                                          .max_clients = 1,
                                          .map = &room,
                                          .rate_hz = rates_hz[r]};
        TestNet_Init(&net, &config);
        (void)TestNet_AddClient(&net, "ann");
        assert_true(TestNet_WaitActive(&net, 5000));
        for (int64_t end = net.now_ms + 3000; net.now_ms < end;) {
            TestNet_Step(&net);
        }
        CL_Stats(net.clients[0], &before);
        const client_t *client = World_Client(net.server->world, 0);
        uint32_t filled_ms = client->filled_ms;
        int32_t minutes = Test_IsLong() ? 10 : 1;
        for (int64_t end = net.now_ms + minutes * MINUTE_MS; net.now_ms < end;) {
            TestNet_Step(&net);
        }
        CL_Stats(net.clients[0], &after);
        double cmds = (double)(after.cmds - before.cmds) / (60.0 * minutes);
        print_message("%g Hz: %.2f commands a second, lead %d ms, filled %u ms\n",
                      (double)rates_hz[r], cmds, after.lead_ms, client->filled_ms - filled_ms);
        assert_true(fabs(cmds - (double)rates_hz[r]) < 0.2);
        assert_int_equal(client->filled_ms, filled_ms);
        assert_int_equal(client->dropped_credit_ms, 0);
        TestNet_Free(&net);
    }
}

// ---- pushers ----

static const test_block_t platform[] = {
    {.box = {{-128, -128, -16}, {128, 128, 0}}, .contents = CONTENTS_SOLID, .model = 1}};
static const test_map_t shaft = {.room = {{-512, -512, 0}, {512, 512, 1024}},
                                 .blocks = platform,
                                 .num_blocks = COUNTOF(platform),
                                 .entities = "{ \"classname\" \"worldspawn\" }\n"
                                             "{ \"classname\" \"info_player_deathmatch\" "
                                             "\"origin\" \"300 300 24\" }\n"};

// Starts a lift that rises and falls for ever while it turns.
static edict_t *start_lift(sv_context_t *sv) {
    edict_t *lift = sv->engine->spawn(sv);
    assert_non_null(lift);
    lift->origin = Vector(0.0f, 0.0f, 256.0f);
    lift->movetype = MOVETYPE_PUSH;
    lift->solid = SOLID_BSP;
    assert_true(sv->engine->set_model(sv, lift, 1));
    sv->engine->link(sv, lift, false);
    const motion_t motion = {.kind = MOTION_SWING,
                             .duration_ms = 5000,
                             .base = {lift->origin, lift->angles},
                             .delta = {0, 0, 200.0f},
                             .delta_angles = {0, 180.0f, 0}};
    assert_true(SV_PusherStart(sv, lift, &motion));
    return lift;
}

// A rider's distances from its lift.
typedef struct {
    float height[2], radius[2]; // minimum and maximum
} span_t;

static void widen(float span[2], float value) {
    span[0] = fminf(span[0], value);
    span[1] = fmaxf(span[1], value);
}

// Rides for two minutes. Checks that the lift keeps the world's time.
static span_t ride(test_world_t *test) {
    sv_context_t sv = SV_Context(test->world, &test->map, &test->game, test->events);
    edict_t *player = World_Edict(test->world, 1);
    edict_t *lift = start_lift(&sv);
    const motion_t motion = lift->motion;
    span_t span = {{1e9f, -1e9f}, {1e9f, -1e9f}};
    TestWorld_Tick(test); // a new edict first moves in the next tick
    int64_t start_ms = test->world->time_ms;
    sv.engine->teleport(&sv, player, Vector(60.0f, 40.0f, 320.0f), vec3_zero, vec3_zero);
    while (test->world->time_ms < start_ms + 2 * MINUTE_MS) {
        tick_with(test, (usercmd_t){.msec = 0});
        pose_t pose = PM_PusherPose(&motion, test->world->time_ms, NULL);
        assert_true(VectorCompare(lift->origin, pose.origin));
        assert_true(VectorCompare(lift->angles, pose.angles));
        if (test->world->time_ms > start_ms + 2000) {
            vec3_t apart = VectorSubtract(player->origin, lift->origin);
            assert_ptr_equal(World_Deref(test->world, player->groundentity), lift);
            widen(span.height, apart.z - 24.0f);
            widen(span.radius, sqrtf(apart.x * apart.x + apart.y * apart.y));
        }
    }
    return span;
}

static void test_riders_stay_on_their_pushers(void **state) {
    (void)state;
    for (int32_t r = 0; r < NUM_RATES; r++) {
        test_world_t test;
        start(&test, &shaft, rates_hz[r]);
        span_t span = ride(&test);
        print_message("%g Hz: feet %.4f..%.4f qu above the lift, radius %.3f..%.3f\n",
                      (double)rates_hz[r], (double)span.height[0], (double)span.height[1],
                      (double)span.radius[0], (double)span.radius[1]);
        assert_true(span.height[0] >= 0.0f);
        assert_true(span.height[1] <= 0.1f);
        assert_true(span.radius[1] - span.radius[0] < 0.1f);
        assert_int_equal(test.world->counters.unstuck, 0);
        TestWorld_Free(&test);
    }
}

// Tests a lift that presses its rider against the ceiling: its local time stops, and its lag is the
// sum of the lengths of the blocked ticks.
static void test_blocked_ticks_have_their_own_lengths(void **state) {
    (void)state;
    test_map_t low = shaft;
    low.room.maxs.z = 400.0f;
    for (int32_t r = 0; r < NUM_RATES; r++) {
        test_world_t test;
        start(&test, &low, rates_hz[r]);
        sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
        edict_t *lift = start_lift(&sv);
        edict_t *player = World_Edict(test.world, 1);
        sv.engine->teleport(&sv, player, Vector(20.0f, 0.0f, 290.0f), vec3_zero, vec3_zero);
        int64_t blocked_ms = 0;
        int32_t ticks = 0;
        while (test.world->time_ms < 6000) {
            vec3_t before = lift->angles;
            int32_t tick_ms = World_TickMs(test.world);
            tick_with(&test, (usercmd_t){.msec = 0});
            bool stands = test.world->tick > 3 && VectorCompare(lift->angles, before);
            blocked_ms += stands ? tick_ms : 0;
            ticks += stands ? 1 : 0;
            assert_int_equal(lift->lag_ms, blocked_ms);
        }
        print_message("%g Hz: %d ticks, %lld ms blocked\n", (double)rates_hz[r], ticks,
                      (long long)blocked_ms);
        assert_true(blocked_ms > 3000);
        TestWorld_Free(&test);
    }
}

// Tests that edicts fly and turn as far in a minute at every rate.
static void test_edicts_move_by_the_length_of_a_tick(void **state) {
    (void)state;
    for (int32_t r = 0; r < NUM_RATES; r++) {
        test_world_t test;
        start(&test, &hall, rates_hz[r]);
        sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
        edict_t *edict = sv.engine->spawn(&sv);
        assert_non_null(edict);
        edict->movetype = MOVETYPE_NOCLIP;
        edict->velocity.x = 200.0f;
        edict->avelocity.y = 2.0f;
        sv.engine->link(&sv, edict, false);
        TestWorld_Tick(&test); // a new edict first moves in the next tick
        int64_t start_ms = test.world->time_ms;
        while (test.world->time_ms < start_ms + MINUTE_MS) {
            TestWorld_Tick(&test);
        }
        float seconds = (float)(test.world->time_ms - start_ms) / 1000.0f;
        assert_true(fabsf(edict->origin.x - 200.0f * seconds) < 2.0f); // 2: rounding of floats
        assert_true(fabsf(edict->angles.y - 2.0f * seconds) < 0.02f);
        TestWorld_Free(&test);
    }
}

// At the highest rate, an acknowledgement that is 900 ms old still names a snapshot that the server
// has. Otherwise the baseline never advances.
static void test_baselines_last_a_round_trip(void **state) {
    (void)state;
    const test_map_t room = {.room = {{-256, -256, 0}, {256, 256, 256}}};
    test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 2,
                                            .conditions = {.delay_ms = 450},
                                            .max_clients = 1,
                                            .map = &room,
                                            .rate_hz = 128.0f});
    TestNet_AddClient(&net, "ann");
    assert_true(TestNet_WaitActive(&net, 20000));
    const server_t *server = net.server;
    const snapshot_ring_t *ring = server->sessions[server->peer_of_slot[0]].ring;
    for (int32_t ms = 0; ms < 8000; ms += TEST_NET_STEP_MS) {
        TestNet_Step(&net);
        int64_t age = SnapshotRing_Newest(ring) - SnapshotRing_Base(ring);
        assert_true(ms < 4000 || (SnapshotRing_Base(ring) > 0 && age < 128));
    }
    TestNet_Free(&net);
}

// Tests a new rate with a new map: the running map keeps its rate, and clients play on.
static void test_a_new_rate_comes_with_the_next_map(void **state) {
    (void)state;
    test_net_t net;
    cl_stats_t before, after;
    player_state_t player;
    err_t err;
    const test_map_t room = {.room = {{-256, -256, 0}, {256, 256, 256}}};
    const test_net_config_t config = {
        .seed = 1, .conditions = {.delay_ms = 30}, .max_clients = 1, .map = &room};
    TestNet_Init(&net, &config);
    (void)TestNet_AddClient(&net, "ann");
    assert_true(TestNet_WaitActive(&net, 5000));
    for (int32_t r = 0; r < NUM_RATES; r++) {
        char rate[16];
        int32_t old_mhz = CL_TickRate(net.clients[0]);
        snprintf(rate, sizeof rate, "%g", (double)rates_hz[r]);
        assert_true(Server_SetCvar(net.server, "sv_tickrate", rate, &err));
        TestNet_Step(&net);
        assert_int_equal(World_TickRate(net.server->world), old_mhz);
        assert_true(Server_StartMap(net.server, "testmap", &err));
        assert_int_equal(World_TickRate(net.server->world), Ticks_Rate(rates_hz[r]));
        for (int32_t i = 0; i < 3000 / TEST_NET_STEP_MS; i++) {
            CL_SetInput(net.clients[0], &(cl_input_t){.forward = 200.0f, .yaw = (float)i});
            TestNet_Step(&net);
            (void)CL_Predicted(net.clients[0], &player);
            if (i == 1500 / TEST_NET_STEP_MS) {
                CL_Stats(net.clients[0], &before);
            }
        }
        CL_Stats(net.clients[0], &after);
        assert_int_equal(CL_State(net.clients[0]), CL_ACTIVE);
        assert_int_equal(CL_TickRate(net.clients[0]), Ticks_Rate(rates_hz[r]));
        assert_true(after.predictions > before.predictions + 25);
        assert_int_equal(after.mispredictions, before.mispredictions);
        assert_int_equal(World_Client(net.server->world, 0)->dropped_credit_ms, 0);
    }
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deadlines_do_not_drift),
        cmocka_unit_test(test_a_walk_is_as_long_at_every_rate),
        cmocka_unit_test(test_real_time_is_neither_starved_nor_refused),
        cmocka_unit_test(test_clients_keep_up),
        cmocka_unit_test(test_riders_stay_on_their_pushers),
        cmocka_unit_test(test_blocked_ticks_have_their_own_lengths),
        cmocka_unit_test(test_edicts_move_by_the_length_of_a_tick),
        cmocka_unit_test(test_baselines_last_a_round_trip),
        cmocka_unit_test(test_a_new_rate_comes_with_the_next_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
