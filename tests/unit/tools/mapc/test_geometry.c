// Tests of polygons, the table of planes, shaping brushes, and growing them for hulls.

#include "base/rng.h"
#include "collide/brush/brush_build.h"
#include "lib/testing.h"
#include "mapc/hull.h"
#include "mapc/output.h"

#include <string.h>

/// Stores pools and a table for one test.
typedef struct {
    mc_fail_t fail;
    size_t budget_bytes;
    mc_pools_t pools;
    mc_planes_t table;
} bench_t;

static int set_up(void **state) {
    bench_t *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->budget_bytes = (size_t)256 << 20;
    b->pools.keep = (mc_pool_t){.budget_bytes = &b->budget_bytes, .fail = &b->fail};
    b->pools.temp = b->pools.keep;
    MC_InitPlanes(&b->table, &b->pools.keep);
    *state = b;
    return 0;
}

static int tear_down(void **state) {
    bench_t *b = *state;
    MC_FreePool(&b->pools.keep);
    MC_FreePool(&b->pools.temp);
    assert_int_equal(b->budget_bytes, (size_t)256 << 20);
    free(b);
    return 0;
}

static planeref_t plane_of(bench_t *b, double x, double y, double z, double dist) {
    dvec_t n = DV(x, y, z);
    double length = DV_Length(n);
    return MC_FindPlane(&b->table, (dplane_t){DV_Scale(n, 1.0 / length), dist / length});
}

static mc_brush_fault_t shape_box(bench_t *b, mc_brush_t *brush, dvec_t lo, dvec_t hi) {
    planeref_t planes[6] = {plane_of(b, 1, 0, 0, hi.x), plane_of(b, -1, 0, 0, -lo.x),
                            plane_of(b, 0, 1, 0, hi.y), plane_of(b, 0, -1, 0, -lo.y),
                            plane_of(b, 0, 0, 1, hi.z), plane_of(b, 0, 0, -1, -lo.z)};
    return MC_ShapeBrush(&b->pools, &b->table, brush, planes, 6);
}

static void test_pool(void **state) {
    bench_t *b = *state;
    mc_pool_t *pool = &b->pools.temp;
    mc_mark_t mark = MC_Mark(pool);
    uint8_t *first = MC_Alloc(pool, 10, 3);
    memset(first, 0xff, 30);
    mc_mark_t inner = MC_Mark(pool);
    MC_Alloc(pool, 3000000, 1);
    MC_Release(pool, inner);
    uint8_t *second = MC_Alloc(pool, 16, 1);
    assert_ptr_equal(second, first + 32);
    assert_int_equal(((uintptr_t)second) % 16, 0);
    MC_Release(pool, mark);
    uint8_t *again = MC_Alloc(pool, 30, 1);
    for (int i = 0; i < 30; i++) {
        assert_int_equal(again[i], 0);
    }
}

static void test_pool_budget(void **state) {
    bench_t *b = *state;
    volatile int jumps = 0;
    if (setjmp(b->fail.where) == 0) {
        MC_Alloc(&b->pools.temp, SIZE_MAX / 8, 16);
        fail();
    }
    jumps++;
    if (setjmp(b->fail.where) == 0) {
        MC_Alloc(&b->pools.temp, (size_t)300 << 20, 1);
        fail();
    }
    assert_int_equal(jumps, 1);
    assert_non_null(strstr(b->fail.text, "memory"));
}

static void test_split_winding(void **state) {
    bench_t *b = *state;
    mc_pool_t *pool = &b->pools.temp;
    dplane_t floor = {{0, 0, 1}, 8};
    const winding_t *w = MC_PlaneWinding(pool, &floor);
    dplane_t walls[4] = {{{1, 0, 0}, 10}, {{-1, 0, 0}, 10}, {{0, 1, 0}, 5}, {{0, -1, 0}, 5}};
    for (int i = 0; i < 4; i++) {
        w = MC_ClipWinding(pool, w, &walls[i], 1e-4);
        assert_non_null(w);
    }
    assert_int_equal(w->num_points, 4);
    assert_true(fabs(MC_WindingArea(w) - 200.0) < 1e-9);
    assert_true(fabs(MC_WindingWidth(w) - 400.0 / 60.0) < 1e-9);
    dplane_t cut = {{0.6, 0.8, 0}, 0};
    const winding_t *parts[2];
    assert_int_equal(MC_SplitWinding(pool, w, &cut, 1e-4, parts), MC_SIDE_CROSS);
    assert_true(fabs(MC_WindingArea(parts[0]) - 100.0) < 1e-9);
    assert_true(fabs(MC_WindingArea(parts[1]) - 100.0) < 1e-9);
    assert_int_equal(MC_SplitWinding(pool, w, &walls[0], 1e-4, parts), MC_SIDE_BACK);
    assert_ptr_equal(parts[1], w);
    assert_null(parts[0]);
    assert_int_equal(MC_SplitWinding(pool, w, &floor, 1e-4, parts), MC_SIDE_ON);
    assert_null(parts[0]);
    assert_null(parts[1]);
}

static void test_plane_table(void **state) {
    bench_t *b = *state;
    planeref_t up = plane_of(b, 0, 0, 1, 64);
    assert_int_equal(plane_of(b, 0, 0, 1, 64.004), up);
    assert_int_equal(plane_of(b, 0, 0, -1, -64), up ^ 1);
    assert_int_not_equal(plane_of(b, 0, 0, 1, 64.02), up);
    assert_int_equal(plane_of(b, 1e-7, 0, 1, 64), up);
    // A slanted plane written from either side, or with other last bits, is the same plane.
    planeref_t diagonal = plane_of(b, 1, -1, 0, 100);
    assert_int_equal(plane_of(b, 1, -1.000000001, 0, 100), diagonal);
    assert_int_equal(plane_of(b, -1.000000001, 1, 0, -100), diagonal ^ 1);
    dplane_t stored = MC_PlaneOf(&b->table, diagonal);
    assert_true(stored.normal.x > 0.0);
    assert_int_equal(MC_PlaneType(&stored), 3);
    dplane_t floor = MC_PlaneOf(&b->table, up);
    assert_int_equal(MC_PlaneType(&floor), 2);
    // A distance that is almost an integer is rounded to it.
    planeref_t near = plane_of(b, 1, 0, 0, 255.99999);
    assert_true(MC_PlaneOf(&b->table, near).dist == 256.0);
}

static void test_plane_from_points(void **state) {
    (void)state;
    dplane_t plane;
    dvec_t top[3] = {{0, 0, 32}, {0, 64, 32}, {64, 0, 32}};
    assert_true(MC_PlaneFromPoints(top, &plane));
    assert_true(plane.normal.z == 1.0);
    assert_true(plane.dist == 32.0);
    dvec_t line[3] = {{0, 0, 0}, {1, 2, 3}, {2, 4, 6}};
    assert_false(MC_PlaneFromPoints(line, &plane));
    dvec_t point[3] = {{5, 5, 5}, {5, 5, 5}, {5, 5, 5}};
    assert_false(MC_PlaneFromPoints(point, &plane));
}

static void test_shape_faults(void **state) {
    bench_t *b = *state;
    mc_brush_t brush;
    assert_int_equal(shape_box(b, &brush, DV(0, 0, 0), DV(8, 16, 32)), BRUSH_GOOD);
    assert_int_equal(brush.num_sides, 6);
    assert_true(brush.bounds.maxs.y == 16.0);
    assert_true(brush.bounds.mins.z == 0.0);
    assert_int_equal(shape_box(b, &brush, DV(8, 0, 0), DV(0, 16, 32)), BRUSH_NO_VOLUME);
    assert_int_equal(shape_box(b, &brush, DV(8, 0, 0), DV(8, 16, 32)), BRUSH_NO_VOLUME);
    planeref_t open[5] = {plane_of(b, 1, 0, 0, 8), plane_of(b, -1, 0, 0, 0),
                          plane_of(b, 0, 1, 0, 8), plane_of(b, 0, -1, 0, 0),
                          plane_of(b, 0, 0, 1, 8)};
    assert_int_equal(MC_ShapeBrush(&b->pools, &b->table, &brush, open, 5), BRUSH_OPEN);
    assert_int_equal(MC_ShapeBrush(&b->pools, &b->table, &brush, open, 0), BRUSH_NO_VOLUME);
}

/// Tests a side that is hidden by others: it is dropped.
static void test_hidden_side(void **state) {
    bench_t *b = *state;
    mc_brush_t brush;
    planeref_t planes[7] = {plane_of(b, 1, 0, 0, 8),  plane_of(b, -1, 0, 0, 0),
                            plane_of(b, 0, 1, 0, 8),  plane_of(b, 0, -1, 0, 0),
                            plane_of(b, 0, 0, 1, 8),  plane_of(b, 0, 0, -1, 0),
                            plane_of(b, 1, 1, 1, 100)};
    assert_int_equal(MC_ShapeBrush(&b->pools, &b->table, &brush, planes, 7), BRUSH_GOOD);
    assert_int_equal(brush.num_sides, 6);
}

/// Makes a random solid around the origin: a box cut by a few planes.
static void random_brush(bench_t *b, rng_t *rng, mc_brush_t *brush) {
    do {
        planeref_t planes[12];
        int32_t count = 0;
        for (int axis = 0; axis < 3; axis++) {
            double hi = 8.0 + (double)Rng_Below(rng, 60);
            double lo = 8.0 + (double)Rng_Below(rng, 60);
            dvec_t n = DV_AxisVector(axis, 1.0);
            planes[count++] = plane_of(b, n.x, n.y, n.z, hi);
            planes[count++] = plane_of(b, -n.x, -n.y, -n.z, lo);
        }
        for (uint32_t cuts = Rng_Below(rng, 6); cuts > 0; cuts--) {
            dvec_t n = DV((double)Rng_Range(rng, -1, 1), (double)Rng_Range(rng, -1, 1),
                          (double)Rng_Range(rng, -1, 1));
            if (DV_Length(n) > 0.1) {
                planes[count++] =
                    plane_of(b, n.x, n.y, n.z, DV_Length(n) * (double)Rng_Range(rng, 5, 50));
            }
        }
        *brush = (mc_brush_t){0};
        if (MC_ShapeBrush(&b->pools, &b->table, brush, planes, count) == BRUSH_GOOD) {
            return;
        }
    } while (true);
}

/// Returns true if the brush and a box overlap: the brush cut by the box's sides still has a
/// volume. This does not depend on how brushes are grown.
static bool overlaps(bench_t *b, const mc_brush_t *brush, dvec_t lo, dvec_t hi) {
    mc_mark_t mark = MC_Mark(&b->pools.temp);
    bool meets = false;
    for (int32_t i = 0; i < brush->num_sides && !meets; i++) {
        const winding_t *w = brush->sides[i].winding;
        for (int axis = 0; axis < 3 && w; axis++) {
            dplane_t high = {DV_AxisVector(axis, 1.0), DV_Axis(hi, axis)};
            dplane_t low = {DV_AxisVector(axis, -1.0), -DV_Axis(lo, axis)};
            w = MC_ClipWinding(&b->pools.temp, w, &high, 0.0);
            w = w ? MC_ClipWinding(&b->pools.temp, w, &low, 0.0) : NULL;
        }
        meets = w != NULL;
    }
    MC_Release(&b->pools.temp, mark);
    if (meets) {
        return true;
    }
    // No side of the brush cuts the box, so the box is completely inside or outside.
    for (int32_t i = 0; i < brush->num_sides; i++) {
        dplane_t plane = MC_PlaneOf(&b->table, brush->sides[i].plane);
        if (DP_Distance(&plane, DV_Scale(DV_Add(lo, hi), 0.5)) > 0.0) {
            return false;
        }
    }
    return true;
}

static double brush_distance(const bench_t *b, const mc_brush_t *brush, dvec_t p) {
    double most = -1e30;
    for (int32_t i = 0; i < brush->num_sides; i++) {
        dplane_t plane = MC_PlaneOf(&b->table, brush->sides[i].plane);
        most = fmax(most, DP_Distance(&plane, p));
    }
    return most;
}

/// Tests that a point is in the grown brush exactly if the box at this point overlaps the brush.
static void test_grown_is_exact(void **state) {
    bench_t *b = *state;
    const uint64_t seed = 20240611;
    rng_t rng = {seed};
    const int brushes = Test_IsLong() ? 3000 : 150;
    int checked = 0;
    for (int i = 0; i < brushes; i++) {
        mc_brush_t brush;
        random_brush(b, &rng, &brush);
        dbounds_t box = MC_HullBox((i & 1) != 0, 1 + i % 2);
        mc_brush_t grown = {0};
        assert_true(MC_GrowBrush(&b->pools, &b->table, &brush, box, &grown));
        for (int k = 0; k < 200; k++) {
            dvec_t p = DV((double)Rng_Range(&rng, -130, 130), (double)Rng_Range(&rng, -130, 130),
                          (double)Rng_Range(&rng, -130, 130));
            double d = brush_distance(b, &grown, p);
            if (fabs(d) < 0.05) {
                continue;
            }
            bool meets = overlaps(b, &brush, DV_Add(p, box.mins), DV_Add(p, box.maxs));
            if (meets != (d < 0.0)) {
                fail_msg("seed %llu brush %d: box at (%g %g %g) %s the brush, distance %g",
                         (unsigned long long)seed, i, p.x, p.y, p.z, meets ? "meets" : "misses", d);
            }
            checked++;
        }
    }
    assert_true(checked > brushes * 150);
}

static void keep_line(void *context, const char *line) {
    strlcpy(context, line, 256);
}

/// Tests that the list of brushes is checked as by a server: the error names the first brush beyond
/// the limit.
static void test_brush_list_is_checked(void **state) {
    bench_t *b = *state;
    enum { OBLIQUE = 122, COST = (OBLIQUE + 6) * (OBLIQUE + 6), FIT = MAX_BRUSH_WORK / COST };
    mc_side_poly_t sides[OBLIQUE];
    for (int32_t i = 0; i < OBLIQUE; i++) {
        sides[i].plane = plane_of(b, 1.0, 2.0 + i, 3.0, 64.0);
    }
    // Brushes without volume cost as much as others, and this test need not shape them.
    mc_brush_t *brushes = calloc(FIT + 2, sizeof *brushes);
    assert_non_null(brushes);
    for (int32_t i = 0; i < FIT + 2; i++) {
        brushes[i] = (mc_brush_t){.sides = sides,
                                  .num_sides = OBLIQUE,
                                  .line = 1000 + i,
                                  .contents = CONTENTS_SOLID,
                                  .bounds = {{0, 0, 0}, {64, 64, 0}}};
    }
    mc_model_t models[2] = {{.brushes = brushes, .num_brushes = 7},
                            {.brushes = brushes + 7, .num_brushes = FIT - 7}};
    mc_scene_t scene = {.models = models, .num_models = 2};
    char said[256] = "";
    mc_report_t report = {.line = keep_line, .context = said, .name = "t.map"};
    assert_true(MC_CheckBrushList(&report, &b->table, &scene));
    assert_non_null(strstr(said, "warning: the brush is too thin for the brush list"));
    models[1].num_brushes++;
    assert_false(MC_CheckBrushList(&report, &b->table, &scene));
    char line[64];
    snprintf(line, sizeof line, "t.map:%d: error: the brushes are too complex for servers",
             1000 + FIT);
    assert_memory_equal(said, line, strlen(line));
    free(brushes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pool, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pool_budget, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_split_winding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plane_table, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plane_from_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shape_faults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_hidden_side, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_grown_is_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_brush_list_is_checked, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
