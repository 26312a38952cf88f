// Tests of edict-probe draw: its samples, the entity keys it reads, and the text it writes.

#include "base/rng.h"
#include "collide/cmap.h"
#include "probe/mark.h"
#include "probe/picture.h"
#include "probe/probe.h"
#include "probe/svg.h"
#include "probe/thing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SOLID CONTENTS_SOLID
#define EMPTY CONTENTS_EMPTY
#define WATER CONTENTS_WATER

// Planes of a room: x, y -128..128, z 0..128. Its east quarter is a shelf 64 high, its west quarter
// a pool from -64 to a surface at -16. Hull 0 is for points, hull 1 for the player's box.
static const plane_t planes[] = {
    {{1, 0, 0}, 128, PLANE_X},
    {{1, 0, 0}, -128, PLANE_X},
    {{0, 1, 0}, 128, PLANE_Y},
    {{0, 1, 0}, -128, PLANE_Y},
    {{0, 0, 1}, 128, PLANE_Z},
    {{1, 0, 0}, 64, PLANE_X},
    {{0, 0, 1}, 64, PLANE_Z},
    {{1, 0, 0}, -64, PLANE_X},
    {{0, 0, 1}, 0, PLANE_Z},
    {{0, 0, 1}, -16, PLANE_Z},
    {{0, 0, 1}, -64, PLANE_Z},
    // hull 1: walls 16 inwards, ceiling 32 down, floors 24 up, ledges 16 outwards
    {{1, 0, 0}, 112, PLANE_X},
    {{1, 0, 0}, -112, PLANE_X},
    {{0, 1, 0}, 112, PLANE_Y},
    {{0, 1, 0}, -112, PLANE_Y},
    {{0, 0, 1}, 96, PLANE_Z},
    {{1, 0, 0}, 48, PLANE_X},
    {{0, 0, 1}, 88, PLANE_Z},
    {{1, 0, 0}, -80, PLANE_X},
    {{0, 0, 1}, 24, PLANE_Z},
    {{0, 0, 1}, -40, PLANE_Z}};
// Node i cuts by plane i: {in front, behind}. Hull 1 starts at node 11.
static const int32_t children[][2] = {
    {SOLID, 1},     {2, SOLID},     {SOLID, 3},     {4, SOLID},  {SOLID, 5},     {6, 7},
    {EMPTY, SOLID}, {8, 9},         {EMPTY, SOLID}, {EMPTY, 10}, {WATER, SOLID}, {SOLID, 12},
    {13, SOLID},    {SOLID, 14},    {15, SOLID},    {SOLID, 16}, {17, 18},       {EMPTY, SOLID},
    {19, 20},       {EMPTY, SOLID}, {EMPTY, SOLID}};

static const char room_entities[] =
    "{\n\"classname\" \"worldspawn\"\n}\n"
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"0 0 24\"\n\"angle\" \"90\"\n}\n"
    "{\n\"classname\" \"trigger_teleport\"\n\"model\" \"*1\"\n\"target\" \"a<b\"\n}\n"
    "{\n\"classname\" \"info_teleport_destination\"\n\"origin\" \"96 0 88\"\n"
    "\"targetname\" \"a<b\"\n}\n"
    "{\n\"classname\" \"trigger_push\"\n\"model\" \"*2\"\n\"angle\" \"-1\"\n\"speed\" \"40\"\n}\n"
    "{\n\"classname\" \"projectile_fly\"\n\"origin\" \"0 0 64\"\n\"velocity\" \"0 300 1\"\n}\n"
    "{\n\"classname\" \"func_wall\"\n\"model\" \"*9\"\n}\n"
    "{\n\"classname\" \"light\"\n\"origin\" \"0 0 100\"\n}\n";

typedef struct {
    cmap_t map;
    cmodel_t models[3];
    clipnode_t nodes[COUNTOF(children)];
    char entities[1024];
} room_t;

static void make_room(room_t *room) {
    *room = (room_t){0};
    cmap_t *map = &room->map;
    strlcpy(map->name, "room", sizeof(map->name));
    strlcpy(room->entities, room_entities, sizeof(room->entities));
    map->entities = room->entities;
    map->entities_bytes = strlen(room->entities);
    map->models = room->models;
    map->num_models = 3;
    for (int32_t i = 0; i < (int32_t)COUNTOF(children); i++) {
        room->nodes[i] = CM_ClipNode(planes, i, children[i][0], children[i][1]);
    }
    bounds_t size = CM_HullSize(HULLSET_QUAKE, 1);
    room->models[0].bounds = (bounds_t){{-160, -160, -96}, {160, 160, 160}};
    room->models[0].hulls[0] = (hull_t){.nodes = room->nodes, .planes = planes, .root = 0};
    room->models[0].hulls[1] = (hull_t){.nodes = room->nodes,
                                        .planes = planes,
                                        .root = 11,
                                        .clip_mins = size.mins,
                                        .clip_maxs = size.maxs};
    room->models[1].bounds = (bounds_t){{-32, 64, 0}, {32, 80, 64}};
    room->models[2].bounds = (bounds_t){{-16, -96, 0}, {16, -64, 16}};
}

static void test_column_finds_floor_liquid_and_room_to_stand(void **state) {
    (void)state;
    room_t room;
    make_room(&room);
    static const struct {
        float x, y, z_max;
        bool found, stands;
        float floor, surface;
        contents_t liquid;
    } cases[] = {
        {0, 0, 160, true, true, 0, 0, EMPTY},        {96, 0, 160, true, true, 64, 64, EMPTY},
        {-100, 0, 160, true, true, -64, -16, WATER}, {120, 0, 160, true, false, 64, 64, EMPTY},
        {0, -120, 160, true, false, 0, 0, EMPTY},    {56, 0, 160, true, true, 0, 0, EMPTY},
        {150, 0, 160, false, false, 0, 0, EMPTY},    {96, 0, 60, false, false, 0, 0, EMPTY},
        {-100, 0, -20, true, true, -64, -16, WATER},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        column_t got = Probe_SampleColumn(&room.map, cases[i].x, cases[i].y, -96, cases[i].z_max);
        print_message("case %zu: floor %g surface %g\n", i, (double)got.floor, (double)got.surface);
        assert_int_equal(got.found, cases[i].found);
        if (got.found) {
            // At x = 56 a point is above floor 0, but a box would be stopped by the shelf 64
            // higher, so it cannot stand there.
            assert_int_equal(got.stands, cases[i].x == 56 ? false : cases[i].stands);
            assert_float_equal(got.floor, cases[i].floor, 0.001f);
            assert_float_equal(got.surface, cases[i].surface, 1.0f);
            assert_int_equal(got.liquid, cases[i].liquid);
        }
    }
}

static void test_section_sees_what_it_cuts_and_how_far(void **state) {
    (void)state;
    room_t room;
    make_room(&room);
    section_t open = Probe_SampleSection(&room.map, Vector(0, -28, 32), 4096);
    assert_int_equal(open.contents, EMPTY);
    assert_float_equal(open.depth, 156.0f, 0.05f);
    assert_int_equal(Probe_SampleSection(&room.map, Vector(100, 0, 32), 4096).contents, SOLID);
    assert_int_equal(Probe_SampleSection(&room.map, Vector(-100, 0, -32), 4096).contents, WATER);
    assert_float_equal(Probe_SampleSection(&room.map, Vector(0, -28, 32), 50).depth, 50.0f, 0.001f);
}

static void test_things_have_boxes_names_and_ways(void **state) {
    (void)state;
    room_t room;
    make_room(&room);
    static things_t things; // static because it is large
    err_t err;
    assert_true(Probe_ReadThings(&room.map, &things, &err));
    // The func_wall names a model that does not exist; the light is not shown.
    assert_int_equal(things.count, 5);
    assert_int_equal(things.dropped, 0);
    assert_int_equal(things.list[0].kind, THING_SPAWN);
    assert_string_equal(things.list[0].name, "deathmatch");
    assert_true(things.list[0].velocity.y > 50.0f);
    assert_int_equal(things.list[1].kind, THING_TELEPORT);
    assert_float_equal(things.list[1].bounds.maxs.y, 80.0f, 0.0f);
    const thing_t *exit = Probe_FindDestination(&things, things.list[1].target);
    assert_ptr_equal(exit, &things.list[2]);
    assert_null(Probe_FindDestination(&things, "nowhere"));
    assert_int_equal(things.list[3].kind, THING_PUSH);
    assert_float_equal(things.list[3].velocity.z, 400.0f, 0.001f);
    assert_float_equal(things.list[4].velocity.y, 300.0f, 0.001f);

    strlcpy(room.entities, "{\n\"classname\" \"light\"\n", sizeof(room.entities));
    room.map.entities_bytes = strlen(room.entities);
    assert_false(Probe_ReadThings(&room.map, &things, &err));
    assert_non_null(strstr(err.text, "line"));
}

/// Writes with `write` into memory, which the caller frees.
static char *written(void (*write)(FILE *out, const void *context), const void *context) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    write(out, context);
    fclose(out);
    return text;
}

static void write_text(FILE *out, const void *context) {
    Svg_Text(out, (svg_point_t){1, 2}, context, "name");
}

static void test_text_is_escaped(void **state) {
    (void)state;
    char *text = written(write_text, "a<b>&\"\x01\xff");
    assert_string_equal(text, "<text class=\"name\" x=\"1\" y=\"2\">a&lt;b&gt;&amp;\"?\?</text>\n");
    free(text);
}

static void write_raster(FILE *out, const void *context) {
    assert_true(Svg_Raster(out, context));
}

/// Paints the blocks of a written raster; a cell painted twice fails the test.
static void paint(const char *text, uint32_t *cells, int32_t columns, int32_t rows) {
    uint32_t colour = SVG_NO_CELL;
    for (const char *at = text; *at; at++) {
        int c = 0;
        int r = 0;
        int w = 0;
        int h = 0;
        int back = 0;
        sscanf(at, "<path fill=\"#%x\"", &colour);
        if (sscanf(at, "M%d %dh%dv%dh%dz", &c, &r, &w, &h, &back) != 5) {
            continue;
        }
        assert_int_equal(back, -w);
        assert_true(c >= 0);
        assert_true(r >= 0);
        assert_true(w > 0);
        assert_true(h > 0);
        assert_true(c + w <= columns);
        assert_true(r + h <= rows);
        for (int32_t i = 0; i < w * h; i++) {
            uint32_t *cell = &cells[(r + i / w) * columns + c + i % w];
            assert_int_equal(*cell, SVG_NO_CELL);
            *cell = colour;
        }
    }
}

static void test_raster_paints_every_cell_once(void **state) {
    (void)state;
    enum { MOST = 24 };
    for (uint64_t seed = 1; seed <= 200; seed++) {
        rng_t rng = {seed};
        int32_t columns = (int32_t)Rng_Below(&rng, MOST) + 1;
        int32_t rows = (int32_t)Rng_Below(&rng, MOST) + 1;
        uint32_t cells[MOST * MOST];
        uint32_t got[MOST * MOST];
        for (int32_t i = 0; i < columns * rows; i++) {
            static const uint32_t colours[] = {SVG_NO_CELL, 0x000000, 0x123456, 0xffffff};
            cells[i] = colours[Rng_Below(&rng, COUNTOF(colours))];
            got[i] = SVG_NO_CELL;
        }
        svg_raster_t raster = {cells, columns, rows, 8.0, {-64.0, -32.0}};
        char *text = written(write_raster, &raster);
        paint(text, got, columns, rows);
        if (memcmp(cells, got, (size_t)(columns * rows) * sizeof(cells[0])) != 0) {
            fail_msg("seed %llu: the blocks differ from the cells", (unsigned long long)seed);
        }
        free(text);
    }
}

static void test_equal_cells_are_one_block(void **state) {
    (void)state;
    uint32_t cells[6 * 4];
    for (size_t i = 0; i < COUNTOF(cells); i++) {
        cells[i] = 0xabcdef;
    }
    svg_raster_t raster = {cells, 6, 4, 8.0, {0.0, 0.0}};
    char *text = written(write_raster, &raster);
    assert_non_null(strstr(text, "<path fill=\"#abcdef\" d=\"M0 0h6v4h-6z\"/>"));
    free(text);
}

static void test_picture_is_cropped_and_measured(void **state) {
    (void)state;
    room_t room;
    make_room(&room);
    err_t err;
    picture_options_t options = Picture_WholeMap(&room.map);
    options.step = 8.0f;
    picture_t picture;
    assert_true(Picture_Open(&picture, &room.map, &options, &err));
    // 256 of 320 qu are open: 32 cells, and two on each side.
    assert_int_equal(picture.columns, 36);
    assert_int_equal(picture.rows, 36);
    assert_int_equal(picture.num_floors, 32 * 32);
    assert_int_equal(picture.num_wet, 8 * 32);
    assert_float_equal(picture.floor_min, -64.0f, 0.001f);
    assert_float_equal(picture.floor_max, 64.0f, 0.001f);
    svg_point_t corner = Picture_Point(&picture, Vector(-144, 144, 0));
    assert_true(corner.x == picture.corner.x);
    assert_true(corner.y == picture.corner.y);
    Picture_Close(&picture);

    options.kind = PICTURE_SECTION;
    options.axis = 1;
    options.at = 0.0f;
    assert_true(Picture_Open(&picture, &room.map, &options, &err));
    assert_int_equal(picture.columns, 36);
    assert_int_equal(picture.rows, 28); // z -64..128, and two on each side
    Picture_Close(&picture);

    options.step = 0.25f;
    assert_false(Picture_Open(&picture, &room.map, &options, &err));
    options = Picture_WholeMap(&room.map);
    options.window.mins.z = 500.0f;
    options.window.maxs.z = 600.0f;
    assert_false(Picture_Open(&picture, &room.map, &options, &err));
    assert_non_null(strstr(err.text, "expected a part of the map within z 500..600"));
}

// Tests a map that is only a floor of triangles, with no height.
static void test_a_flat_map_is_drawn(void **state) {
    (void)state;
    room_t room;
    make_room(&room);
    room.models[0].bounds = (bounds_t){{-64, -128, 0}, {64, 128, 0}};
    picture_options_t options = Picture_WholeMap(&room.map);
    options.step = 8.0f;
    picture_t picture;
    err_t err;
    assert_true(Picture_Open(&picture, &room.map, &options, &err));
    assert_int_equal(picture.num_floors, 16 * 32);
    assert_true(picture.floor_min == 0.0f);
    assert_true(picture.floor_max == 0.0f);
    Picture_Close(&picture);
}

static void test_points_are_dots_or_sweeps(void **state) {
    (void)state;
    room_t room;
    make_room(&room);
    err_t err;
    picture_options_t options = Picture_WholeMap(&room.map);
    picture_t picture;
    assert_true(Picture_Open(&picture, &room.map, &options, &err));
    static const struct {
        const char *table;
        bool good;
        const char *says;
    } cases[] = {
        {"id,x,y,z\n7,1,2,3\n", true, "<circle class=\"dot\" cx=\"1\" cy=\"-2\""},
        {"id,x,y,z\n7,1,2,3\n", true, ">7</text>"},
        {"sx,sy,sz,ex,ey,ez\n1,2,3,4,5,6\n", true, "<path class=\"sweep\" d=\"M1 -2L4 -5\"/>"},
        {"sx,sy,sz,ex,ey,ez\n0,0,32,128,0,32\n", true,
         "<path class=\"sweep\" d=\"M0 0L63.9688 0\"/>\n"
         "<path class=\"missed\" d=\"M63.9688 0L128 0\"/>\n<circle class=\"stop\""},
        {"x,y\n1,2\n", false, "z"},
        {"x,y,z\n1,2,nan\n", false, "points:2"},
        {"x,y,z\n1,2,99999999\n", false, "points:2"},
    };
    const sweep_rule_t rule = {.map = &room.map};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char table[128];
        strlcpy(table, cases[i].table, sizeof(table));
        FILE *in = fmemopen(table, strlen(table), "r");
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        csv_t csv;
        bool good = Csv_Open(&csv, in, "points", &err) &&
                    Mark_Points(out, &picture, &rule, stdout, &csv, &err);
        fclose(in);
        fclose(out);
        assert_int_equal(good, cases[i].good);
        if (!strstr(good ? text : err.text, cases[i].says)) {
            fail_msg("case %zu: expected \"%s\", found \"%s\"", i, cases[i].says,
                     good ? text : err.text);
        }
        free(text);
    }
    Picture_Close(&picture);
}

static void test_paths_go_from_row_to_row(void **state) {
    (void)state;
    room_t room;
    make_room(&room);
    err_t err;
    picture_options_t options = Picture_WholeMap(&room.map);
    picture_t picture;
    assert_true(Picture_Open(&picture, &room.map, &options, &err));
    char table[] = "traj,x,y,z\n1,1,2,3\n1,4,5,6\n2,7,8,9\n2,8,9,9\n";
    FILE *in = fmemopen(table, strlen(table), "r");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    csv_t csv;
    assert_true(Csv_Open(&csv, in, "path", &err));
    assert_true(Mark_Path(out, &picture, &csv, &err));
    fclose(in);
    fclose(out);
    assert_non_null(strstr(text, "<path class=\"way\" d=\"M1 -2L4 -5\"/>"));
    assert_non_null(strstr(text, "<path class=\"way\" d=\"M7 -8L8 -9\"/>"));
    assert_null(strstr(text, "M4 -5"));
    free(text);
    Picture_Close(&picture);
}

static void write_things(FILE *out, const void *context) {
    const room_t *room = context;
    static things_t things; // static because it is large
    picture_t picture;
    err_t err;
    picture_options_t options = Picture_WholeMap(&room->map);
    assert_true(Probe_ReadThings(&room->map, &things, &err));
    assert_true(Picture_Open(&picture, &room->map, &options, &err));
    Mark_Things(out, &picture, &room->map, &things);
    Picture_Close(&picture);
}

static void test_things_are_drawn(void **state) {
    (void)state;
    room_t room;
    make_room(&room);
    char *text = written(write_things, &room);
    assert_non_null(strstr(text, "<circle class=\"spawn\" cx=\"0\" cy=\"0\""));
    assert_non_null(
        strstr(text, "<rect class=\"trigger\" x=\"-32\" y=\"-80\" width=\"64\" height=\"16\"/>"));
    assert_non_null(strstr(text, "<path class=\"arrow\" d=\"M0 -72L96 0\"/>"));
    assert_non_null(strstr(text, "teleport a&lt;b</text>"));
    assert_non_null(strstr(text, "class=\"flight\""));
    free(text);
}

static void test_wrong_arguments_are_refused(void **state) {
    (void)state;
    static const char *const bad[][4] = {{NULL},
                                         {"-o", NULL},
                                         {"a", "b", NULL},
                                         {"a", "--z", "1"},
                                         {"--z", "2", "1"},
                                         {"a", "--y", "x"},
                                         {"a", "--step", "0"},
                                         {"a", "--slice", "w", "1"},
                                         {"a", "--slice", "z", "nan"},
                                         {"--slice", "z", "a"},
                                         {"a", "--brushes", NULL},
                                         {"a", "--near", "1", "2"},
                                         {"a", "--nonsense", NULL}};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        char words[5][16] = {"draw"};
        char *argv[6] = {words[0]};
        int argc = 1;
        for (; argc <= 4 && bad[i][argc - 1]; argc++) {
            strlcpy(words[argc], bad[i][argc - 1], sizeof(words[argc]));
            argv[argc] = words[argc];
        }
        assert_int_equal(Probe_Draw(argc, argv), PROBE_USAGE);
    }
    char draw[] = "draw";
    char path[] = "tests/no-such-map.bsp";
    char *argv[] = {draw, path, NULL};
    assert_int_equal(Probe_Draw(2, argv), PROBE_FAIL);
    char kept[] = "/tmp/edictd-draw-XXXXXX"; // a map, which must not be overwritten
    char option[] = "-o";
    int fd = mkstemp(kept);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "map", 3), 3);
    char *over[] = {draw, kept, option, kept, NULL};
    assert_int_equal(Probe_Draw(4, over), PROBE_USAGE);
    assert_int_equal(lseek(fd, 0, SEEK_END), 3);
    close(fd);
    unlink(kept);
}

static void test_a_real_map_is_drawn(void **state) {
    (void)state;
    char draw[] = "draw";
    char map[] = "../shared/data/bsp/lqdm2.bsp";
    if (access(map, R_OK) != 0) {
        print_message("SKIPPED: %s is not here\n", map);
        skip();
    }
    char out_option[] = "-o";
    char path[] = "test_draw.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    char *argv[] = {draw, map, out_option, path, NULL};
    int status = Probe_Draw(4, argv);
    FILE *in = fopen(path, "r");
    char text[65536] = "";
    size_t size = in ? fread(text, 1, sizeof(text) - 1, in) : 0;
    if (in) {
        fclose(in);
    }
    unlink(path);
    assert_int_equal(status, PROBE_OK);
    assert_true(size > 5000);
    assert_true(size < sizeof(text) - 1);
    assert_memory_equal(text, "<svg ", 5);
    assert_string_equal(text + size - 7, "</svg>\n");
    assert_non_null(strstr(text, "teleport tp2</text>"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_column_finds_floor_liquid_and_room_to_stand),
        cmocka_unit_test(test_section_sees_what_it_cuts_and_how_far),
        cmocka_unit_test(test_things_have_boxes_names_and_ways),
        cmocka_unit_test(test_text_is_escaped),
        cmocka_unit_test(test_raster_paints_every_cell_once),
        cmocka_unit_test(test_equal_cells_are_one_block),
        cmocka_unit_test(test_picture_is_cropped_and_measured),
        cmocka_unit_test(test_a_flat_map_is_drawn),
        cmocka_unit_test(test_points_are_dots_or_sweeps),
        cmocka_unit_test(test_paths_go_from_row_to_row),
        cmocka_unit_test(test_things_are_drawn),
        cmocka_unit_test(test_wrong_arguments_are_refused),
        cmocka_unit_test(test_a_real_map_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
