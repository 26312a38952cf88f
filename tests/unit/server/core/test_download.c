// The server's side of map downloads: what is sent, how fast, to whom, and what hostile clients
// gain.

#include "base/hash.h"
#include "base/unpack.h"
#include "core/download.h"
#include "core/server_local.h"
#include "lib/download_fixture.h"
#include "lib/peer_fixture.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>

#define RATE 200000

// The bytes that the peer of the running test has received.
static uint8_t *got;
static int32_t num_got, pieces;
static bool confirms; // the peer confirms each piece

static void get(test_peer_t *peer, int32_t offset) {
    control_msg_t msg = {.type = CTL_GET};
    msg.u.get.epoch = peer->last[CTL_MAP].u.map.epoch;
    msg.u.get.offset = offset;
    TestPeer_Send(peer, &msg);
}

static void on_piece(test_peer_t *peer, const ctl_piece_t *piece) {
    assert_int_equal(piece->offset, num_got);
    got = realloc(got, (size_t)(num_got + piece->size));
    memcpy(got + num_got, piece->data, (size_t)piece->size);
    num_got += piece->size;
    pieces++;
    if (confirms) {
        get(peer, num_got);
    }
}

// Starts a server on the arena, and a client that has received MAP.
static const ctl_map_t *start(test_net_t *net, test_peer_t *peer, int32_t rate, const char *url) {
    TestNet_Init(net, &(test_net_config_t){.seed = 1,
                                           .max_clients = 4,
                                           .map_file = TestDownload_Map(100000),
                                           .download_rate = rate,
                                           .download_url = url});
    TestDownload_RemoveMap();
    TestPeer_Connect(peer, net, 0);
    TestPeer_Hello(peer, "ann");
    TestPeer_Run(peer, 100);
    peer->on_piece = on_piece;
    free(got);
    got = NULL;
    num_got = pieces = 0;
    confirms = true;
    assert_int_equal(peer->heard[CTL_MAP], 1);
    return &peer->last[CTL_MAP].u.map;
}

static void end(test_net_t *net, test_peer_t *peer) {
    free(got);
    got = NULL;
    TestPeer_Free(peer);
    TestNet_Free(net);
}

static void test_a_client_receives_the_map(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    err_t err;
    const ctl_map_t map = *start(&net, &peer, RATE, "https://example.org/maps");
    assert_string_equal(map.url, "https://example.org/maps/testmap.bsp");
    assert_true(map.packed > 4 * DOWNLOAD_MIN_WINDOW && map.packed < map.size);
    get(&peer, 0);
    const int64_t start_ms = net.now_ms;
    while (num_got < map.packed && net.now_ms < start_ms + 20000) {
        TestPeer_Run(&peer, TEST_NET_STEP_MS);
    }
    const int64_t ms = net.now_ms - start_ms;
    print_message("%d of %d bytes in %d ms\n", map.packed, map.size, (int)ms);
    assert_int_equal(num_got, map.packed);
    assert_true(ms * RATE / 1000 >= map.packed - RATE / 10); // the rate holds, but for a burst
    assert_true(ms * RATE / 1000 <= map.packed * 2 + RATE);
    uint8_t *pack = Unpack_Zstd(got, (size_t)num_got, (size_t)map.size, &err);
    assert_non_null(pack);
    assert_true(Hash_Bytes(pack, (size_t)map.size, 0) == map.pack_hash);
    assert_true(MapPack_Check(pack, (size_t)map.size, "testmap", &err));
    cmap_t *loaded = MapPack_Load(pack, (size_t)map.size, &err);
    assert_non_null(loaded);
    assert_true(CM_Info(loaded).hash == map.hash);
    CM_FreeMap(loaded);
    free(loaded);
    free(pack);
    const server_stats_t stats = Server_Stats(net.server);
    assert_int_equal(stats.downloads, 1);
    assert_int_equal(stats.download_bytes, map.packed);
    assert_int_equal(stats.downloads_refused, 0);
    TestPeer_Ready(&peer, 0);
    TestPeer_Run(&peer, 200);
    assert_true(peer.snapshots > 0);
    end(&net, &peer);
}

static void test_off_by_default(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    const ctl_map_t *map = start(&net, &peer, 0, "https://example.org/maps");
    assert_int_equal(map->packed, 0);
    assert_int_equal(map->size, 0);
    assert_string_equal(map->url, "");
    get(&peer, 0);
    TestPeer_Run(&peer, 500);
    assert_int_equal(pieces, 0);
    assert_int_equal(Server_Stats(net.server).downloads_refused, 1);
    end(&net, &peer);
}

// A client that asks often, beyond the end, or for what was not sent, receives nothing for it.
static void test_wrong_requests_gain_nothing(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    const ctl_map_t map = *start(&net, &peer, RATE, NULL);
    confirms = false;
    get(&peer, map.packed + 1);
    TestPeer_Run(&peer, 100);
    assert_int_equal(pieces, 0);
    assert_int_equal(Server_Stats(net.server).downloads_refused, 1);
    for (int32_t i = 0; i < 1000; i++) { // in one second; the first begins the download
        get(&peer, 0);
        get(&peer, map.packed);
        TestPeer_Run(&peer, i % 4 == 0 ? TEST_NET_STEP_MS : 0);
    }
    TestPeer_Run(&peer, 3000);
    assert_int_equal(num_got, DOWNLOAD_MIN_WINDOW); // no byte is confirmed
    const server_stats_t stats = Server_Stats(net.server);
    print_message("%d refused\n", (int)stats.downloads_refused);
    assert_int_equal(stats.downloads, 1);
    assert_true(stats.downloads_refused > 1000);
    assert_false(peer.left);
    TestPeer_Ready(&peer, 0); // gives up
    TestPeer_Run(&peer, 200);
    const uint64_t stale = Server_Stats(net.server).stale_packets;
    get(&peer, num_got); // a player downloads nothing
    TestPeer_Run(&peer, 500);
    assert_int_equal(num_got, DOWNLOAD_MIN_WINDOW);
    assert_int_equal(Server_Stats(net.server).stale_packets, stale + 1);
    end(&net, &peer);
}

// The time to load begins anew with each DOWNLOAD_STEP. A client that stops is dropped in the end.
static void test_slow_clients_stay_and_stuck_ones_go(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    const ctl_map_t map = *start(&net, &peer, 1500, NULL); // a step in 47 s
    assert_true(map.packed > DOWNLOAD_STEP * 3 / 2);
    get(&peer, 0);
    TestPeer_Run(&peer, 75000);
    assert_false(peer.left);
    assert_true(num_got > DOWNLOAD_STEP);
    confirms = false;
    TestPeer_Run(&peer, 55000);
    assert_true(peer.left);
    assert_non_null(strstr(peer.last[CTL_GOODBYE].u.text.text, "too long to load the map"));
    end(&net, &peer);
}

static void test_the_map_changes_in_the_middle(void **state) {
    (void)state;
    static test_net_t net;
    test_peer_t peer;
    err_t err;
    const ctl_map_t map = *start(&net, &peer, RATE, NULL);
    get(&peer, 0);
    TestPeer_Run(&peer, 200);
    assert_true(num_got > 0 && num_got < map.packed);
    confirms = false;
    assert_true(Server_StartMap(net.server, "testmap", &err));
    const int32_t before = num_got;
    TestPeer_Run(&peer, 500);
    assert_int_equal(peer.heard[CTL_MAP], 2);
    assert_true(peer.last[CTL_MAP].u.map.pack_hash == map.pack_hash);
    const int32_t after = num_got; // sent before MAP
    assert_true(after - before <= DOWNLOAD_MAX_WINDOW);
    TestPeer_Run(&peer, 500);
    assert_int_equal(num_got, after);
    confirms = true;
    get(&peer, num_got); // the same bytes: it continues
    for (int32_t i = 0; i < 2000 && num_got < map.packed; i++) {
        TestPeer_Run(&peer, TEST_NET_STEP_MS);
    }
    assert_int_equal(num_got, map.packed);
    uint8_t *pack = Unpack_Zstd(got, (size_t)num_got, (size_t)map.size, &err);
    assert_non_null(pack);
    free(pack);
    end(&net, &peer);
}

static void test_addresses(void **state) {
    (void)state;
    char url[512] = "https://";
    err_t err;
    assert_true(Download_CheckUrl("", &err));
    assert_true(Download_CheckUrl("http://10.0.0.1:8080/maps", &err));
    assert_false(Download_CheckUrl("file:///etc", &err));
    assert_false(Download_CheckUrl("https://a b", &err));
    memset(url + 8, 'a', 300);
    assert_false(Download_CheckUrl(url, &err));
    assert_non_null(strstr(err.text, "sv_downloadurl: expected http://"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_client_receives_the_map),
        cmocka_unit_test(test_off_by_default),
        cmocka_unit_test(test_wrong_requests_gain_nothing),
        cmocka_unit_test(test_slow_clients_stay_and_stuck_ones_go),
        cmocka_unit_test(test_the_map_changes_in_the_middle),
        cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
