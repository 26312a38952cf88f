// Convex polygons: their measures, and cuts at a line.

#include "core/polygon.h"

#include "lib/testing.h"

#include "base/rng.h"

#include <math.h>

static polygon_t rectangle(float x, float y) {
    return Polygon_Rectangle(&(rect_t){{0.0f, 0.0f}, {x, y}});
}

static void test_measures(void **state) {
    (void)state;
    const polygon_t polygon = rectangle(4.0f, 2.0f);
    const point_t middle = Polygon_Middle(&polygon);
    const rect_t range = Polygon_Range(&polygon);
    assert_float_equal(Polygon_Area(&polygon), 8.0f, 0.0f);
    assert_float_equal(middle.x, 2.0f, 0.0f);
    assert_float_equal(middle.y, 1.0f, 0.0f);
    assert_float_equal(range.low.x, 0.0f, 0.0f);
    assert_float_equal(range.high.y, 2.0f, 0.0f);
    assert_false(Polygon_IsNarrow(&polygon, 1.9f));
    assert_true(Polygon_IsNarrow(&polygon, 2.0f));
    assert_true(Polygon_IsNarrow(&(polygon_t){0}, 0.0f));
}

static void test_cuts(void **state) {
    (void)state;
    polygon_t polygon = rectangle(4.0f, 2.0f);
    Polygon_Clip(&polygon, 1.0f, 0.0f, 1.0f); // all of it is inside
    assert_int_equal(polygon.count, 4);
    Polygon_Clip(&polygon, -1.0f, 0.0f, 1.0f); // x <= 1
    assert_float_equal(Polygon_Area(&polygon), 2.0f, 0.0f);
    Polygon_Clip(&polygon, -1.0f, -1.0f, 0.5f); // a triangle is left
    assert_int_equal(polygon.count, 3);
    assert_float_equal(Polygon_Area(&polygon), 0.125f, 0.0f);
    Polygon_Clip(&polygon, 1.0f, 0.0f, -2.0f);
    assert_int_equal(polygon.count, 0);
    Polygon_Clip(&polygon, 1.0f, 0.0f, -2.0f); // an empty one stays empty
    assert_int_equal(polygon.count, 0);
}

// Both sides of a cut have the area of the whole.
static void test_random_cuts(void **state) {
    (void)state;
    rng_t rng = {5};
    for (int32_t run = 0; run < 1000; run++) {
        polygon_t polygon = rectangle(8.0f, 8.0f);
        for (int32_t i = 0; i < 8 && Polygon_Area(&polygon) > 0.01f; i++) {
            const point_t at = Polygon_Middle(&polygon);
            const float a = Rng_Range(&rng, -1.0f, 1.0f);
            const float b = Rng_Range(&rng, -1.0f, 1.0f);
            const float c = -a * at.x - b * at.y + Rng_Range(&rng, -1.0f, 1.0f);
            polygon_t other = polygon;
            const float area = Polygon_Area(&polygon);
            assert_true(Polygon_Clip(&other, -a, -b, -c) && Polygon_Clip(&polygon, a, b, c));
            assert_true(fabsf(Polygon_Area(&polygon) + Polygon_Area(&other) - area) <=
                        0.001f * area + 0.0001f);
        }
    }
}

// A polygon with all its corners may lose two of them at once, but not one for two new ones.
static void test_too_many_corners(void **state) {
    (void)state;
    polygon_t full = {.count = POLYGON_CORNERS};
    for (int32_t i = 0; i < full.count; i++) {
        const float angle_rad = 6.2831853f * (float)i / (float)full.count;
        full.at[i] = (point_t){cosf(angle_rad), sinf(angle_rad)};
    }
    polygon_t polygon = full;
    assert_false(Polygon_Clip(&polygon, -1.0f, 0.0f, 0.99f));
    assert_memory_equal(&polygon, &full, sizeof full);
    assert_true(Polygon_Clip(&polygon, -1.0f, -0.3f, 0.9f));
    assert_int_equal(polygon.count, POLYGON_CORNERS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_random_cuts),
        cmocka_unit_test(test_too_many_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
