// Tests which solid brushes of Quake II and III maps are glass or grates.

#include "lib/ibsp_fixture.h"
#include "lib/testing.h"

#include "collide/cmodel.h"

enum {
    SOLID = 1,
    WINDOW = 2,
    WATER = 32,
    SEE_THROUGH_Q2 = 0x10000000,
    SEE_THROUGH_Q3 = 0x20000000
};

#define CELL(n)                                                                                    \
    {                                                                                              \
        {64.0f * (float)(n), 0.0f, 0.0f}, {                                                        \
            64.0f * (float)(n) + 32.0f, 32.0f, 32.0f                                               \
        }                                                                                          \
    }

static const test_ibsp_brush_t brushes[] = {
    {.box = CELL(0), .flags = SOLID},
    {.box = CELL(1), .flags = WINDOW},
    {.box = CELL(2), .flags = SOLID | SEE_THROUGH_Q2},
    {.box = CELL(3), .flags = SOLID | SEE_THROUGH_Q3},
    {.box = CELL(4), .flags = WATER | SEE_THROUGH_Q2 | SEE_THROUGH_Q3},
    {.box = CELL(5), .flags = SOLID, .model = 1},
    {.box = CELL(6), .flags = SOLID | SEE_THROUGH_Q2 | SEE_THROUGH_Q3, .model = 1},
};

// Returns a bit per brush: a small box that touches its side touches glass.
static int32_t find_glass(const cmap_t *map) {
    int32_t found = 0;
    for (size_t i = 0; i < COUNTOF(brushes); i++) {
        const bounds_t cell = brushes[i].box;
        const bounds_t box = {{cell.maxs.x - 1.0f, 15.0f, 15.0f},
                              {cell.maxs.x + 1.0f, 17.0f, 17.0f}};
        const bounds_t away = {{cell.maxs.x + 1.0f, 15.0f, 15.0f},
                               {cell.maxs.x + 3.0f, 17.0f, 17.0f}};
        found |= CM_IsSeeThrough(map, brushes[i].model, box) ? 1 << i : 0;
        assert_false(CM_IsSeeThrough(map, brushes[i].model, away));
    }
    return found;
}

static void test_brushes(void **state) {
    (void)state;
    test_ibsp_t test = {.version = 38,
                        .brushes = brushes,
                        .num_brushes = (int32_t)COUNTOF(brushes),
                        .num_models = 2};
    cmap_t map;
    assert_true(TestIbsp_Build(&map, &test));
    assert_int_equal(find_glass(&map), 1 << 1 | 1 << 2 | 1 << 6);
    CM_FreeMap(&map);
    test.version = 46; // flag 2 is nothing, so brush 1 is left out
    assert_true(TestIbsp_Build(&map, &test));
    assert_int_equal(find_glass(&map), 1 << 3 | 1 << 6);
    CM_FreeMap(&map);
}

static void test_curves(void **state) {
    (void)state;
    static const vec3_t points[9] = {{0, 0, 0},    {0, 0, 32},    {0, 0, 64},
                                     {32, 128, 0}, {32, 128, 32}, {32, 128, 64},
                                     {64, 0, 0},   {64, 0, 32},   {64, 0, 64}};
    const bounds_t box = {{30.0f, 60.0f, 30.0f}, {34.0f, 68.0f, 34.0f}};
    for (int32_t i = 0; i < 2; i++) {
        const test_ibsp_patch_t patch = {points, 3, 3, SOLID | (i == 1 ? SEE_THROUGH_Q3 : 0)};
        const test_ibsp_brush_t far = {.box = CELL(9), .flags = SOLID};
        const test_ibsp_t test = {.version = 46,
                                  .brushes = &far,
                                  .num_brushes = 1,
                                  .num_models = 1,
                                  .patches = &patch,
                                  .num_patches = 1};
        cmap_t map;
        assert_true(TestIbsp_Build(&map, &test));
        assert_true(CM_IsSeeThrough(&map, 0, box) == (i == 1));
        CM_FreeMap(&map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brushes),
        cmocka_unit_test(test_curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
