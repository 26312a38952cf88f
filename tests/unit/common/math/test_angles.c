// Tests of the project's sine, cosine and arc tangent against libm in double precision; of view
// vectors; of wire angles.

#include "lib/testing.h"

#include "base/rng.h"
#include "math/angles.h"
#include "math/bounds.h"
#include "math/plane.h"

#include <math.h>
#include <string.h>

#define RAD (3.14159265358979323846 / 180.0)

static void test_sine_and_cosine_match_libm(void **state) {
    (void)state;
    rng_t rng = {1};
    for (int i = 0; i < 200000; i++) {
        float degrees = Rng_Range(&rng, -1000.0f, 1000.0f);
        float s, c;
        SinCos(degrees, &s, &c);
        assert_true(fabs((double)s - sin((double)degrees * RAD)) < 6.1e-8);
        assert_true(fabs((double)c - cos((double)degrees * RAD)) < 6.1e-8);
    }
}

static void test_quarter_turns_are_exact(void **state) {
    (void)state;
    static const float expected[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    for (int i = -40; i < 40; i++) {
        float s, c;
        SinCos(90.0f * (float)i, &s, &c);
        assert_true(s == expected[i & 3][0]);
        assert_true(c == expected[i & 3][1]);
    }
    float s, c;
    SinCos(NAN, &s, &c);
    assert_true(s == 0.0f);
    assert_true(c == 1.0f);
    SinCos(1e20f, &s, &c);
    assert_true(s == 0.0f);
    assert_true(c == 1.0f);
}

static void test_arc_tangent_matches_libm(void **state) {
    (void)state;
    rng_t rng = {2};
    for (int i = 0; i < 200000; i++) {
        float x = Rng_Range(&rng, -10.0f, 10.0f);
        float y = Rng_Range(&rng, -10.0f, 10.0f);
        assert_true(fabs((double)Atan2(y, x) - atan2((double)y, (double)x) / RAD) < 2e-5);
    }
    assert_true(Atan2(0.0f, 0.0f) == 0.0f);
    assert_true(Atan2(0.0f, -1.0f) == 180.0f);
    assert_true(Atan2(1.0f, 0.0f) == 90.0f);
    assert_true(Atan2(-1.0f, 0.0f) == -90.0f);
}

static void test_views_are_orthonormal(void **state) {
    (void)state;
    rng_t rng = {3};
    vec3_t f, r, u;
    AngleVectors(Vector(0.0f, 90.0f, 0.0f), &f, &r, &u);
    assert_true(VectorCompare(f, Vector(0, 1, 0)));
    assert_true(VectorCompare(r, Vector(1, 0, 0)));
    AngleVectors(Vector(90.0f, 0.0f, 0.0f), &f, NULL, NULL);
    assert_true(VectorCompare(f, Vector(0, 0, -1))); // pitch > 0 looks down
    for (int i = 0; i < 10000; i++) {
        vec3_t angles = {Rng_Range(&rng, -89, 89), Rng_Range(&rng, 0, 360),
                         Rng_Range(&rng, -180, 180)};
        AngleVectors(angles, &f, &r, &u);
        assert_true(fabsf(VectorLength(f) - 1.0f) < 1e-6f);
        assert_true(fabsf(DotProduct(f, r)) < 1e-6f);
        // The axes are right-handed: forward x right points down.
        assert_true(VectorLength(VectorAdd(CrossProduct(f, r), u)) < 1e-6f);
        vec3_t back = VectorAngles(f);
        assert_true(fabsf(back.x - angles.x) < 1e-3f);
        assert_true(fabsf(AngleNormalize180(back.y - angles.y)) < 2e-2f);
    }
}

static void test_wire_angles_round_trip(void **state) {
    (void)state;
    for (int32_t i = 0; i < 65536; i++) {
        assert_int_equal(AngleToShort(ShortToAngle((uint16_t)i)), i);
    }
    assert_int_equal(AngleToShort(-90.0f), 49152);
    assert_int_equal(AngleToShort(359.9999f), 0);
    assert_int_equal(AngleToShort(NAN), 0);
    assert_true(AngleMod(-1e-10f) < 360.0f);
    assert_true(AngleMod(720.0f) == 0.0f);
}

static void test_planes_and_boxes(void **state) {
    (void)state;
    plane_t wall = {{1.0f, 0.0f, 0.0f}, 10.0f, PLANE_X};
    plane_t same = {{1.0f, 0.0f, 0.0f}, 10.0f, PLANE_ANY};
    vec3_t p = {13.0f, 5.0f, 2.0f};
    assert_true(PlaneDiff(p, &wall) == 3.0f);
    assert_true(PlaneDiff(p, &same) == 3.0f);
    bounds_t a = {{0, 0, 0}, {1, 1, 1}};
    bounds_t b = {{1, 1, 1}, {2, 2, 2}};
    assert_true(BoundsTouch(a, b));
    b.mins.x = 1.001f;
    assert_false(BoundsTouch(a, b));
    assert_true(VectorCompare(BoundsUnion(a, b).maxs, Vector(2, 2, 2)));
    assert_false(VectorWithin(Vector(NAN, 0, 0), 10.0f));
    float length = 1.0f;
    assert_true(VectorCompare(VectorNormalize(Vector(0, 0, 0), &length), Vector(0, 0, 0)));
    assert_true(length == 0.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sine_and_cosine_match_libm),
        cmocka_unit_test(test_quarter_turns_are_exact),
        cmocka_unit_test(test_arc_tangent_matches_libm),
        cmocka_unit_test(test_views_are_orthonormal),
        cmocka_unit_test(test_wire_angles_round_trip),
        cmocka_unit_test(test_planes_and_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
