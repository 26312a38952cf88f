// Tests of edict-probe view: a camera's picture of a room, sweeps and paths over it, and refused
// arguments.

#include "lib/map_fixture.h"
#include "lib/testing.h"
#include "probe/camera.h"
#include "probe/probe.h"

#include <png.h>
#include <string.h>
#include <unistd.h>

#define SIDE 64

static char map_path[] = "/tmp/edict-view-XXXXXX";
static char out_path[] = "/tmp/edict-view-out-XXXXXX";
static char csv_path[] = "/tmp/edict-view-csv-XXXXXX";

static void write_file(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// Writes the files of a room 512 wide and 256 high, with a pillar in its middle and a pool in a
// corner.
static int make_files(void **state) {
    (void)state;
    const test_block_t blocks[] = {
        TestMap_Box((vec3_t){-32.0f, -32.0f, 0.0f}, (vec3_t){32.0f, 32.0f, 128.0f}),
        {.box = {{100.0f, 100.0f, 0.0f}, {256.0f, 256.0f, 1.0f}}, .contents = CONTENTS_WATER},
    };
    const test_map_t map = {.room = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}},
                            .blocks = blocks,
                            .num_blocks = COUNTOF(blocks)};
    size_t size = 0;
    uint8_t *bytes = TestMap_Bytes(&map, &size);
    int fds[] = {mkstemp(map_path), mkstemp(out_path), mkstemp(csv_path)};
    for (size_t i = 0; i < COUNTOF(fds); i++) {
        assert_true(fds[i] >= 0);
        close(fds[i]);
    }
    write_file(map_path, bytes, size);
    free(bytes);
    return 0;
}

static int remove_files(void **state) {
    (void)state;
    unlink(map_path);
    unlink(out_path);
    unlink(csv_path);
    return 0;
}

static uint8_t pixels[SIDE * SIDE * 3];

/// Runs the command with further arguments and reads its output.
static void view(const char *const *more, int count) {
    char *argv[32] = {(char[]){"view"},   map_path,       (char[]){"-o"}, out_path,
                      (char[]){"--size"}, (char[]){"64"}, (char[]){"64"}};
    char words[24][64];
    for (int i = 0; i < count; i++) {
        argv[7 + i] = strcpy(words[i], more[i]);
    }
    assert_int_equal(Probe_View(7 + count, argv), PROBE_OK);
    png_image png = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&png, out_path));
    png.format = PNG_FORMAT_RGB;
    assert_int_equal(png.width, SIDE);
    assert_int_equal(png.height, SIDE);
    assert_true(png_image_finish_read(&png, NULL, pixels, 0, NULL));
}

static const uint8_t *pixel(int x, int y) {
    return &pixels[(y * SIDE + x) * 3];
}

static bool is_blue(const uint8_t *p) {
    return p[2] > p[0] + 40;
}

#define ARGS(...)                                                                                  \
    (const char *const[]){__VA_ARGS__},                                                            \
        (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

// Tests a view from above: the pillar's top in the middle is nearer, the pool in its corner is
// blue.
static void test_looks_down(void **state) {
    (void)state;
    view(ARGS("--eye", "1", "0", "250", "--at", "0", "0", "0", "--fov", "110"));
    const uint8_t *middle = pixel(32, 32);
    const uint8_t *floor = pixel(32, 12);
    assert_true(middle[1] > 60);
    assert_true(floor[1] > 60);
    int blue = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        blue += is_blue(&pixels[i * 3]);
    }
    print_message("%d of %d pixels are water\n", blue, SIDE * SIDE);
    assert_true(blue > 20);
    assert_true(blue < SIDE * SIDE / 4);
}

// Tests views from outside: a ray that starts in solid continues beyond it, so walls are visible. A
// box sees less of the room than a point.
static void test_cuts_and_boxes(void **state) {
    (void)state;
    uint8_t whole[sizeof pixels];
    view(ARGS("--eye", "-200", "0", "100", "--at", "200", "0", "100"));
    memcpy(whole, pixels, sizeof pixels);
    view(ARGS("--eye", "-200", "0", "100", "--at", "200", "0", "100", "--cut", "50"));
    assert_memory_not_equal(whole, pixels, sizeof pixels);
    view(ARGS("--eye", "-200", "0", "100", "--at", "200", "0", "100", "--box", "1"));
    assert_memory_not_equal(whole, pixels, sizeof pixels);
}

static int count_reds(void) {
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t *p = &pixels[i * 3];
        count += p[0] > p[1] + 70 && p[0] > p[2] + 30;
    }
    return count;
}

static void test_sweeps_and_paths(void **state) {
    (void)state;
    view(ARGS("--eye", "-200", "0", "100", "--at", "200", "0", "100"));
    int before = count_reds();
    const char sweeps[] = "sx,sy,sz,ex,ey,ez\n-100,-100,100,-100,100,100\n-100,0,60,100,0,60\n";
    write_file(csv_path, sweeps, sizeof sweeps - 1);
    view(ARGS("--eye", "-200", "0", "100", "--at", "200", "0", "100", "--points", csv_path));
    assert_true(count_reds() > before + 20);
    const char path[] = "traj,x,y,z\n0,-100,-50,50\n0,-100,50,50\n1,-100,0,100\n";
    write_file(csv_path, path, sizeof path - 1);
    view(ARGS("--eye", "-200", "0", "100", "--at", "200", "0", "100", "--path", csv_path));
    int blue = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        blue += is_blue(&pixels[i * 3]);
    }
    assert_true(blue > 20);
}

static void test_bad_arguments(void **state) {
    (void)state;
    char *none[] = {(char[]){"view"}, map_path};
    assert_int_equal(Probe_View(2, none), PROBE_USAGE);
    char *wide[] = {(char[]){"view"},   map_path,         (char[]){"-o"}, out_path,
                    (char[]){"--size"}, (char[]){"9999"}, (char[]){"64"}};
    assert_int_equal(Probe_View(7, wide), PROBE_USAGE);
    char *nan[] = {(char[]){"view"}, map_path,          (char[]){"-o"},
                   out_path,         (char[]){"--cut"}, (char[]){"nan"}};
    assert_int_equal(Probe_View(6, nan), PROBE_USAGE);
    char *itself[] = {(char[]){"view"}, map_path, (char[]){"-o"}, map_path};
    assert_int_equal(Probe_View(4, itself), PROBE_USAGE);
    char *lost[] = {(char[]){"view"}, map_path, (char[]){"-o"},
                    (char[]){"/no/such/folder/picture.png"}};
    assert_int_equal(Probe_View(4, lost), PROBE_FAIL);
    write_file(csv_path, "x,y\n1,2\n", 8);
    char *table[] = {(char[]){"view"},     map_path, (char[]){"-o"}, out_path,
                     (char[]){"--points"}, csv_path};
    assert_int_equal(Probe_View(6, table), PROBE_FAIL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks_down),
        cmocka_unit_test(test_cuts_and_boxes),
        cmocka_unit_test(test_sweeps_and_paths),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
