// Downloads of maps at the client, from a server that may lie.

#include "base/file.h"
#include "base/hash.h"
#include "bsp/map_pack.h"
#include "client/cl_local.h"
#include "lib/client_scene_fixture.h"
#include "lib/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define BOMB_BYTES 100000000

typedef struct {
    client_scene_t *scene;
    cl_t *cl;
    cl_maps_t *own; ///< those of the scene
    char folder[64];
    map_pack_t pack;
    uint8_t *frame;
    size_t size;
} rig_t;

// Starts a server that announces the room, and a client that may download it but has not joined.
static void setup(rig_t *rig, int32_t url_ms) {
    char path[128];
    size_t size = 0;
    err_t err;
    *rig = (rig_t){.scene = ClientScene_New(1, client_scene_clean)};
    client_scene_t *scene = rig->scene;
    snprintf(path, sizeof path, "%s/room.bsp", scene->folder);
    uint8_t *map = File_Read(path, 1 << 24, &size, &err);
    assert_non_null(map);
    MapPack_Add(&rig->pack, "room.bsp", map, size);
    free(map);
    rig->frame = malloc(ZSTD_compressBound(rig->pack.size));
    rig->size = ZSTD_compress(rig->frame, ZSTD_compressBound(rig->pack.size), rig->pack.data,
                              rig->pack.size, 3);
    scene->mini.info.packed = (int32_t)rig->size;
    scene->mini.info.size = (int32_t)rig->pack.size;
    scene->mini.info.pack_hash = Hash_Bytes(rig->pack.data, rig->pack.size, 0);
    snprintf(rig->folder, sizeof rig->folder, "%s/downloads", scene->folder);
    rig->own = scene->maps;
    scene->maps = CL_MapsCreate("/nonexistent");
    assert_true(CL_MapsDownload(scene->maps, rig->folder, &err));
    rig->cl = ClientScene_Add(scene, true, 0);
    rig->cl->config.url_ms = url_ms;
}

static const mini_peer_t *server_side(const rig_t *rig) {
    return &rig->scene->mini.peers[0];
}

static void join(rig_t *rig) {
    err_t err;
    assert_true(CL_Connect(rig->cl, client_scene_server, "ann", false, &err));
    ClientScene_Run(rig->scene, 300);
    assert_int_equal(CL_State(rig->cl), CL_LOADING);
}

static void teardown(rig_t *rig) {
    CL_MapsDestroy(rig->own);
    MapPack_Free(&rig->pack);
    free(rig->frame);
    ClientScene_Free(rig->scene);
}

static void send_piece(rig_t *rig, int32_t offset, const uint8_t *data, int32_t size) {
    control_msg_t msg = {.type = CTL_PIECE};
    msg.u.piece.offset = offset;
    msg.u.piece.size = size;
    memcpy(msg.u.piece.data, data, (size_t)size);
    MiniServer_Send(&rig->scene->mini, 0, &msg);
}

static void send_all(rig_t *rig, const uint8_t *data, size_t size) {
    for (size_t at = 0; at < size; at += CTL_PIECE_BYTES) {
        const size_t left = size - at;
        send_piece(rig, (int32_t)at, data + at,
                   (int32_t)(left < CTL_PIECE_BYTES ? left : CTL_PIECE_BYTES));
        if (at % (64 * CTL_PIECE_BYTES) == 0) {
            ClientScene_Run(rig->scene, 20);
        }
    }
    ClientScene_Run(rig->scene, 500);
}

static void expect_no_map(rig_t *rig, const char *why) {
    assert_int_equal(CL_State(rig->cl), CL_ACTIVE); // it plays, without prediction
    assert_false(CL_HasMap(rig->cl));
    assert_false(server_side(rig)->ready.has_map);
    if (!strstr(CL_MapFault(rig->cl), why)) {
        fail_msg("expected \"%s\", found \"%s\"", why, CL_MapFault(rig->cl));
    }
    char command[128]; // nothing is stored
    snprintf(command, sizeof command, "test -z \"$(ls %s)\"", rig->folder);
    assert_int_equal(system(command), 0);
}

static void test_a_download(void **state) {
    (void)state;
    rig_t rig;
    cl_download_t progress;
    char path[128];
    setup(&rig, 0);
    join(&rig);
    assert_int_equal(server_side(&rig)->last.type, CTL_GET);
    assert_int_equal(server_side(&rig)->last.u.get.offset, 0);
    send_piece(&rig, 0, rig.frame, 100);
    ClientScene_Run(rig.scene, 50);
    assert_true(CL_Download(rig.cl, &progress));
    assert_int_equal(progress.received, 100);
    assert_int_equal(progress.total, (int32_t)rig.size);
    for (size_t at = 100; at < rig.size; at += CTL_PIECE_BYTES) {
        const size_t left = rig.size - at;
        send_piece(&rig, (int32_t)at, rig.frame + at,
                   (int32_t)(left < CTL_PIECE_BYTES ? left : CTL_PIECE_BYTES));
    }
    ClientScene_Run(rig.scene, 500);
    assert_int_equal(CL_State(rig.cl), CL_ACTIVE);
    assert_true(CL_HasMap(rig.cl));
    assert_true(server_side(&rig)->ready.has_map);
    assert_false(CL_Download(rig.cl, &progress));
    assert_string_equal(progress.fault, "");
    ClientScene_ExpectEvent(rig.cl, CL_EVENT_CONNECTED, 0, rig.cl->events[0].text);
    ClientScene_ExpectEvent(rig.cl, CL_EVENT_DOWNLOAD, (int32_t)rig.size, "");
    ClientScene_ExpectEvent(rig.cl, CL_EVENT_MAP, 1, "room");
    snprintf(path, sizeof path, "%s/%016llx/room.bsp", rig.folder,
             (unsigned long long)rig.scene->mini.info.hash);
    assert_int_equal(access(path, R_OK), 0);
    // A later list of maps finds the file.
    cl_maps_t *later = CL_MapsCreate("/nonexistent");
    err_t err;
    assert_null(CL_MapsLoad(later, "room", rig.scene->mini.info.hash, &err));
    assert_true(CL_MapsDownload(later, rig.folder, &err));
    assert_non_null(CL_MapsLoad(later, "room", rig.scene->mini.info.hash, &err));
    CL_MapsDestroy(later);
    teardown(&rig);
}

static void test_lies_cost_only_the_map(void **state) {
    (void)state;
    enum { SIZE, PACK_HASH, MAP_HASH, CUT, LONGER, BOMB, GARBAGE, LIES };
    static const char *const faults[LIES] = {"declares",      "not those that", "another map than",
                                             "one zstd",      "one zstd",       "declares",
                                             "one zstd frame"};
    for (int32_t lie = 0; lie < LIES; lie++) {
        rig_t rig;
        setup(&rig, 0);
        ctl_map_t *info = &rig.scene->mini.info;
        uint8_t *data = rig.frame;
        size_t size = rig.size;
        uint8_t *zeros = NULL;
        if (lie == SIZE) {
            info->size++;
        } else if (lie == PACK_HASH) {
            info->pack_hash++;
        } else if (lie == MAP_HASH) {
            info->hash++;
        } else if (lie == CUT) {
            size -= 10;
        } else if (lie == LONGER) {
            size += 10; // the bytes behind the frame are of no frame
            data = calloc(1, size);
            memcpy(data, rig.frame, rig.size);
        } else if (lie == BOMB) {
            zeros = calloc(1, BOMB_BYTES);
            data = malloc(ZSTD_compressBound(BOMB_BYTES));
            size = ZSTD_compress(data, ZSTD_compressBound(BOMB_BYTES), zeros, BOMB_BYTES, 1);
        } else if (lie == GARBAGE) {
            memset(data, 0x5a, size);
        }
        info->packed = (int32_t)size;
        join(&rig);
        send_all(&rig, data, size);
        expect_no_map(&rig, faults[lie]);
        if (data != rig.frame) {
            free(data);
        }
        free(zeros);
        teardown(&rig);
    }
}

// A piece that does not follow the last one is bad data: PIECEs come in order.
static void test_pieces_at_the_wrong_place_end_the_session(void **state) {
    (void)state;
    for (int32_t i = 0; i < 4; i++) {
        rig_t rig;
        setup(&rig, 0);
        if (i == 3) {
            CL_MapsDownloadTo(rig.scene->maps, NULL, NULL); // it may not download
            err_t err;
            assert_true(CL_Connect(rig.cl, client_scene_server, "ann", false, &err));
            ClientScene_Run(rig.scene, 300);
            assert_int_equal(CL_State(rig.cl), CL_ACTIVE);
        } else {
            join(&rig);
        }
        if (i == 0) {
            send_piece(&rig, 1, rig.frame, 100);
        } else if (i == 1) {
            send_piece(&rig, 0, rig.frame, 100);
            send_piece(&rig, 0, rig.frame, 100);
        } else if (i == 2) {
            send_all(&rig, rig.frame, rig.size);
            assert_int_equal(CL_State(rig.cl), CL_ACTIVE);
            send_piece(&rig, (int32_t)rig.size, rig.frame, 1); // after the end
        } else {
            send_piece(&rig, 0, rig.frame, 100); // not asked for
        }
        ClientScene_Run(rig.scene, 100);
        assert_int_equal(CL_State(rig.cl), CL_DISCONNECTED);
        assert_non_null(strstr(CL_Reason(rig.cl), "bad data"));
        teardown(&rig);
    }
}

// A server that stops sending costs 30 s. Later pieces are ignored, up to a limit.
static void test_a_download_that_stops(void **state) {
    (void)state;
    rig_t rig;
    uint8_t zeros[CTL_PIECE_BYTES] = {0};
    setup(&rig, 0);
    join(&rig);
    send_piece(&rig, 0, rig.frame, 100);
    ClientScene_Run(rig.scene, 29500);
    assert_int_equal(CL_State(rig.cl), CL_LOADING);
    ClientScene_Run(rig.scene, 1500);
    expect_no_map(&rig, "stopped sending");
    for (int32_t i = 0; i < 256; i++) {
        send_piece(&rig, 100, zeros, CTL_PIECE_BYTES);
        ClientScene_Run(rig.scene, 4);
    }
    ClientScene_Run(rig.scene, 500);
    assert_int_equal(CL_State(rig.cl), CL_ACTIVE);
    send_piece(&rig, 100, zeros, 1);
    ClientScene_Run(rig.scene, 100);
    assert_int_equal(CL_State(rig.cl), CL_DISCONNECTED);
    teardown(&rig);
}

static void test_the_program_gives_the_map(void **state) {
    (void)state;
    rig_t rig;
    cl_download_t progress;
    err_t err;
    char path[128];
    size_t size = 0;
    setup(&rig, 2000);
    snprintf(path, sizeof path, "%s/room.bsp", rig.scene->folder);
    uint8_t *map = File_Read(path, 1 << 24, &size, &err);
    assert_non_null(map);
    snprintf(rig.scene->mini.info.url, MAX_URL_BYTES, "https://example.org/maps/room.bsp");
    join(&rig);
    assert_int_not_equal(server_side(&rig)->last.type, CTL_GET); // it waits for the program
    assert_true(CL_Download(rig.cl, &progress));
    assert_string_equal(progress.url, "https://example.org/maps/room.bsp");
    assert_false(CL_GiveMap(rig.cl, map, size - 1, &err));
    assert_non_null(strstr(err.text, "not those that the server announced"));
    assert_true(CL_GiveMap(rig.cl, map, size, &err));
    assert_false(CL_GiveMap(rig.cl, map, size, &err)); // it has the map
    ClientScene_Run(rig.scene, 300);
    assert_int_equal(CL_State(rig.cl), CL_ACTIVE);
    assert_true(CL_HasMap(rig.cl));
    teardown(&rig);

    setup(&rig, 2000); // the program gives nothing
    snprintf(rig.scene->mini.info.url, MAX_URL_BYTES, "https://example.org/maps/room.bsp");
    join(&rig);
    ClientScene_Run(rig.scene, 1500);
    assert_int_not_equal(server_side(&rig)->last.type, CTL_GET);
    ClientScene_Run(rig.scene, 500);
    assert_int_equal(server_side(&rig)->last.type, CTL_GET);
    send_all(&rig, rig.frame, rig.size);
    assert_true(CL_HasMap(rig.cl));
    teardown(&rig);
    free(map);
}

static int32_t stored;

static bool store(void *context, const char *path, const void *data, size_t size) {
    (void)data;
    stored += strstr(path, "/room.bsp") && size > 0;
    return context != NULL;
}

// A program that stores by itself gets path and bytes. If it fails, the map is used all the same.
static void test_a_storage_of_the_program(void **state) {
    (void)state;
    for (int32_t fails = 0; fails < 2; fails++) {
        rig_t rig;
        cl_download_t progress;
        setup(&rig, 0);
        stored = 0;
        CL_MapsDownloadTo(rig.scene->maps, store, fails ? NULL : &rig);
        join(&rig);
        send_all(&rig, rig.frame, rig.size);
        assert_int_equal(CL_State(rig.cl), CL_ACTIVE);
        assert_true(CL_HasMap(rig.cl));
        assert_int_equal(stored, 1);
        (void)CL_Download(rig.cl, &progress);
        assert_int_equal(strstr(progress.fault, "did not store") != NULL, fails);
        teardown(&rig);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_download),
        cmocka_unit_test(test_lies_cost_only_the_map),
        cmocka_unit_test(test_pieces_at_the_wrong_place_end_the_session),
        cmocka_unit_test(test_a_download_that_stops),
        cmocka_unit_test(test_the_program_gives_the_map),
        cmocka_unit_test(test_a_storage_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
