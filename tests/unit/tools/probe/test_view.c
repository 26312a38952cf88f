// Tests of edict-probe view: a camera's picture of a room by its solids and by its faces, sweeps
// and paths over it, and refused arguments.

#include "bsp/lumps.h"
#include "lib/faces_fixture.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"
#include "probe/camera.h"
#include "probe/probe.h"
#include "probe/scene.h"

#include <math.h>
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

static const bounds_t room = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}};
static const bounds_t pillar = {{-32.0f, -32.0f, 0.0f}, {32.0f, 32.0f, 128.0f}};

// Writes the files of a room 512 wide and 256 high, with a pillar in its middle and a pool in a
// corner.
static int make_files(void **state) {
    (void)state;
    const test_block_t blocks[] = {
        TestMap_Box(pillar.mins, pillar.maxs),
        {.box = {{100.0f, 100.0f, 0.0f}, {256.0f, 256.0f, 1.0f}}, .contents = CONTENTS_WATER},
    };
    const test_map_t map = {.room = room, .blocks = blocks, .num_blocks = COUNTOF(blocks)};
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

static int count_reds(int excess) {
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t *p = &pixels[i * 3];
        count += p[0] > p[1] + excess && p[0] > p[2] + 30;
    }
    return count;
}

static void test_sweeps_and_paths(void **state) {
    (void)state;
    view(ARGS("--eye", "-200", "0", "100", "--at", "200", "0", "100"));
    int before = count_reds(70);
    const char sweeps[] = "sx,sy,sz,ex,ey,ez\n-100,-100,100,-100,100,100\n-100,0,60,100,0,60\n";
    write_file(csv_path, sweeps, sizeof sweeps - 1);
    view(ARGS("--eye", "-200", "0", "100", "--at", "200", "0", "100", "--points", csv_path));
    assert_true(count_reds(70) > before + 20);
    const char path[] = "traj,x,y,z\n0,-100,-50,50\n0,-100,50,50\n1,-100,0,100\n";
    write_file(csv_path, path, sizeof path - 1);
    view(ARGS("--eye", "-200", "0", "100", "--at", "200", "0", "100", "--path", csv_path));
    int blue = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        blue += is_blue(&pixels[i * 3]);
    }
    assert_true(blue > 20);
}

#define INSIDE "--eye", "-200", "60", "150", "--at", "200", "-80", "20"

/// Writes the map again: a room with a pillar, and a crate of an entity that stands on the pillar.
/// Each is drawn with a texture and a palette index.
static void write_faces(const char *format, const test_faces_t *boxes) {
    const test_block_t blocks[] = {
        TestMap_Box(pillar.mins, pillar.maxs),
        {.box = boxes[2].box, .contents = CONTENTS_SOLID, .model = 1},
    };
    const test_map_t map = {.room = room,
                            .blocks = blocks,
                            .num_blocks = COUNTOF(blocks),
                            .format = format,
                            .entities = "{\n\"classname\" \"worldspawn\"\n}\n"
                                        "{\n\"classname\" \"func_wall\"\n\"model\" \"*1\"\n"
                                        "\"origin\" \"0 0 128\"\n}\n"};
    size_t size = 0;
    uint8_t *bytes = TestFaces_Add(TestMap_Bytes(&map, &size), &size, boxes, 3);
    write_file(map_path, bytes, size);
    free(bytes);
}

static int count_differences(const uint8_t *other) {
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        int difference = 0;
        for (int k = 0; k < 3; k++) {
            difference += abs(pixels[i * 3 + k] - other[i * 3 + k]);
        }
        count += difference > 12;
    }
    return count;
}

// Tests that faces without textures look like the solids, also faces partly behind the eye, and
// that the plane of --cut hides both alike. The picture from outside sees into the room.
static void test_faces_like_solids(void **state) {
    (void)state;
    const test_faces_t boxes[] = {
        {.box = room, .inside = true},
        {.box = pillar},
        {.box = {{-16.0f, -16.0f, 0.0f}, {16.0f, 16.0f, 24.0f}}, .model = 1},
    };
    const char *const views[][16] = {
        {INSIDE},
        {"--eye", "-254", "-254", "2", "--at", "0", "0", "200", "--fov", "120"},
        {"--eye", "-600", "-700", "600", "--at", "0", "0", "0"},
        {INSIDE, "--cut", "140"},
    };
    const int counts[] = {8, 10, 8, 10};
    const char *const formats[] = {"BSP29", "2PSB", "BSP2", "BSP30"};
    for (size_t i = 0; i < COUNTOF(views); i++) {
        write_faces(formats[i], boxes);
        uint8_t faces[sizeof pixels];
        view(views[i], counts[i]);
        memcpy(faces, pixels, sizeof pixels);
        const char *solids[16] = {"--solids"};
        memcpy(&solids[1], views[i], (size_t)counts[i] * sizeof *solids);
        view(solids, counts[i] + 1);
        int differences = count_differences(faces);
        print_message("view %zu: %d of %d pixels differ\n", i, differences, SIDE * SIDE);
        assert_true(differences < SIDE); // only along edges
        assert_true(pixel(32, 32)[0] < 200);
    }
}

// Tests the colours of textures, with Quake's palette and with that of BSP30. Sky is drawn as
// background.
static void test_textures(void **state) {
    (void)state;
    const test_faces_t quake[] = {
        {.box = room, .inside = true, .texture = "sky1", .colour = 79},
        {.box = pillar, .texture = "pillar", .colour = 208}, // blue
        {.box = {{-16.0f, -16.0f, 0.0f}, {16.0f, 16.0f, 24.0f}},
         .model = 1,
         .texture = "{crate",
         .colour = 79}, // red
    };
    write_faces("BSP29", quake);
    view(ARGS("--eye", "-200", "60", "150", "--at", "0", "0", "100"));
    assert_true(is_blue(pixel(32, 40)));
    assert_true(pixel(2, 2)[0] > 200 && pixel(2, 2)[2] > 200);
    int reds = count_reds(30);
    assert_true(reds > 20 && reds < SIDE * SIDE / 8);
    test_faces_t halflife[3];
    memcpy(halflife, quake, sizeof halflife);
    halflife[1].colour = 80; // 80, 160, 240
    halflife[2].colour = 255;
    write_faces("BSP30", halflife);
    view(ARGS("--eye", "-200", "60", "150", "--at", "0", "0", "100"));
    const uint8_t *p = pixel(32, 40);
    assert_true(is_blue(p) && p[1] > p[0] + 20 && p[2] > p[1] + 20);
    assert_int_equal(count_reds(30), 0); // colour 255 of "{crate" is transparent
}

// Tests that a bad face is reported, and that the map is then drawn by its solids.
static void test_bad_faces(void **state) {
    (void)state;
    const test_faces_t boxes[3] = {{.box = room, .inside = true}, {.box = pillar}, {.model = 1}};
    write_faces("BSP29", boxes);
    uint8_t solids[sizeof pixels];
    view(ARGS(INSIDE, "--solids"));
    memcpy(solids, pixels, sizeof pixels);
    FILE *file = fopen(map_path, "r+b");
    assert_non_null(file);
    uint8_t entry[8];
    assert_int_equal(fseek(file, 4 + LUMP_FACES * 8, SEEK_SET), 0);
    assert_int_equal(fread(entry, 1, sizeof entry, file), sizeof entry);
    assert_int_equal(fseek(file, (long)Lumps_U32(entry), SEEK_SET), 0);
    assert_int_equal(fwrite("\xff\xff", 1, 2, file), 2); // the plane of face 0
    assert_int_equal(fclose(file), 0);
    view(ARGS(INSIDE));
    assert_int_equal(count_differences(solids), 0);
}

/// Draws a map from the eyes of players by its solids and by its faces. Counts the pixels where the
/// depths differ, and those where no face is.
static void compare_depths(const char *name, int *all, int *different, int *empty) {
    char path[256];
    snprintf(path, sizeof path, "%s/maps/%s.bsp", Test_BuildFolder(), name);
    err_t err;
    const figure_options_t options = {0};
    scene_t *scene = Scene_Open(path, &options, &err);
    bsp_faces_t faces;
    if (!scene || !Faces_Load(&faces, path, &err)) {
        fail_msg("%s", err.text);
    }
    image_t solids, drawn;
    assert_true(Image_Open(&solids, 96, 72, &err) && Image_Open(&drawn, 96, 72, &err));
    for (int i = 0; i < scene->things.count; i++) {
        const thing_t *thing = &scene->things.list[i];
        if (thing->kind != THING_SPAWN) {
            continue;
        }
        vec3_t eye = VectorAdd(thing->bounds.mins, Vector(0.0f, 0.0f, 22.0f));
        vec3_t aside = {i % 2 ? 40.0f : -40.0f, i % 4 < 2 ? 30.0f : -30.0f, (float)(i % 5) - 2.0f};
        camera_t camera = Camera_LookAt(eye, VectorAdd(eye, aside), 90.0f, &solids);
        Camera_Draw(&camera, scene->map, &scene->things, &solids);
        camera.faces = &faces;
        Camera_Draw(&camera, scene->map, &scene->things, &drawn);
        for (int k = 0; k < 96 * 72; k++) {
            float depth = solids.depths[k];
            *empty += drawn.depths[k] > 30000.0f;
            bool is_sky = VectorCompare(drawn.colours[k], camera_background);
            *different += !is_sky && fabsf(depth - drawn.depths[k]) > 1.0f + 0.02f * depth;
        }
        *all += 96 * 72;
    }
    Image_Close(&solids);
    Image_Close(&drawn);
    Faces_Free(&faces);
    Scene_Close(scene);
}

// Tests compiled maps with little water, which only faces show: all faces but those of the sky are
// where the solids are, without a hole.
static void test_compiled_maps(void **state) {
    (void)state;
    static const char *const names[] = {"arena", "foundry", "doors", "slopes", "turn"};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        int all = 0;
        int different = 0;
        int empty = 0;
        compare_depths(names[i], &all, &different, &empty);
        print_message("%s: %d of %d pixels differ, %d are empty\n", names[i], different, all,
                      empty);
        assert_true(all > 0 && different < all / 100);
        assert_true(empty <= all / 10000);
    }
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
        cmocka_unit_test(test_looks_down),        cmocka_unit_test(test_cuts_and_boxes),
        cmocka_unit_test(test_sweeps_and_paths),  cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_faces_like_solids), cmocka_unit_test(test_textures),
        cmocka_unit_test(test_bad_faces),         cmocka_unit_test(test_compiled_maps),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
