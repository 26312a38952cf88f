// Tests of models with bones in edict-probe's pictures: a single file, entities of a map, bone
// poses chosen by options, and sweeps with the server's results.

#include "base/file.h"
#include "core/core_local.h"
#include "game/figure_data.h"
#include "lib/emesh_fixture.h"
#include "lib/testing.h"
#include "lib/world_fixture.h"
#include "probe/probe.h"
#include "probe/scene.h"

#include <png.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIDE 96

static char folder[] = "/tmp/edict-figures-XXXXXX";

static char *path_of(const char *name) {
    static char paths[8][96];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text) {
    err_t err;
    assert_true(File_Write(path_of(name), text, strlen(text), &err));
}

static const char entities[] =
    "{\n\"classname\" \"worldspawn\"\n}\n"
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-300 0 25\"\n}\n"
    "{\n\"classname\" \"misc_model\"\n\"model\" \"models/figure.emesh\"\n\"animation\" \"run\"\n"
    "\"controllers\" \"25 4\"\n\"origin\" \"100 0 30\"\n\"angles\" \"0 160 0\"\n}\n"
    "{\n\"classname\" \"misc_model\"\n\"model\" \"models/figure.emesh\"\n"
    "\"origin\" \"-40 -80 30\"\n\"angle\" \"45\"\n}\n";

static int make_folder(void **state) {
    (void)state;
    err_t err;
    size_t size = 0;
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}}, .entities = entities};
    uint8_t *bytes = TestMap_Bytes(&map, &size);
    built_mesh_t box;
    const bounds_t small = {{-4.0f, -4.0f, -24.0f}, {4.0f, 4.0f, 0.0f}};
    if (!bytes || !mkdtemp(folder) || mkdir(path_of("models"), 0755) != 0 ||
        !File_Write(path_of("room.bsp"), bytes, size, &err) ||
        !File_Write(path_of("models/figure.emesh"), game_figure, GAME_FIGURE_BYTES, &err)) {
        return 1;
    }
    free(bytes);
    TestEmesh_Box(&box, small, 0, CONTENTS_SOLID);
    TestEmesh_WriteBoth(path_of("both.emesh"), &box, (const uint8_t *)game_figure,
                        GAME_FIGURE_BYTES);
    write_text("s.csv", "id,sx,sy,sz,ex,ey,ez\n7,100,0,27,-100,0,27\n8,0,40,0,0,40,-9\n");
    return 0;
}

static int remove_folder(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

// ---- pictures ----

static uint8_t pixels[SIDE * SIDE * 3];

#define ARGS(...)                                                                                  \
    (const char *const[]){__VA_ARGS__},                                                            \
        (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

typedef int (*command_t)(int argc, char **argv);

/// Runs a command; its output is stored in `printed`.
static char printed[2048];

static int run(command_t command, const char *const *words, int count) {
    char *argv[24];
    char texts[24][96];
    for (int i = 0; i < count; i++) {
        strlcpy(texts[i], words[i], sizeof texts[i]);
        argv[i] = texts[i];
    }
    fflush(stdout);
    int was = dup(STDOUT_FILENO);
    FILE *file = fopen(path_of("printed"), "w+");
    assert_true(was >= 0);
    assert_true(file);
    dup2(fileno(file), STDOUT_FILENO);
    int status = command(count, argv);
    fflush(stdout);
    dup2(was, STDOUT_FILENO);
    close(was);
    rewind(file);
    printed[fread(printed, 1, sizeof printed - 1, file)] = '\0';
    fclose(file);
    return status;
}

static void read_picture(void) {
    png_image png = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&png, path_of("out.png")));
    png.format = PNG_FORMAT_RGB;
    assert_int_equal(png.width, SIDE);
    assert_int_equal(png.height, SIDE);
    assert_true(png_image_finish_read(&png, NULL, pixels, 0, NULL));
}

/// Counts the pixels with the hue of a hit group, however they are lit.
static int count_group(int32_t group) {
    uint32_t rgb = Figure_GroupColour(group);
    const float want[3] = {(float)(rgb >> 16), (float)(rgb >> 8 & 255u), (float)(rgb & 255u)};
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t *p = &pixels[i * 3];
        float light = (float)(p[0] + p[1] + p[2]) / (want[0] + want[1] + want[2]);
        float off = 0.0f;
        for (int k = 0; k < 3; k++) {
            off += fabsf((float)p[k] - light * want[k]);
        }
        count += light < 1.1f && off < 12.0f;
    }
    return count;
}

// Tests a picture of a figure: the head is where it should be, in the colour of heads; another time
// gives another picture.
static void test_a_file_for_itself(void **state) {
    (void)state;
    char *figure = path_of("models/figure.emesh");
    char *out = path_of("out.png");
    const char *const front[] = {"view",  figure,  "-o", out,           "--size", "96",     "96",
                                 "--eye", "70",    "0",  "10",          "--at",   "0",      "0",
                                 "0",     "--fov", "60", "--animation", "run",    "--time", "0"};
    assert_int_equal(run(Probe_View, front, COUNTOF(front)), PROBE_OK);
    read_picture();
    for (int32_t group = HIT_HEAD; group < NUM_HIT_GROUPS; group++) {
        print_message("%s: %d pixels\n", Figure_GroupName(group), count_group(group));
        assert_true(count_group(group) > 20);
    }
    assert_int_equal(count_group(HIT_GENERIC), 0);
    uint8_t before[sizeof pixels];
    memcpy(before, pixels, sizeof pixels);
    const char *later[COUNTOF(front)];
    memcpy(later, front, sizeof front);
    later[COUNTOF(front) - 1] = "300"; // half of the run: the other leg is in front
    assert_int_equal(run(Probe_View, later, COUNTOF(later)), PROBE_OK);
    read_picture();
    assert_memory_not_equal(before, pixels, sizeof pixels);
}

static void test_a_map_and_what_is_met(void **state) {
    (void)state;
    char *room = path_of("room.bsp");
    char *out = path_of("out.png");
    assert_int_equal(run(Probe_View, ARGS("view", room, "-o", out, "--size", "96", "96", "--eye",
                                          "20", "0", "60", "--at", "100", "0", "30")),
                     PROBE_OK);
    read_picture();
    assert_true(count_group(HIT_CHEST) > 20);
    write_text("room.csv", "label,sx,sy,sz,ex,ey,ez\na,0,0,57,200,0,57\nb,0,99,30,200,99,30\n"
                           "c,0,0,9,0,0,-9\n");
    assert_int_equal(run(Probe_View, ARGS("view", room, "-o", out, "--size", "96", "96", "--points",
                                          path_of("room.csv"), "--hitboxes")),
                     PROBE_OK);
    assert_string_equal(strtok(printed, "\n"),
                        "id,fraction,endx,endy,endz,met,hitgroup,bone,bonename");
    const char *hit = strtok(NULL, "\n");
    assert_true(strncmp(hit, "a,", 2) == 0);
    assert_true(strstr(hit, ",misc_model,head,3,head"));
    assert_string_equal(strtok(NULL, "\n"), "b,1,200,99,30,,,,");
    const char *floor = strtok(NULL, "\n");
    assert_true(strncmp(floor, "c,", 2) == 0);
    assert_true(strstr(floor, ",worldspawn,,,"));
    // Without --hitboxes a sweep passes through the figure, and nothing is printed.
    assert_int_equal(run(Probe_View, ARGS("view", room, "-o", out, "--size", "96", "96", "--points",
                                          path_of("room.csv"))),
                     PROBE_OK);
    assert_string_equal(printed, "");
}

static int count_of(const char *text, const char *what) {
    int count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) {
        count++;
    }
    return count;
}

static char *read_svg(void) {
    err_t err;
    size_t size = 0;
    char *text = (char *)File_Read(path_of("out.svg"), 1 << 20, &size, &err);
    assert_non_null(text);
    return text;
}

static void test_plans_sections_and_slices(void **state) {
    (void)state;
    static const struct {
        const char *words[3];
        int heads, legs, hits;
    } cases[] = {
        {{"--side", "--time", "0"}, 1, 4, 1},
        {{"--slice", "z", "27"}, 1, 0, 1},
        {{"--slice", "z", "-22"}, 0, 2, 0},
        {{"--slice", "y", "0"}, 1, 0, 1},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const char *const *w = cases[i].words;
        assert_int_equal(
            run(Probe_Draw, ARGS("draw", path_of("models/figure.emesh"), "-o", path_of("out.svg"),
                                 w[0], w[1], w[2], "--points", path_of("s.csv"), "--hitboxes")),
            PROBE_OK);
        assert_non_null(strstr(printed, "\n7,0.46"));
        assert_non_null(strstr(printed, ",figure.emesh,head,3,head\n8,1,0,40,-9,,,,\n"));
        char *text = read_svg();
        print_message("%s %s: %d heads\n", w[0], w[1], count_of(text, "class=\"head\""));
        assert_int_equal(count_of(text, "<path class=\"head\""), cases[i].heads);
        assert_int_equal(count_of(text, "<path class=\"left_leg\"") +
                             count_of(text, "<path class=\"right_leg\""),
                         cases[i].legs);
        assert_int_equal(count_of(text, "<path class=\"hit\""), cases[i].hits);
        assert_int_equal(count_of(text, ">head: head</text>"), 1);
        free(text);
    }
}

// Tests a slice of an upright box: it is the box's rectangle.
static void test_slice_of_a_box(void **state) {
    (void)state;
    assert_int_equal(
        run(Probe_Draw, ARGS("draw", path_of("models/figure.emesh"), "-o", path_of("out.svg"),
                             "--slice", "x", "0.5", "--animation", "stand")),
        PROBE_OK);
    char *text = read_svg();
    const char *head = strstr(text, "<path class=\"head\" d=\"M");
    assert_non_null(head);
    double x[4];
    double y[4];
    char end = 0;
    assert_int_equal(sscanf(head, "<path class=\"head\" d=\"M%lf %lfL%lf %lfL%lf %lfL%lf %lf%c",
                            &x[0], &y[0], &x[1], &y[1], &x[2], &y[2], &x[3], &y[3], &end),
                     9);
    assert_int_equal(end, 'z');
    double twice = 0.0;
    for (int i = 0; i < 4; i++) {
        twice += x[i] * y[(i + 1) % 4] - x[(i + 1) % 4] * y[i];
    }
    // The box is 10 wide and 10 high; the figure's breathing tilts it slightly.
    assert_true(fabs(fabs(twice) / 2.0 - 100.0) < 1.0);
    free(text);
}

// ---- the server's answers ----

static void test_meets_what_the_server_meets(void **state) {
    (void)state;
    static test_world_t test;
    err_t err;
    TestWorld_InitFile(&test, path_of("room.bsp"), 2);
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    rng_t rng = {41};
    int hits = 0;
    for (int32_t time_ms = 0; time_ms < 1000; time_ms += 170) {
        const figure_options_t options = {.time_ms = (float)time_ms};
        scene_t *scene = Scene_Open(path_of("room.bsp"), &options, &err);
        assert_non_null(scene);
        assert_int_equal(scene->things.num_figures, 2);
        const sweep_rule_t rule = {.map = scene->map, .figures = &scene->things};
        test.world->time_ms = time_ms;
        for (int i = 0; i < 400; i++) {
            const figure_t *figure = &scene->things.figures[i % 2];
            vec3_t middle = figure->place.origin;
            vec3_t from = VectorAdd(middle, Vector(Rng_Range(&rng, -60.0f, 60.0f),
                                                   Rng_Range(&rng, -60.0f, 60.0f), 60.0f));
            vec3_t to = VectorAdd(middle, Vector(Rng_Range(&rng, -15.0f, 15.0f),
                                                 Rng_Range(&rng, -15.0f, 15.0f), -24.0f));
            figure_hit_t got = Scene_Sweep(&rule, from, to);
            trace_t want = sv.engine->trace_hitboxes(&sv, from, zero, zero, to, NULL);
            assert_memory_equal(&got.trace.fraction, &want.fraction, sizeof(float));
            assert_int_equal(got.trace.bone, want.bone);
            assert_int_equal(got.trace.hitgroup, want.hitgroup);
            assert_int_equal(got.figure != NULL, want.entnum > 0);
            hits += got.figure ? 1 : 0;
        }
        Scene_Close(scene);
    }
    print_message("%d of 2400 meet a hitbox\n", hits);
    assert_true(hits > 800);
    assert_true(hits < 2200);
    TestWorld_Free(&test);
}

// Tests a file that also has triangles: a world with a figure in it.
static void test_triangles_and_bones(void **state) {
    (void)state;
    err_t err;
    scene_t *scene = Scene_Open(path_of("both.emesh"), &(figure_options_t){0}, &err);
    assert_non_null(scene);
    assert_int_equal(scene->things.num_figures, 1);
    sweep_rule_t rule = {.map = scene->map, .figures = &scene->things};
    figure_hit_t hit = Scene_Sweep(&rule, Vector(50.0f, 0.0f, 27.0f), Vector(-50.0f, 0.0f, 27.0f));
    assert_true(hit.figure);
    assert_true(hit.trace.hitgroup == HIT_HEAD);
    hit = Scene_Sweep(&rule, Vector(50.0f, 0.0f, -12.0f), Vector(-50.0f, 0.0f, -12.0f));
    assert_false(hit.figure);
    assert_true(hit.trace.fraction < 0.5f); // between the legs: the triangles are hit
    Scene_Close(scene);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *words[3];
        int status;
    } cases[] = {
        {{"--animation", "fly", NULL}, PROBE_FAIL},
        {{"--controllers", "1 2 3", NULL}, PROBE_FAIL},
        {{"--controllers", "much", NULL}, PROBE_FAIL},
        {{"--time", "-1", NULL}, PROBE_USAGE},
        {{"--time", NULL, NULL}, PROBE_USAGE},
        {{"--hitboxes", NULL, NULL}, PROBE_USAGE},
        {{"--controllers", "10", NULL}, PROBE_OK},
        {{"--animation", "die", NULL}, PROBE_OK},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const char *figure = path_of("models/figure.emesh");
        const char *words[] = {"view",           figure, "-o", path_of("out.png"),
                               "--size",         "16",   "16", cases[i].words[0],
                               cases[i].words[1]};
        int count = (int)COUNTOF(words) - (cases[i].words[1] ? 0 : 1);
        assert_int_equal(run(Probe_View, words, count), cases[i].status);
    }
    write_text("broken.emesh",
               "EMSH and then nothing that is of an emesh: 64 bytes at the least....");
    assert_int_equal(run(Probe_View, ARGS("view", path_of("broken.emesh"), "-o", "/tmp/x.png")),
                     PROBE_FAIL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_for_itself),
        cmocka_unit_test(test_a_map_and_what_is_met),
        cmocka_unit_test(test_plans_sections_and_slices),
        cmocka_unit_test(test_slice_of_a_box),
        cmocka_unit_test(test_meets_what_the_server_meets),
        cmocka_unit_test(test_triangles_and_bones),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
