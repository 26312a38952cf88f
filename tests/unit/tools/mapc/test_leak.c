// Tests of leaks and entities outside of the map: reports, filling, and the written points.
//
// The real maps are in ../shared/data (see its README.md). Without them their test is skipped, and
// a line says so.

#include "base/file.h"
#include "base/limits.h"
#include "map_text.h"

#include <unistd.h>

#define DATA_DIR "../shared/data/map/"

static const int ROOM[6] = {0, 0, 0, 512, 512, 256};
static const int ANNEX[6] = {1024, 0, 0, 1280, 256, 128};

static map_text_t text; // static because it is large

/// Writes a room without one of its walls (-1: with all), and leaves its world open for more
/// brushes.
static void start_room(int skip) {
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, ROOM, "stone", skip);
}

/// Closes the world and puts a player start in the room.
static void finish_room(void) {
    Text_Close(&text);
    Text_Point(&text, "info_player_start", 64, 64, 32);
}

/// Tests a leaking map: it is written unfilled, with a warning and the path from the entity to the
/// outside.
static void test_leak(void **state) {
    (void)state;
    compiled_t c;
    start_room(1);
    finish_room();
    Compile_Text(&c, &text, false);
    assert_int_equal(c.outcome, MC_LEAKED);
    assert_string_equal(c.said, "t.map:44: warning: leak: entity 1 (info_player_start at 64 64 32) "
                                "reaches the outside; the outside stays open\n");
    for (int hull = 0; hull < 3; hull++) {
        assert_int_equal(Contents_At(&c, 0, hull, 256, 256, 128), CONTENTS_EMPTY);
        assert_int_equal(Contents_At(&c, 0, hull, -4, 256, 128), CONTENTS_SOLID);
        assert_int_equal(Contents_At(&c, 0, hull, -200, 256, 128), CONTENTS_EMPTY);
    }
    // The path leads from the entity through the missing wall to the outside, in steps of at most
    // 64.
    assert_true(strncmp(c.result.leak_points, "64.000 64.000 32.000\n", 21) == 0);
    float x = 64;
    float y = 64;
    float z = 32;
    int points = 0;
    for (const char *line = c.result.leak_points; *line; line = strchr(line, '\n') + 1) {
        float px;
        float py;
        float pz;
        assert_int_equal(sscanf(line, "%f %f %f", &px, &py, &pz), 3);
        assert_true((px - x) * (px - x) + (py - y) * (py - y) + (pz - z) * (pz - z) < 65 * 65);
        bool in_room = px <= 512 && px >= 0 && py <= 512 && py >= 0 && pz <= 256 && pz >= 0;
        assert_true(in_room || px > 512);
        x = px;
        y = py;
        z = pz;
        points++;
    }
    assert_true(points > 3);
    assert_true(x > 512);
    Compile_Free(&c);
}

/// Tests --leaktest: a leak is an error, and only the path is written.
static void test_leaktest(void **state) {
    (void)state;
    compiled_t c;
    const mc_options_t options = {.leaktest = true};
    start_room(1);
    finish_room();
    Compile_Bytes(&c, text.text, text.used, &options);
    assert_int_equal(c.outcome, MC_FAILED);
    assert_null(c.result.bsp);
    assert_non_null(c.result.leak_points);
    assert_string_equal(c.said, "t.map:44: error: leak: entity 1 (info_player_start at 64 64 32) "
                                "reaches the outside; no map is written (--leaktest)\n");
    Compile_Free(&c);
    // An entity outside is no leak, so a sealed map passes.
    start_room(-1);
    finish_room();
    Text_Point(&text, "light", 600, 64, 32);
    Compile_Bytes(&c, text.text, text.used, &options);
    assert_int_equal(c.outcome, MC_COMPILED);
    Compile_Free(&c);
}

/// Tests one entity outside, and several: each gets a warning with its line number, and the outside
/// is filled.
static void test_entities_outside(void **state) {
    (void)state;
    compiled_t c;
    start_room(-1);
    finish_room();
    Text_Point(&text, "light", 600, 64, 32);
    Compile_Text(&c, &text, false);
    assert_string_equal(c.said, "t.map:56: warning: entity 2 (light at 600 64 32) is outside the "
                                "map; move it inside or delete it\n");
    for (int hull = 0; hull < 3; hull++) {
        assert_int_equal(Contents_At(&c, 0, hull, 256, 256, 128), CONTENTS_EMPTY);
        assert_int_equal(Contents_At(&c, 0, hull, 600, 64, 32), CONTENTS_SOLID);
    }
    assert_null(c.result.leak_points);
    Compile_Free(&c);
    start_room(-1);
    finish_room();
    for (int i = 0; i < 5; i++) {
        Text_Point(&text, "item_health", 64, 64, 400 + 64 * i);
    }
    Compile_Text(&c, &text, false);
    assert_int_equal(c.num_warnings, 5);
    assert_non_null(strstr(c.said, "t.map:72: warning: entity 6 (item_health at 64 64 656) is"));
    assert_int_equal(Contents_At(&c, 0, 0, 64, 64, 400), CONTENTS_SOLID);
    Compile_Free(&c);
    // If the only player start is outside, the other entities show which side is inside.
    start_room(-1);
    Text_Close(&text);
    Text_Point(&text, "info_player_start", -300, 64, 32);
    Text_Point(&text, "light", 64, 64, 32);
    Compile_Text(&c, &text, false);
    assert_int_equal(c.num_warnings, 1);
    assert_int_equal(Contents_At(&c, 0, 0, -300, 64, 32), CONTENTS_SOLID);
    Compile_Free(&c);
    // If all entities are outside, nothing shows which side is inside.
    start_room(-1);
    Text_Close(&text);
    Text_Point(&text, "light", 600, 64, 32);
    Compile_Text(&c, &text, false);
    assert_int_equal(c.outcome, MC_LEAKED);
    Compile_Free(&c);
}

/// Tests a second room that leaks: this is a leak although most entities are in the sealed room.
static void test_leaking_annex(void **state) {
    (void)state;
    compiled_t c;
    start_room(-1);
    Text_Room(&text, ANNEX, "stone", 3);
    finish_room();
    for (int i = 0; i < 9; i++) {
        Text_Point(&text, "light", 64 + 32 * i, 100, 100);
    }
    Text_Point(&text, "light", -100, 64, 32);
    Text_Point(&text, "item_health", 1100, 100, 32);
    Compile_Text(&c, &text, false);
    assert_int_equal(c.outcome, MC_LEAKED);
    assert_non_null(strstr(c.said, "warning: leak: entity 12 (item_health at 1100 100 32) "
                                   "reaches the outside"));
    assert_true(strncmp(c.result.leak_points, "1100.000 100.000 32.000\n", 24) == 0);
    assert_int_equal(Contents_At(&c, 0, 1, 1100, 100, 64), CONTENTS_EMPTY);
    Compile_Free(&c);
}

/// Tests a leaking room with one entity, beside a sealed room with many: the outside is filled,
/// with a warning and the path. With --leaktest it is a leak.
static void test_small_leaking_annex(void **state) {
    (void)state;
    compiled_t c;
    const mc_options_t options = {.leaktest = true};
    start_room(-1);
    Text_Room(&text, ANNEX, "stone", 3);
    finish_room();
    for (int i = 0; i < 30; i++) {
        Text_Point(&text, "light", 64 + 8 * i, 100, 100);
    }
    Text_Point(&text, "info_teleport_destination", 1100, 100, 32);
    Compile_Text(&c, &text, false);
    assert_int_equal(c.outcome, MC_COMPILED);
    assert_int_equal(c.num_warnings, 1);
    assert_non_null(strstr(c.said, "warning: entity 32 (info_teleport_destination at 1100 100 32) "
                                   "is outside the map or in a room that leaks; move it"));
    assert_non_null(c.result.leak_points);
    assert_true(strncmp(c.result.leak_points, "1100.000 100.000 32.000\n", 24) == 0);
    Compile_Free(&c);
    Compile_Bytes(&c, text.text, text.used, &options);
    assert_int_equal(c.outcome, MC_FAILED);
    assert_null(c.result.bsp);
    assert_non_null(c.result.leak_points);
    assert_non_null(strstr(c.said, "error: leak: entity 32 (info_teleport_destination"));
    Compile_Free(&c);
}

/// Returns a copy of `source` with every `every`th origin moved far outside.
static char *move_entities(const char *source, size_t size, int every, int *moved) {
    static const char key[] = "\"origin\" \"";
    char *out = malloc(size * 2);
    assert_non_null(out);
    size_t used = 0;
    int number = 0;
    *moved = 0;
    for (const char *at = source; *at;) {
        bool is_origin = strncmp(at, key, sizeof key - 1) == 0;
        if (is_origin && ++number % every == 0) {
            used += (size_t)sprintf(out + used, "%s%d %d 16000\"", key, 9000 + number, *moved);
            at = strchr(at + sizeof key - 1, '"') + 1;
            *moved += 1;
        } else {
            out[used++] = *at++;
        }
    }
    out[used] = '\0';
    return out;
}

/// Tests a real map with a twentieth or a quarter of its entities moved outside: it keeps its
/// nodes.
static void test_real_maps(void **state) {
    (void)state;
    static const char *const maps[] = {"lq_e0m1", "lqdm2", "lqdm4", "lqdm12"};
    if (access(DATA_DIR, F_OK) != 0) {
        print_message("skipped: " DATA_DIR " is not there\n");
        skip();
    }
    for (size_t i = 0; i < (Test_IsSlow() ? 2 : COUNTOF(maps)); i++) {
        char path[256];
        size_t size;
        err_t err;
        const mc_options_t options = {.vis.fast = true};
        static compiled_t whole;
        static compiled_t c;
        snprintf(path, sizeof path, DATA_DIR "%s.map", maps[i]);
        char *source = (char *)File_Read(path, MAX_MAP_BYTES, &size, &err);
        assert_non_null(source);
        Compile_Bytes(&whole, source, size, &options);
        assert_int_equal(whole.outcome, MC_COMPILED);
        static const int every[] = {20, 4};
        for (size_t k = 0; k < COUNTOF(every); k++) {
            int moved;
            char *text_moved = move_entities(source, size, every[k], &moved);
            Compile_Bytes(&c, text_moved, strlen(text_moved), &options);
            assert_true(moved > 0);
            assert_int_equal(c.outcome, MC_COMPILED);
            assert_int_equal(c.num_warnings, whole.num_warnings + moved);
            assert_int_equal(c.map.num_nodes, whole.map.num_nodes);
            assert_int_equal(c.map.num_clipnodes, whole.map.num_clipnodes);
            Compile_Free(&c);
            free(text_moved);
        }
        Compile_Free(&whole);
        free(source);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leak),
        cmocka_unit_test(test_leaktest),
        cmocka_unit_test(test_entities_outside),
        cmocka_unit_test(test_leaking_annex),
        cmocka_unit_test(test_small_leaking_annex),
        cmocka_unit_test(test_real_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
