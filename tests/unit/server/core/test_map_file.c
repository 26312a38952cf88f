// Finding maps by name or path.

#include "lib/map_fixture.h"
#include "lib/testing.h"

#include "base/file.h"
#include "bsp/map.h"
#include "collide/cmap.h"
#include "core/map_file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void write_file(const char *name) {
    char path[128];
    err_t err;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(File_Write(path, "x", 1, &err));
}

static int make_files(void **state) {
    (void)state;
    char path[128];
    snprintf(folder, sizeof folder, "/tmp/edictd-maps-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (int i = 1; i <= 2; i++) {
        snprintf(path, sizeof path, "%s/%d", folder, i);
        assert_int_equal(mkdir(path, 0755), 0);
    }
    write_file("1/both.bsp");
    write_file("2/both.bsp");
    write_file("2/second.bsp");
    write_file("1/terrain.emesh");
    write_file("1/two.emesh");
    write_file("1/two.bsp");
    write_file("1/draft.map");
    return 0;
}

static int remove_files(void **state) {
    (void)state;
    static const char *const names[] = {
        "1/both.bsp",  "2/both.bsp", "2/second.bsp", "1/terrain.emesh",
        "1/two.emesh", "1/two.bsp",  "1/draft.map",  "1",
        "2",           "."};
    char path[128];
    for (size_t i = 0; i < COUNTOF(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)remove(i + 1 < COUNTOF(names) ? path : folder);
    }
    return 0;
}

// Returns the path of a map name relative to the folder, or "" with the error in `err`.
static const char *found(const char *name, const char *search, err_t *err) {
    static char path[MAX_PATH_BYTES];
    err->text[0] = '\0';
    if (!MapFile_Find(name, search, path, err)) {
        assert_true(err->text[0] != '\0');
        return "";
    }
    assert_memory_equal(path, folder, strlen(folder));
    return path + strlen(folder) + 1;
}

static void test_names_are_looked_for_in_order(void **state) {
    (void)state;
    char search[256];
    err_t err;
    snprintf(search, sizeof search, "%s/none::%s/1:%s/2:", folder, folder, folder);
    assert_string_equal(found("both", search, &err), "1/both.bsp");
    assert_string_equal(found("second", search, &err), "2/second.bsp");
    snprintf(search, sizeof search, "%s/2:%s/1", folder, folder);
    assert_string_equal(found("both", search, &err), "2/both.bsp");
    assert_string_equal(found("neither", search, &err), "");
    assert_non_null(strstr(err.text, "map neither: no neither.bsp or neither.emesh in the folders "
                                     "of sv_mappath ("));
    assert_non_null(strstr(err.text, search));
    assert_null(strstr(err.text, "did you mean"));
    assert_string_equal(found("terain", search, &err), "");
    assert_non_null(strstr(err.text, "; did you mean \"terrain\"?"));
    assert_string_equal(found("draft", search, &err), "");
    assert_non_null(strstr(err.text, "/1/draft.map is its source: compile it with edict-mapc"));
    assert_string_equal(found("both", "", &err), "");
}

static void test_worlds_that_are_meshes(void **state) {
    (void)state;
    char path[256];
    err_t err;
    snprintf(path, sizeof path, "%s/2:%s/1", folder, folder);
    assert_string_equal(found("terrain", path, &err), "1/terrain.emesh");
    assert_string_equal(found("two", path, &err), "1/two.bsp");
    snprintf(path, sizeof path, "%s/1/terrain.emesh", folder);
    assert_string_equal(found(path, "", &err), "1/terrain.emesh");
    assert_string_equal(found("none.emesh", path, &err), ""); // a path
    assert_non_null(strstr(err.text, "map none.emesh: "));
}

static void test_paths_are_taken_as_they_are(void **state) {
    (void)state;
    char path[256];
    err_t err;
    snprintf(path, sizeof path, "%s/2/second.bsp", folder);
    assert_string_equal(found(path, "", &err), "2/second.bsp");
    snprintf(path, sizeof path, "%s/1/second.bsp", folder);
    assert_string_equal(found(path, folder, &err), "");
    assert_non_null(strstr(err.text, "No such file"));
    // A path is relative to the current folder.
    assert_string_equal(found("second.bsp", folder, &err), "");
    assert_string_equal(found("", folder, &err), "");
    assert_non_null(strstr(err.text, "found nothing"));
}

static void test_names_without_end(void **state) {
    (void)state;
    char name[2 * MAX_PATH_BYTES];
    err_t err;
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_string_equal(found(name, folder, &err), "");
    name[0] = '/';
    assert_string_equal(found(name, folder, &err), "");
    assert_non_null(strstr(err.text, "longer than 1023 bytes"));
}

// A server's map has grown occluders; a client's needs none.
static void test_occluders(void **state) {
    (void)state;
    const test_block_t wall = TestMap_Box(Vector(0, -256, 0), Vector(16, 64, 128));
    const test_map_t test = {.room = {Vector(-512, -256, 0), Vector(512, 256, 128)},
                             .blocks = &wall,
                             .num_blocks = 1,
                             .brush_list = true};
    char path[64];
    err_t err;
    const int fd = TestMap_File(&test, path);
    cmap_t *map = MapFile_Load(path, "", NULL, &err);
    assert_non_null(map);
    assert_non_null(map->occluders);
    Map_Free(map);
    map = Map_Load(path, &err);
    assert_null(map->occluders);
    Map_Free(map);
    close(fd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_occluders),
        cmocka_unit_test(test_names_are_looked_for_in_order),
        cmocka_unit_test(test_worlds_that_are_meshes),
        cmocka_unit_test(test_paths_are_taken_as_they_are),
        cmocka_unit_test(test_names_without_end),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
