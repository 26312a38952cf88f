// Tests of the client's list of maps: which map it loads, forgets and refuses.

#include "client/maps.h"

#include "base/file.h"
#include "bsp/map.h"
#include "lib/client_scene_fixture.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Makes one more file of the scene's map: NAME.bsp of number `i`.
static const char *copy_map(const client_scene_t *scene, int32_t i) {
    static char name[16];
    char from[128], to[128];
    snprintf(name, sizeof name, "room%d", i);
    snprintf(from, sizeof from, "%s/room.bsp", scene->folder);
    snprintf(to, sizeof to, "%s/%s.bsp", scene->folder, name);
    assert_int_equal(link(from, to), 0);
    return name;
}

/// Changes the map, and returns whether the client has it.
static bool change_map(client_scene_t *scene, const char *name) {
    snprintf(scene->mini.info.name, sizeof scene->mini.info.name, "%s", name);
    scene->mini.peers[0].ready.has_map = false;
    MiniServer_SendMap(&scene->mini);
    ClientScene_Run(scene, 500);
    assert_int_equal(CL_State(scene->clients[0]), CL_ACTIVE);
    assert_int_equal(CL_HasMap(scene->clients[0]), scene->mini.peers[0].ready.has_map);
    return CL_HasMap(scene->clients[0]);
}

static void test_other_files_are_refused(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(1, client_scene_clean);
    uint64_t hash = CM_Info(&scene->map).hash;
    err_t err = {""};
    assert_null(CL_MapsLoad(scene->maps, "room", hash ^ 1, &err));
    assert_non_null(strstr(err.text, "room.bsp: expected the server"));
    assert_null(CL_MapsLoad(scene->maps, "nowhere", 1, &err));
    assert_non_null(strstr(err.text, "nowhere: no file nowhere.bsp"));
    assert_null(CL_MapsLoad(scene->maps, "../room", hash, &err));
    assert_non_null(strstr(err.text, "could leave the maps folder"));
    assert_null(CL_MapsFind(scene->maps, "room", hash));
    const cmap_t *map = CL_MapsLoad(scene->maps, "room", hash, &err);
    assert_non_null(map);
    assert_ptr_equal(CL_MapsFind(scene->maps, "room", hash), map);
    assert_null(CL_MapsFind(scene->maps, "room", hash ^ 1));
    ClientScene_Free(scene);
}

/// Tests that changes between loaded maps have no limit. A search for a file may read all of it, so
/// a server cannot cause many: 8 at once, and one more every 10 s.
static void test_many_changes_in_a_row(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(2, client_scene_clean);
    ClientScene_Join(scene, "anna"); // the first search
    copy_map(scene, 1);
    for (int32_t i = 0; i < 20; i++) { // the second, and 10 s
        assert_true(change_map(scene, i % 2 ? "room" : "room1"));
    }
    for (int32_t i = 2; i < 9; i++) { // 9 searches within 14 s
        assert_true(change_map(scene, copy_map(scene, i)));
    }
    assert_false(change_map(scene, copy_map(scene, 9)));
    assert_true(change_map(scene, "room8"));
    assert_false(change_map(scene, "room9"));
    ClientScene_Run(scene, 6000);
    assert_true(change_map(scene, "room9"));
    assert_false(change_map(scene, copy_map(scene, 10)));
    ClientScene_Free(scene);
}

/// Tests that the list forgets the oldest map that no client uses.
static void test_more_maps_than_the_list_holds(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(3, client_scene_clean);
    uint64_t hash = CM_Info(&scene->map).hash;
    err_t err = {""};
    const cmap_t *kept[MAX_CLIENT_MAPS];
    kept[0] = CL_MapsLoad(scene->maps, "room", hash, &err);
    for (int32_t i = 1; i < 3 * MAX_CLIENT_MAPS; i++) {
        const cmap_t *map = CL_MapsLoad(scene->maps, copy_map(scene, i), hash, &err);
        assert_non_null(map);
        CL_MapsRelease(scene->maps, map);
    }
    assert_ptr_equal(CL_MapsFind(scene->maps, "room", hash), kept[0]); // a second user
    assert_null(CL_MapsFind(scene->maps, "room1", hash));
    assert_null(CL_MapsFind(scene->maps, "room32", hash));
    assert_non_null(CL_MapsFind(scene->maps, "room33", hash)); // 33 to 47, and room
    CL_MapsRelease(scene->maps, CL_MapsFind(scene->maps, "room33", hash));
    CL_MapsRelease(scene->maps, CL_MapsFind(scene->maps, "room33", hash));
    ClientScene_Free(scene);
}

/// Tests a list whose maps are all in use by clients, and a client that leaves.
static void test_maps_in_use_are_kept(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(4, client_scene_clean);
    uint64_t hash = CM_Info(&scene->map).hash;
    err_t err = {""};
    cl_t *cl = ClientScene_Join(scene, "anna");
    for (int32_t i = 1; i < MAX_CLIENT_MAPS; i++) {
        assert_non_null(CL_MapsLoad(scene->maps, copy_map(scene, i), hash, &err));
    }
    const char *last = copy_map(scene, MAX_CLIENT_MAPS);
    assert_null(CL_MapsLoad(scene->maps, last, hash, &err));
    assert_non_null(strstr(err.text, "other clients use all 16"));
    CL_Disconnect(cl);
    assert_non_null(CL_MapsLoad(scene->maps, last, hash, &err));
    assert_null(CL_MapsFind(scene->maps, "room", hash));
    ClientScene_Free(scene);
}

// ---- maps from a storage of the program ----

typedef struct {
    const char *folder;
    int32_t num_found, num_closed;
} shelf_t;

static const void *open_stored(void *context, const char *path, size_t *size) {
    shelf_t *shelf = context;
    char full[256];
    assert_null(Map_PathFault(path));
    snprintf(full, sizeof full, "%s/%s", shelf->folder, path);
    const void *data = File_Read(full, MAX_MAP_BYTES, size, NULL);
    shelf->num_found += data != NULL;
    return data;
}

static void close_stored(void *context, const void *data) {
    shelf_t *shelf = context;
    shelf->num_closed++;
    free((void *)(uintptr_t)data);
}

static void test_maps_of_a_storage(void **state) {
    (void)state;
    char folder[] = "/tmp/edict-storage-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    TestNet_WriteModels(
        folder, "{\n\"classname\" \"misc_model\"\n\"model\" \"models/dog.emesh\"\n}\n", false);
    snprintf(path, sizeof path, "%s/testmap.bsp", folder);
    err_t err = {""};
    cmap_t *wanted = Map_Load(path, &err);
    assert_non_null(wanted);
    shelf_t shelf = {.folder = folder};
    cl_maps_t *maps = CL_MapsCreateFrom(&(cl_storage_t){open_stored, close_stored, &shelf});
    const cmap_t *map = CL_MapsLoad(maps, "testmap", CM_Info(wanted).hash, &err);
    assert_non_null(map);
    assert_int_equal(CM_Info(map).hash, CM_Info(wanted).hash);
    assert_int_equal(CM_NumModels(map), CM_NumModels(wanted));
    assert_int_equal(shelf.num_found, 2); // the map and its model
    assert_int_equal(shelf.num_closed, shelf.num_found);
    assert_null(CL_MapsLoad(maps, "testmap", 1, &err));
    assert_non_null(strstr(err.text, "testmap.bsp: expected the server's map"));
    assert_null(CL_MapsLoad(maps, "nowhere", 1, &err));
    assert_string_equal(
        err.text, "map nowhere: no file nowhere.bsp or nowhere.emesh in the program's storage");
    Map_Free(wanted);
    CL_MapsDestroy(maps);
    // Without the model, the map does not load, and the reason names the file.
    snprintf(path, sizeof path, "%s/models/dog.emesh", folder);
    assert_int_equal(unlink(path), 0);
    maps = CL_MapsCreateFrom(&(cl_storage_t){open_stored, close_stored, &shelf});
    assert_null(CL_MapsLoad(maps, "testmap", 1, &err));
    assert_non_null(strstr(err.text, "models/dog.emesh: the program's storage has no such file"));
    assert_int_equal(shelf.num_closed, shelf.num_found);
    CL_MapsDestroy(maps);
    snprintf(path, sizeof path, "rm -rf %s", folder);
    assert_int_equal(system(path), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_files_are_refused),
        cmocka_unit_test(test_many_changes_in_a_row),
        cmocka_unit_test(test_more_maps_than_the_list_holds),
        cmocka_unit_test(test_maps_in_use_are_kept),
        cmocka_unit_test(test_maps_of_a_storage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
