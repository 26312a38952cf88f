// Clients without the map download it from a whole server, over networks that lose and delay.
// EDICTD_LONG=1: 5 MB over a DSL line.

#include "client/cl_local.h"
#include "lib/download_fixture.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "net/impair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE 500000

typedef struct {
    test_net_t net;
    cl_maps_t *full;  ///< finds the server's maps
    cl_maps_t *empty; ///< has none, and downloads
    char folder[96];
} play_t;

static void start(play_t *play, int32_t map_bytes, sim_conditions_t conditions) {
    err_t err;
    TestNet_Init(&play->net, &(test_net_config_t){.seed = 5,
                                                  .conditions = conditions,
                                                  .max_clients = 16,
                                                  .map_file = TestDownload_Map(map_bytes),
                                                  .download_rate = RATE});
    TestDownload_RemoveMap();
    play->full = play->net.maps;
    play->empty = CL_MapsCreate("/nonexistent");
    snprintf(play->folder, sizeof play->folder, "%s/downloads", play->net.folder);
    assert_true(CL_MapsDownload(play->empty, play->folder, &err));
}

static int32_t add(play_t *play, bool downloads) {
    play->net.maps = downloads ? play->empty : play->full;
    return TestNet_AddClient(&play->net, downloads ? "late" : "here");
}

static void end(play_t *play) {
    // The clients that use them end first.
    for (int32_t i = 0; i < play->net.num_clients; i++) {
        CL_Destroy(play->net.clients[i]);
        play->net.clients[i] = NULL;
    }
    CL_MapsDestroy(play->empty);
    play->net.maps = play->full;
    TestNet_Free(&play->net);
}

static void run(play_t *play, int64_t ms) {
    for (int64_t end_ms = play->net.now_ms + ms; play->net.now_ms < end_ms;) {
        TestNet_Step(&play->net);
    }
}

// Runs until a client has received so many bytes. Returns the time, ms.
static int64_t run_until(play_t *play, int32_t client, int32_t bytes) {
    cl_download_t progress;
    const int64_t start_ms = play->net.now_ms;
    do {
        run(play, 4);
        (void)CL_Download(play->net.clients[client], &progress);
    } while (progress.received < bytes && play->net.now_ms < start_ms + 120000);
    assert_true(progress.received >= bytes);
    return play->net.now_ms - start_ms;
}

static void walk(play_t *play, int32_t client, int64_t ms) {
    cl_player_state_t player;
    for (int64_t i = 0; i < ms / TEST_NET_STEP_MS; i++) {
        const cl_input_t input = {.forward = 300.0f, .yaw = (float)(i % 360)};
        CL_SetInput(play->net.clients[client], &input);
        TestNet_Step(&play->net);
        (void)CL_Predicted(play->net.clients[client], &player);
    }
}

static void test_a_download_ends_in_a_predicted_game(void **state) {
    (void)state;
    static play_t play;
    cl_stats_t stats;
    start(&play, 100000, (sim_conditions_t){.delay_ms = 20});
    const int32_t n = add(&play, true);
    assert_true(TestNet_WaitActive(&play.net, 5000));
    cl_t *cl = play.net.clients[n];
    assert_true(CL_HasMap(cl));
    walk(&play, n, 4000);
    CL_Stats(cl, &stats);
    assert_true(stats.predictions > 200);
    assert_int_equal(stats.mispredictions, 0);
    assert_int_equal(stats.download_bytes, Server_Stats(play.net.server).download_bytes);
    end(&play);
}

// 40 % of all datagrams are lost, and the map changes twice: to itself, and to another.
static void test_loss_and_changes_of_the_map(void **state) {
    (void)state;
    static play_t play;
    err_t err;
    cl_stats_t stats;
    start(&play, 100000, (sim_conditions_t){.loss = 0.4f, .delay_ms = 60, .jitter_ms = 20});
    const int32_t n = add(&play, true);
    cl_t *cl = play.net.clients[n];
    cl->config.no_reconnect = true; // the test is about one connection
    cl->config.silence_ms = 10000;
    (void)run_until(&play, n, 30000);
    assert_true(Server_StartMap(play.net.server, "testmap", &err)); // it continues
    cl_download_t before, after;
    (void)CL_Download(cl, &before);
    (void)run_until(&play, n, before.received + 20000);
    (void)CL_Download(cl, &after);
    TestNet_WriteMap(&play.net,
                     &(test_map_t){.room = {{-512, -512, 0}, {512, 512, 256}}, .name = "second"},
                     "second");
    assert_true(Server_StartMap(play.net.server, "second", &err)); // it begins anew
    assert_true(TestNet_WaitActive(&play.net, 60000));
    assert_string_equal(CL_MapName(cl), "second");
    assert_true(CL_HasMap(cl));
    assert_true(Server_StartMap(play.net.server, "testmap", &err)); // the first, from the start
    run(&play, 1000);
    assert_true(TestNet_WaitActive(&play.net, 110000));
    assert_string_equal(CL_MapName(cl), "testmap");
    assert_true(CL_HasMap(cl));
    CL_Stats(cl, &stats);
    print_message("%d bytes received\n", (int)stats.download_bytes);
    assert_int_equal(Server_Stats(play.net.server).downloads_refused, 0);
    end(&play);
}

// A client that loses the connection in the middle returns, and continues.
static void test_a_lost_connection(void **state) {
    (void)state;
    static play_t play;
    cl_stats_t stats;
    start(&play, 400000, (sim_conditions_t){.delay_ms = 20});
    const int32_t n = add(&play, true);
    cl_t *cl = play.net.clients[n];
    Server_SetGrace(play.net.server, 10000);
    (void)run_until(&play, n, 100000);
    const netaddr_t address = TestNet_ClientAddress(n);
    SimNet_SetPartition(play.net.sim, address, TestNet_ServerAddress(), true);
    run(&play, 4000);
    assert_int_equal(CL_State(cl), CL_RECONNECTING);
    SimNet_SetPartition(play.net.sim, address, TestNet_ServerAddress(), false);
    assert_true(TestNet_WaitActive(&play.net, 30000));
    assert_true(CL_HasMap(cl));
    CL_Stats(cl, &stats);
    cl_download_t progress;
    (void)CL_Download(cl, &progress);
    assert_int_equal(stats.download_bytes, progress.total); // no byte came twice
    end(&play);
}

// Returns the snapshots of two players in 10 s, while others download or not.
static void play_beside(int32_t downloads, cl_stats_t stats[2]) {
    static play_t play;
    start(&play, 2000000, (sim_conditions_t){.delay_ms = 20});
    (void)add(&play, false);
    (void)add(&play, false);
    assert_true(TestNet_WaitActive(&play.net, 5000));
    for (int32_t i = 0; i < downloads; i++) {
        (void)add(&play, true);
    }
    const int32_t seconds = getenv("EDICTD_LONG") ? 10 : 2;
    for (int32_t i = 0; i < seconds * 1000 / TEST_NET_STEP_MS; i++) {
        TestNet_Step(&play.net);
    }
    if (downloads > 0) {
        print_message("%d downloads: %d bytes in %d s\n", downloads,
                      (int)Server_Stats(play.net.server).download_bytes, seconds);
        assert_true(Server_Stats(play.net.server).download_bytes > (uint64_t)seconds * 8 * 200000);
    }
    CL_Stats(play.net.clients[0], &stats[0]);
    CL_Stats(play.net.clients[1], &stats[1]);
    end(&play);
}

static void test_downloads_delay_no_snapshot(void **state) {
    (void)state;
    cl_stats_t alone[2], beside[2];
    play_beside(0, alone);
    play_beside(8, beside);
    for (int32_t i = 0; i < 2; i++) {
        assert_int_equal(beside[i].snapshots, alone[i].snapshots);
        assert_int_equal(beside[i].snapshots_missed, 0);
        assert_int_equal(beside[i].filled_ms, alone[i].filled_ms);
    }
}

static void test_a_dsl_line(void **state) {
    (void)state;
    static play_t play;
    net_conditions_t dsl;
    err_t err;
    const int32_t bytes = getenv("EDICTD_LONG") ? 5000000 : 500000;
    start(&play, bytes, (sim_conditions_t){0});
    assert_true(Net_Conditions("dsl", 3, &dsl, &err));
    SimNet_SetNetwork(play.net.sim, TestNet_ClientAddress(0), &dsl);
    (void)add(&play, true);
    const int64_t start_ms = play.net.now_ms;
    assert_true(TestNet_WaitActive(&play.net, 120000));
    const int64_t ms = play.net.now_ms - start_ms;
    print_message("%d bytes over dsl: %d ms\n", bytes, (int)ms);
    assert_true(CL_HasMap(play.net.clients[0]));
    assert_true(ms < (int64_t)bytes * 1000 / (1500000 / 8) * 2 + 2000); // half of the line's rate
    end(&play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_download_ends_in_a_predicted_game),
        cmocka_unit_test(test_loss_and_changes_of_the_map),
        cmocka_unit_test(test_a_lost_connection),
        cmocka_unit_test(test_downloads_delay_no_snapshot),
        cmocka_unit_test(test_a_dsl_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
