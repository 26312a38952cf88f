// Packs of map files: what the recorder collects, and which bytes are refused.

#include "bsp/map_pack.h"

#include "bsp/map.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool packs(const char *path) {
    map_pack_t pack = {0};
    err_t err;
    MapPack_Add(&pack, "room.bsp", (const uint8_t *)"x", 1);
    MapPack_Add(&pack, path, (const uint8_t *)"yz", 2);
    const bool good = !pack.fault && MapPack_Check(pack.data, pack.size, "room", &err);
    MapPack_Free(&pack);
    return good;
}

static void test_paths(void **state) {
    (void)state;
    static const char *const good[] = {"a.emesh", "meshes/rock_2.emesh", "room.ent", "x/y/z.bsp"};
    static const char *const bad[] = {
        "../room.bsp", "/etc/x.bsp",  "a/../b.bsp", "a//b.bsp", ".x.bsp", "a/.b.bsp", "a.sh",
        "a b.bsp",     "a\\b.bsp",    "a:b.bsp",    ".bsp",     "",       "a.bsp/",   "a.bsp\n",
        "a/.emesh",    "room.bsp.sh", "~/x.bsp",    "$x.bsp",   "a.BSP",  "a"};
    for (size_t i = 0; i < COUNTOF(good); i++) {
        assert_true(packs(good[i]));
    }
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        if (packs(bad[i])) {
            fail_msg("\"%s\" was packed", bad[i]);
        }
    }
}

static void test_wrong_bytes_are_refused(void **state) {
    (void)state;
    map_pack_t pack = {0};
    err_t err;
    MapPack_Add(&pack, "room.bsp", (const uint8_t *)"0123456789", 10);
    MapPack_Add(&pack, "meshes/a.emesh", (const uint8_t *)"01234", 5);
    assert_true(MapPack_Check(pack.data, pack.size, "room", &err));
    assert_false(MapPack_Check(pack.data, pack.size, "rooms", &err));
    assert_false(MapPack_Check(pack.data, pack.size, "roo", &err));
    assert_false(MapPack_Check(pack.data, 0, "room", &err));
    const size_t first = 2 + 8 + 4 + 10;
    for (size_t cut = 1; cut < pack.size; cut++) { // an exact copy: ASan sees each read beyond it
        uint8_t *exact = malloc(cut);
        memcpy(exact, pack.data, cut);
        assert_int_equal(MapPack_Check(exact, cut, "room", &err), cut == first);
        free(exact);
    }
    pack.data[first] = 0; // a path of 0 bytes
    assert_false(MapPack_Check(pack.data, pack.size, "room", &err));
    pack.data[first] = 14;
    pack.data[first + 5] = 0; // a NUL in a path
    assert_false(MapPack_Check(pack.data, pack.size, "room", &err));
    assert_non_null(strstr(err.text, "file 1 at byte 24"));
    MapPack_Free(&pack);
}

static void write_models(const char *folder) {
    TestNet_WriteModels(folder, "{\n\"classname\" \"prop\"\n\"model\" \"models/dog.emesh\"\n}\n",
                        false);
}

// A map that places a model is two files. From the pack alone, the same map is loaded.
static void test_a_map_of_two_files(void **state) {
    (void)state;
    static test_net_t net;
    char path[128];
    map_pack_t pack = {0};
    err_t err;
    TestNet_Init(&net,
                 &(test_net_config_t){.seed = 1, .max_clients = 1, .write_map = write_models});
    snprintf(path, sizeof path, "%s/testmap.bsp", net.folder);
    const file_reader_t recorder = MapPack_Recorder(&pack);
    cmap_t *map = Map_LoadFrom(&recorder, path, &err);
    assert_non_null(map);
    assert_null(pack.fault);
    assert_int_equal(pack.num_files, 2);
    assert_true(MapPack_Check(pack.data, pack.size, "testmap", &err));
    cmap_t *again = MapPack_Load(pack.data, pack.size, &err);
    assert_non_null(again);
    assert_true(CM_Info(again).hash == CM_Info(map).hash);
    assert_non_null(Map_Skeleton(again, 0));
    Map_Free(again);
    Map_Free(map);
    MapPack_Free(&pack);
    TestNet_Free(&net);
}

static void test_a_map_that_is_too_large(void **state) {
    (void)state;
    map_pack_t pack = {0};
    uint8_t *zeros = calloc(1, MAX_DOWNLOAD_BYTES / 2);
    assert_non_null(zeros);
    MapPack_Add(&pack, "room.bsp", zeros, MAX_DOWNLOAD_BYTES / 2);
    assert_null(pack.fault);
    MapPack_Add(&pack, "a.emesh", zeros, MAX_DOWNLOAD_BYTES / 2);
    assert_non_null(pack.fault);
    assert_true(pack.size <= MAX_DOWNLOAD_BYTES);
    MapPack_Free(&pack);
    free(zeros);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_wrong_bytes_are_refused),
        cmocka_unit_test(test_a_map_of_two_files),
        cmocka_unit_test(test_a_map_that_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
