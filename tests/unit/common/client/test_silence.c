// Tests of a server that is dead, busy or far away: how soon the client notices, and the round trip
// it measures.

#include "lib/client_scene_fixture.h"
#include "lib/testing.h"

#include <string.h>

static const netaddr_t own = {0x0a000100, 4000, 0};

/// Runs the clients while the server does nothing, like a server that is dead or loads a map.
static void run_alone(client_scene_t *scene, int64_t ms) {
    for (int64_t end = scene->now_ms + ms; scene->now_ms < end;) {
        scene->now_ms += CLIENT_SCENE_STEP_MS;
        SimNet_Advance(scene->sim, scene->now_ms);
        for (int32_t i = 0; i < scene->count; i++) {
            CL_Frame(scene->clients[i], scene->now_ms);
        }
    }
}

/// Announces that the server loads a map; see common/proto/README.md, "Channel 2".
static void announce(client_scene_t *scene) {
    uint8_t epoch = (uint8_t)scene->mini.info.epoch;
    MiniServer_SendRaw(&scene->mini, 0, NET_CHANNEL_SNAPSHOT, &epoch, 1);
}

static void test_dead_server(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(50, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
    ClientScene_Run(scene, 500);
    run_alone(scene, 2600);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    run_alone(scene, 400);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    ClientScene_ExpectEvent(cl, CL_EVENT_DROPPED, 0, "the server sent nothing for 2800 ms");
    ClientScene_Free(scene);
}

static void test_limit_of_the_caller(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(51, client_scene_clean);
    transport_t *net = SimNet_Transport(scene->sim, (netaddr_t){0x0a000200, 4000, 0}, 2, false);
    cl_t *cl = CL_Create(&(cl_config_t){.net = net, .silence_ms = 900});
    scene->clients[scene->count++] = cl;
    assert_true(CL_Connect(cl, client_scene_server, "anna", false, NULL));
    ClientScene_Run(scene, 1000);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    run_alone(scene, 1000);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    ClientScene_Free(scene);
}

/// Tests a server that announced a map: it may be silent for half a minute, until it sends the map.
static void test_busy_server(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(52, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
    announce(scene);
    run_alone(scene, 9000);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    MiniServer_SendMap(&scene->mini);
    ClientScene_Run(scene, 2000);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    run_alone(scene, 3200); // with the map sent, the short timeout counts again
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    ClientScene_Free(scene);
}

/// Tests a map that fails to load: after the next snapshot, the short timeout counts again.
static void test_busy_in_vain(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(53, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
    announce(scene);
    ClientScene_Run(scene, 100);
    run_alone(scene, 3200);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    ClientScene_Free(scene);
}

static void test_busy_of_the_old_map(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(56, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
    uint8_t epoch = (uint8_t)(scene->mini.info.epoch - 1); // a late announcement
    MiniServer_SendRaw(&scene->mini, 0, NET_CHANNEL_SNAPSHOT, &epoch, 1);
    run_alone(scene, 3200);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    ClientScene_Free(scene);
}

static void test_busy_for_ever(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(54, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
    announce(scene);
    run_alone(scene, NET_BUSY_MS - 1000);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    run_alone(scene, 1500);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    ClientScene_Free(scene);
}

static int32_t rtt_that_lies(transport_t *net, int32_t peer) {
    (void)net, (void)peer;
    return 11600;
}

static int32_t rtt_ms(cl_t *cl) {
    cl_stats_t stats;
    CL_Stats(cl, &stats);
    return stats.rtt_ms;
}

/// Tests the round trip: it is measured from snapshots and their acknowledgements, not by the
/// transport.
static void test_round_trip(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(55, (sim_conditions_t){.delay_ms = 60, .jitter_ms = 4});
    cl_t *cl = ClientScene_Join(scene, "anna");
    ClientScene_Run(scene, 2000);
    // 2 * 62 ms, and at most one tick until the server sends.
    assert_in_range(rtt_ms(cl), 120, 120 + 2 * 4 + MINI_TICK_MS + CLIENT_SCENE_STEP_MS);
    scene->nets[0]->rtt_ms = rtt_that_lies;
    ClientScene_Run(scene, 1000);
    assert_in_range(rtt_ms(cl), 120, 120 + 2 * 4 + MINI_TICK_MS + CLIENT_SCENE_STEP_MS);
    SimNet_SetConditions(scene->sim, (sim_conditions_t){.delay_ms = 10});
    ClientScene_Run(scene, 3000);
    assert_in_range(rtt_ms(cl), 20, 20 + MINI_TICK_MS + CLIENT_SCENE_STEP_MS);
    SimNet_SetPartition(scene->sim, client_scene_server, own, true);
    ClientScene_Run(scene, 2000);
    SimNet_SetPartition(scene->sim, client_scene_server, own, false);
    ClientScene_Run(scene, 3000); // acknowledgements from before the outage do not count as slow
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    assert_in_range(rtt_ms(cl), 20, 60);
    ClientScene_Free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dead_server),         cmocka_unit_test(test_limit_of_the_caller),
        cmocka_unit_test(test_busy_server),         cmocka_unit_test(test_busy_in_vain),
        cmocka_unit_test(test_busy_of_the_old_map), cmocka_unit_test(test_busy_for_ever),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
