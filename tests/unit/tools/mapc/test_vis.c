// Visibility that edict-mapc finds: small rooms, this project's maps, and the trees of another
// compiler (../shared/data/bsp), on which both must see as much.
//
// EDICTD_LONG=1 draws 10^6 lines in each map, compares all of the data's maps, and compiles their
// sources.

#include "base/file.h"
#include "bsp/lumps.h"
#include "lib/vis_fixture.h"
#include "map_text.h"
#include "peer_tree.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

#define DATA "../shared/data/"

static map_text_t text; // static because it is large

/// Writes a round pool with 48 sides in room 0. Its surface is a portal with 48 corners.
static void write_round_pool(void) {
    enum { SIDES = 48 };
    double corners[SIDES + 1][2];
    for (int i = 0; i <= SIDES; i++) {
        double angle_rad = 2.0 * M_PI * i / SIDES;
        corners[i][0] = 96.0 + 80.0 * cos(angle_rad);
        corners[i][1] = 128.0 + 80.0 * sin(angle_rad);
    }
    Text_Add(&text, "{\n( 0 1 0 ) ( 0 0 0 ) ( 1 0 0 ) *water 0 0 0 1 1\n"
                    "( 1 0 32 ) ( 0 0 32 ) ( 0 1 32 ) *water 0 0 0 1 1\n");
    for (int i = 0; i < SIDES; i++) {
        const double *a = corners[i];
        const double *b = corners[i + 1];
        Text_Add(&text, "( %.3f %.3f 0 ) ( %.3f %.3f 0 ) ( %.3f %.3f 1 ) *water 0 0 0 1 1\n", b[0],
                 b[1], a[0], a[1], a[0], a[1]);
    }
    Text_Add(&text, "}\n");
}

/// Four rooms in a row. The doors between them are at y 0..64, 192..256 and 0..64, so that no line
/// leads through all three. `door`: texture of a brush in the first door, or NULL; "round" = a
/// round pool instead.
static void write_rooms(const char *door, const char *door_class) {
    static const int hall[6] = {0, 0, 0, 1072, 256, 128};
    static const int walls[3][6] = {
        {256, 64, 0, 272, 256, 128}, {528, 0, 0, 544, 192, 128}, {800, 64, 0, 816, 256, 128}};
    static const int pool[6] = {0, 0, 0, 128, 256, 32};
    static const int first_door[6] = {256, 0, 0, 272, 64, 128};
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, hall, "stone", -1);
    for (int i = 0; i < 3; i++) {
        Text_Box(&text, walls[i], "stone");
    }
    bool is_round = door && strcmp(door, "round") == 0;
    if (is_round) {
        write_round_pool();
    } else {
        Text_Box(&text, pool, "*water");
    }
    if (door && !door_class && !is_round) {
        Text_Box(&text, first_door, door);
    }
    Text_Close(&text);
    if (door && door_class) {
        Text_Open(&text, door_class);
        Text_Box(&text, first_door, door);
        Text_Close(&text);
    }
    for (int i = 0; i < 4; i++) {
        Text_Point(&text, "info_player_start", 192 + 272 * i, 128, 64);
    }
}

/// A point in the middle of room 0..3, and one in the pool of room 0.
static vec3_t in_room(int32_t room) {
    return Vector(192.0f + 272.0f * (float)room, 128.0f, 100.0f);
}

/// Points in rooms 0 and 2 that a line through both doors joins.
static const vec3_t low_left = {200.0f, 5.0f, 100.0f};
static const vec3_t high_right = {560.0f, 221.0f, 100.0f};

static const vec3_t in_pool = {64.0f, 128.0f, 16.0f};

static bool sees(const compiled_t *c, vec3_t from, vec3_t to) {
    uint8_t row[CM_MAX_PVS_BYTES] = {0};
    CM_AddPVS(&c->map, CM_PointCluster(&c->map, from), row);
    return CM_InPVS(row, CM_PointCluster(&c->map, to));
}

static void compile(compiled_t *c, mc_vis_options_t vis) {
    const mc_options_t options = {.vis = vis};
    Compile_Bytes(c, text.text, text.used, &options);
    assert_string_equal(c->said, "");
    assert_true(CM_HasVis(&c->map));
}

static void test_rooms(void **state) {
    (void)state;
    compiled_t full;
    compiled_t fast;
    write_rooms(NULL, NULL);
    compile(&full, (mc_vis_options_t){.threads = 1});
    compile(&fast, (mc_vis_options_t){.fast = true});
    for (int32_t i = 0; i < 3; i++) {
        assert_true(sees(&full, in_room(i), in_room(i + 1)));
        assert_true(sees(&full, in_room(i + 1), in_room(i)));
    }
    assert_true(sees(&full, low_left, high_right) && sees(&full, high_right, low_left));
    assert_false(sees(&full, low_left, in_room(3)) || sees(&full, in_room(3), low_left));
    assert_false(sees(&full, in_room(0), in_room(3)) || sees(&full, in_room(3), in_room(0)));
    assert_true(sees(&full, in_pool, in_room(1)) && sees(&full, in_room(1), in_pool));
    assert_false(sees(&full, in_pool, in_room(3)));
    assert_true(TestVis_Total(&full.map) < TestVis_Total(&fast.map));
    assert_int_equal(TestVis_Lines(&full.map, 2000, 1).hidden, 0);
    Compile_Free(&full);
    Compile_Free(&fast);
}

static void test_round_portal(void **state) {
    (void)state;
    compiled_t c;
    write_rooms("round", NULL);
    compile(&c, (mc_vis_options_t){.threads = 1});
    test_vis_lines_t lines = TestVis_Lines(&c.map, 50000, 1);
    assert_int_equal(lines.hidden, 0);
    assert_true(sees(&c, in_pool, in_room(1)));
    Compile_Free(&c);
}

/// Sky in the first door stops sight, a brush entity does not.
static void test_doors(void **state) {
    (void)state;
    compiled_t c;
    const vec3_t in_door = {264.0f, 32.0f, 64.0f};
    write_rooms("sky1", NULL);
    compile(&c, (mc_vis_options_t){.threads = 1});
    assert_false(sees(&c, in_room(0), in_room(1)));
    assert_true(sees(&c, in_room(1), in_room(2)));
    assert_true(sees(&c, in_door, in_room(0)) && sees(&c, in_door, in_room(3)));
    assert_false(sees(&c, in_room(0), in_door));
    Compile_Free(&c);
    write_rooms("stone", "func_wall");
    compile(&c, (mc_vis_options_t){.threads = 1});
    assert_true(sees(&c, in_room(0), in_room(1)));
    Compile_Free(&c);
}

/// Too few steps: base visibility is kept.
static void test_few_steps(void **state) {
    (void)state;
    compiled_t few;
    compiled_t fast;
    write_rooms(NULL, NULL);
    compile(&few, (mc_vis_options_t){.threads = 1, .max_steps = 1});
    compile(&fast, (mc_vis_options_t){.fast = true});
    assert_int_equal(few.result.bsp_size, fast.result.bsp_size);
    assert_memory_equal(few.result.bsp, fast.result.bsp, fast.result.bsp_size);
    Compile_Free(&few);
    Compile_Free(&fast);
}

static void test_leak(void **state) {
    (void)state;
    static const int room[6] = {0, 0, 0, 256, 256, 128};
    compiled_t c;
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, room, "stone", 1);
    Text_Close(&text);
    Text_Point(&text, "info_player_start", 64, 64, 64);
    Compile_Text(&c, &text, false);
    assert_int_equal(c.outcome, MC_LEAKED);
    assert_false(CM_HasVis(&c.map));
    Compile_Free(&c);
}

/// Compiles a source file, if it is there.
static bool compile_file(compiled_t *c, const char *path, const mc_options_t *options) {
    err_t err;
    size_t size = 0;
    uint8_t *source = File_Read(path, MAX_MAP_BYTES, &size, &err);
    if (!source) {
        assert_int_not_equal(access(path, F_OK), 0);
        print_message("SKIPPED %s\n", err.text);
        return false;
    }
    Compile_Bytes(c, (const char *)source, size, options);
    free(source);
    return true;
}

/// Checks that two files differ at most in the visibility and its offsets in the leafs.
static void check_other_lumps(const uint8_t *a, const uint8_t *b, bool wide) {
    for (size_t lump = 0; lump < NUM_LUMPS; lump++) {
        const uint8_t *heads[2] = {a + 4 + lump * 8, b + 4 + lump * 8};
        uint32_t bytes = Lumps_U32(heads[0] + 4);
        const uint8_t *data[2] = {a + Lumps_U32(heads[0]), b + Lumps_U32(heads[1])};
        if (lump == LUMP_VISIBILITY) {
            continue;
        }
        assert_int_equal(bytes, Lumps_U32(heads[1] + 4));
        size_t leaf_bytes = lump != LUMP_LEAFS ? 0 : wide ? 44 : 28;
        for (size_t i = 0; i < bytes; i++) {
            bool is_offset = leaf_bytes > 0 && i % leaf_bytes >= 4 && i % leaf_bytes < 8;
            if (!is_offset && data[0][i] != data[1][i]) {
                fail_msg("lump %zu differs at byte %zu", lump, i);
            }
        }
    }
}

/// Any number of threads gives the same bytes, and the visibility changes nothing else.
static void test_threads_and_formats(void **state) {
    (void)state;
    static const mc_options_t formats[] = {{0}, {.bsp2 = true}, {.halflife = true}};
    for (size_t i = 0; i < COUNTOF(formats); i++) {
        compiled_t one;
        compiled_t many;
        compiled_t fast;
        mc_options_t options = formats[i];
        options.vis.threads = 1;
        assert_true(compile_file(&one, "maps/foundry.map", &options));
        options.vis.threads = 5;
        assert_true(compile_file(&many, "maps/foundry.map", &options));
        options.vis.fast = true;
        assert_true(compile_file(&fast, "maps/foundry.map", &options));
        assert_int_equal(one.result.bsp_size, many.result.bsp_size);
        assert_memory_equal(one.result.bsp, many.result.bsp, many.result.bsp_size);
        check_other_lumps(one.result.bsp, fast.result.bsp, formats[i].bsp2);
        assert_string_equal(one.map.remark, "");
        assert_true(TestVis_Total(&one.map) < TestVis_Total(&fast.map));
        Compile_Free(&one);
        Compile_Free(&many);
        Compile_Free(&fast);
    }
}

/// Clear lines in the maps of this project, as `make maps` compiled them.
static void test_own_maps(void **state) {
    (void)state;
    char folder[200];
    snprintf(folder, sizeof folder, "%s/maps", Test_BuildFolder());
    DIR *files = opendir(folder);
    assert_non_null(files);
    int32_t count = 0;
    for (struct dirent *entry; (entry = readdir(files)) != NULL;) {
        char path[500];
        cmap_t map;
        err_t err;
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".bsp") != 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!BSP_Load(&map, path, &err)) {
            fail_msg("%s", err.text);
        }
        assert_true(CM_HasVis(&map));
        TestVis_CheckLines(&map);
        CM_FreeMap(&map);
        count++;
    }
    closedir(files);
    assert_true(count >= 20);
}

/// Finds the visibility of the other compiler's tree again. Both may differ by 2 %.
static void compare_totals(const cmap_t *map) {
    static mc_planes_t table; // static because it is large
    mc_fail_t fail;
    size_t budget = MC_DEFAULT_MEMORY;
    peer_tree_t peer = {.num_groups = 0};
    mc_report_t report = {.quiet = true};
    mc_vis_t vis;
    int64_t totals[2];
    peer.pools.keep = peer.pools.temp = (mc_pool_t){.budget_bytes = &budget, .fail = &fail};
    if (setjmp(fail.where) != 0) {
        fail_msg("%s", fail.text);
    }
    Peer_MakeTree(&peer, &table, map);
    MC_FindVis(&vis, &peer.pools, &peer.tree, &(mc_vis_options_t){.threads = 2}, &report);
    assert_int_equal(vis.num_clusters, peer.num_groups);
    assert_int_equal(vis.num_limited, 0);
    Peer_Totals(&peer, &vis, totals);
    print_message("  %-10s %6d portals: theirs %8lld, ours %8lld (%+.2f %%)\n", map->name,
                  vis.num_portals / 2, (long long)totals[0], (long long)totals[1],
                  100.0 * (double)(totals[1] - totals[0]) / (double)totals[0]);
    assert_true(llabs(totals[1] - totals[0]) * 50 <= totals[0]);
    MC_FreePool(&peer.pools.keep);
    MC_FreePool(&peer.pools.temp);
}

static void test_peer_trees(void **state) {
    (void)state;
    static const char *const names[] = {"lqdm2",  "lq_e0m9", "lqdm9_bsp2", "lq_e0m1",
                                        "lqdm11", "lqdm12",  "lqdm4",      "lqdm4_hl"};
    for (size_t i = 0; i < (Test_IsLong() ? COUNTOF(names) : 3); i++) {
        char path[200];
        cmap_t map;
        err_t err;
        snprintf(path, sizeof path, DATA "bsp/%s.bsp", names[i]);
        if (!BSP_Load(&map, path, &err)) {
            assert_int_not_equal(access(path, F_OK), 0);
            print_message("SKIPPED %s\n", err.text);
            return;
        }
        compare_totals(&map);
        CM_FreeMap(&map);
    }
}

/// Clear lines in this project's compile of other people's maps.
static void test_peer_sources(void **state) {
    (void)state;
    static const char *const names[] = {"lqdm2",   "lqdm12", "lqdm9",  "lqdm11",
                                        "lq_e0m9", "lqdm4",  "lq_e0m1"};
    for (size_t i = 0; i < (Test_IsLong() ? COUNTOF(names) : 2); i++) {
        char path[200];
        compiled_t c;
        snprintf(path, sizeof path, DATA "map/%s.map", names[i]);
        if (!compile_file(&c, path, &(mc_options_t){.vis.threads = 2})) {
            return;
        }
        assert_int_equal(c.outcome, MC_COMPILED);
        TestVis_CheckLines(&c.map);
        Compile_Free(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rooms),
        cmocka_unit_test(test_round_portal),
        cmocka_unit_test(test_doors),
        cmocka_unit_test(test_few_steps),
        cmocka_unit_test(test_leak),
        cmocka_unit_test(test_own_maps),
        cmocka_unit_test(test_threads_and_formats),
        cmocka_unit_test(test_peer_trees),
        cmocka_unit_test(test_peer_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
