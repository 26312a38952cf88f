// Tests of the output files: BSP29, BSP2, BSP30, the brush list; equal bytes; limits.

#include "map_text.h"

static const int ROOM[6] = {0, 0, 0, 512, 512, 256};

static map_text_t text;     // static because it is large
static map_text_t text_two; // for comparisons of two maps

/// Writes a sealed room and leaves its world open for more brushes.
static void start_room(map_text_t *t) {
    t->used = 0;
    Text_Open(t, "worldspawn");
    Text_Room(t, ROOM, "stone", -1);
}

static void finish_room(map_text_t *t) {
    Text_Close(t);
    Text_Point(t, "info_player_start", 64, 64, 32);
}

static void test_halflife_hulls(void **state) {
    (void)state;
    compiled_t c;
    start_room(&text);
    finish_room(&text);
    Compile_Text(&c, &text, true);
    assert_string_equal(c.map.format, "BSP30");
    static const struct {
        int hull;
        float half_xy, half_z;
    } hulls[] = {{1, 16, 36}, {2, 32, 32}, {3, 16, 18}};
    for (size_t i = 0; i < sizeof hulls / sizeof hulls[0]; i++) {
        int h = hulls[i].hull;
        float e = 0.1f;
        float z = hulls[i].half_z;
        assert_int_equal(Contents_At(&c, 0, h, hulls[i].half_xy + e, 256, 128), CONTENTS_EMPTY);
        assert_int_equal(Contents_At(&c, 0, h, hulls[i].half_xy - e, 256, 128), CONTENTS_SOLID);
        assert_int_equal(Contents_At(&c, 0, h, 256, 256, z + e), CONTENTS_EMPTY);
        assert_int_equal(Contents_At(&c, 0, h, 256, 256, z - e), CONTENTS_SOLID);
        assert_int_equal(Contents_At(&c, 0, h, 256, 256, 256 - z - e), CONTENTS_EMPTY);
        assert_int_equal(Contents_At(&c, 0, h, 256, 256, 256 - z + e), CONTENTS_SOLID);
    }
    Compile_Free(&c);
}

/// Tests BSP2: written on request, and if a coordinate does not fit in 16 bits.
static void test_bsp2(void **state) {
    (void)state;
    compiled_t c;
    start_room(&text);
    finish_room(&text);
    mc_options_t options = {.bsp2 = true};
    Compile_Bytes(&c, text.text, text.used, &options);
    assert_string_equal(c.map.format, "BSP2");
    assert_int_equal(Contents_At(&c, 0, 1, 256, 256, 128), CONTENTS_EMPTY);
    Compile_Free(&c);
    static const int far[6] = {40000, 0, 0, 40256, 256, 128};
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, far, "stone", -1);
    Text_Close(&text);
    Text_Point(&text, "info_player_start", 40100, 64, 32);
    Compile_Text(&c, &text, false);
    assert_string_equal(c.map.format, "BSP2");
    assert_int_equal(Contents_At(&c, 0, 1, 40100, 64, 32), CONTENTS_EMPTY);
    Compile_Free(&c);
    Compile_Text(&c, &text, true);
    assert_int_equal(c.outcome, MC_FAILED);
    assert_non_null(
        strstr(c.said, "t.map: error: too large for BSP30: a brush reaches to 40272 qu"));
    Compile_Free(&c);
}

static uint32_t u32_at(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float float_at(const uint8_t *p) {
    uint32_t bits = u32_at(p);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/// Tests the BSPX lump: it lists all brushes, but only their slanted planes.
static void test_brush_list(void **state) {
    (void)state;
    compiled_t c;
    start_room(&text);
    // A ramp: a box cut by a slope that falls towards +x, from (0, 0, 64) to (64, 0, 0).
    Text_Add(&text, "{\n( 0 0 0 ) ( 0 64 0 ) ( 0 0 64 ) a 0 0 0 1 1\n"
                    "( 0 0 0 ) ( 0 0 64 ) ( 64 0 0 ) a 0 0 0 1 1\n"
                    "( 0 64 0 ) ( 64 64 0 ) ( 0 64 64 ) a 0 0 0 1 1\n"
                    "( 0 0 0 ) ( 64 0 0 ) ( 0 64 0 ) a 0 0 0 1 1\n"
                    "( 0 0 64 ) ( 0 64 64 ) ( 64 0 0 ) a 0 0 0 1 1\n}\n");
    finish_room(&text);
    Compile_Text(&c, &text, false);
    assert_string_equal(c.said, "");
    const uint8_t *x = c.result.bsp;
    const uint8_t *end = x + c.result.bsp_size;
    uint32_t lumps_end = 0;
    for (int i = 0; i < 15; i++) {
        uint32_t offset = u32_at(x + 4 + i * 8);
        uint32_t last = offset + u32_at(x + 8 + i * 8);
        assert_int_equal(offset % 4, 0);
        lumps_end = last > lumps_end ? last : lumps_end;
    }
    x += (lumps_end + 3) / 4 * 4;
    assert_memory_equal(x, "BSPX", 4);
    assert_int_equal(u32_at(x + 4), 1);
    assert_memory_equal(x + 8, "BRUSHLIST\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
    const uint8_t *list = c.result.bsp + u32_at(x + 32);
    assert_ptr_equal(list + u32_at(x + 36), end);
    assert_int_equal(u32_at(list), 1);      // version
    assert_int_equal(u32_at(list + 4), 0);  // model
    assert_int_equal(u32_at(list + 8), 7);  // brushes
    assert_int_equal(u32_at(list + 12), 1); // planes
    const uint8_t *ramp = list + 16 + 6 * 28;
    assert_true(float_at(ramp + 12) == 64.0f);
    assert_true(float_at(ramp + 20) == 64.0f);
    assert_int_equal((int16_t)(ramp[24] | ramp[25] << 8), CONTENTS_SOLID);
    assert_int_equal(ramp[26] | ramp[27] << 8, 1);
    float slope = float_at(ramp + 28);
    assert_true(slope > 0.7071f);
    assert_true(slope < 0.70711f);
    assert_true(float_at(ramp + 36) == slope);
    assert_true(float_at(ramp + 32) == 0.0f);
    assert_true(float_at(ramp + 40) > 45.254f);
    assert_true(float_at(ramp + 40) < 45.255f);
    assert_ptr_equal(ramp + 28 + 16, end);
    // In the tree, the room is free above the slope and solid below it; a box touches the slope
    // with its lower edge.
    assert_int_equal(Contents_At(&c, 0, 0, 33, 32, 33), CONTENTS_EMPTY);
    assert_int_equal(Contents_At(&c, 0, 0, 31, 32, 31), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 0, 1, 32 + 16, 32, 32 + 24 - 0.1f), CONTENTS_SOLID);
    assert_int_equal(Contents_At(&c, 0, 1, 32 + 16, 32, 32 + 24 + 0.1f), CONTENTS_EMPTY);
    Compile_Free(&c);
}

/// Tests that the same text gives the same bytes, and that Valve 220 and Standard sources of the
/// same brushes do, too.
static void test_same_bytes(void **state) {
    (void)state;
    compiled_t a;
    compiled_t b;
    start_room(&text);
    finish_room(&text);
    Compile_Text(&a, &text, false);
    Compile_Text(&b, &text, false);
    assert_int_equal(a.result.bsp_size, b.result.bsp_size);
    assert_memory_equal(a.result.bsp, b.result.bsp, a.result.bsp_size);
    Compile_Free(&b);
    // Axes of the sides of a box, in the order of Text_Box.
    static const char *const axes[] = {"[ 0 1 0 0 ] [ 0 0 -1 0 ]", "[ 1 0 0 0 ] [ 0 0 -1 0 ]",
                                       "[ 1 0 0 0 ] [ 0 -1 0 0 ]"};
    int side = 0;
    text_two.used = 0;
    for (const char *line = text.text; *line;) {
        const char *end = strchr(line, '\n');
        const char *alignment = strstr(line, " stone 0 0 0 1 1");
        if (alignment && alignment < end) {
            Text_Add(&text_two, "%.*s stone %s 0 1 1\n", (int)(alignment - line), line,
                     axes[side++ % 6 / 2]);
        } else {
            Text_Add(&text_two, "%.*s\n", (int)(end - line), line);
        }
        line = end + 1;
    }
    Compile_Text(&b, &text_two, false);
    assert_int_equal(a.result.bsp_size, b.result.bsp_size);
    assert_memory_equal(a.result.bsp, b.result.bsp, a.result.bsp_size);
    Compile_Free(&a);
    Compile_Free(&b);
}

/// Tests a low memory limit: at any point, the compilation ends with a message.
static void test_memory_limit(void **state) {
    (void)state;
    static const int tub[6] = {100, 100, 0, 300, 300, 80};
    start_room(&text);
    Text_Box(&text, tub, "*lava");
    finish_room(&text);
    int failed = 0;
    for (size_t kib = 256; kib <= 16384; kib += 256) {
        mc_options_t options = {.memory_bytes = kib * 1024};
        compiled_t c;
        Compile_Bytes(&c, text.text, text.used, &options);
        assert_true(c.outcome == MC_COMPILED || c.outcome == MC_FAILED);
        if (c.outcome == MC_FAILED) {
            assert_string_equal(
                c.said,
                "t.map: error: the map needs more memory than the limit allows; simplify it\n");
            failed++;
        }
        Compile_Free(&c);
    }
    assert_true(failed > 2);
    assert_true(failed < 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halflife_hulls), cmocka_unit_test(test_bsp2),
        cmocka_unit_test(test_brush_list),     cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_memory_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
