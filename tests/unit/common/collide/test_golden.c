// Tests of sweeps through test rooms, compared bit for bit with tests/golden/trace_room.txt and
// brush.txt.

#include "base/rng.h"
#include "lib/brush_runs_fixture.h"
#include "lib/golden_fixture.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"

enum { SWEEPS_A_HULL = 60 };

static cmap_t make_room(const char *format) {
    const test_block_t blocks[] = {
        TestMap_Box(Vector(96.0f, -160.0f, 0.0f), Vector(160.0f, 160.0f, 72.0f)),
        TestMap_Box(Vector(-200.0f, 100.0f, 0.0f), Vector(-100.0f, 200.0f, 18.0f)),
        TestMap_RampX(Vector(-240.0f, -240.0f, 0.0f), Vector(-64.0f, -100.0f, 96.0f)),
        TestMap_RampX(Vector(0.0f, -240.0f, 0.0f), Vector(300.0f, -180.0f, 60.0f)),
        {.box = {{-80.0f, -80.0f, 150.0f}, {80.0f, 80.0f, 160.0f}}, .contents = CONTENTS_CLIP},
        {.box = {{-256.0f, 0.0f, 0.0f}, {96.0f, 256.0f, 40.0f}}, .contents = CONTENTS_WATER},
        {.box = {{160.0f, -160.0f, 0.0f}, {320.0f, 160.0f, 30.0f}}, .contents = CONTENTS_LAVA},
        {.box = {{-12.0f, -50.0f, -12.0f}, {12.0f, 50.0f, 12.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
    };
    const test_map_t test = {.room = {{-320.0f, -320.0f, 0.0f}, {320.0f, 320.0f, 320.0f}},
                             .blocks = blocks,
                             .num_blocks = (int32_t)COUNTOF(blocks),
                             .format = format};
    cmap_t map;
    assert_true(TestMap_Build(&map, &test));
    return map;
}

static void print_trace(test_golden_t *golden, const char *what, int number, const trace_t *trace) {
    TestGolden_Print(golden, "%s %d fraction %a", what, number, (double)trace->fraction);
    TestGolden_Vector(golden, "end", trace->endpos);
    TestGolden_Vector(golden, "normal", trace->plane.normal);
    TestGolden_Print(golden, " dist %a contents %d%s%s\n", (double)trace->plane.dist,
                     trace->contents, trace->startsolid ? " startsolid" : "",
                     trace->allsolid ? " allsolid" : "");
}

static vec3_t random_vector(rng_t *rng, float size) {
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -0.2f * size, size));
}

static void print_room(test_golden_t *golden, const char *format) {
    cmap_t map = make_room(format);
    rng_t rng = {1};
    TestGolden_Print(golden, "# %s\n", format);
    for (int32_t hull = 0; hull < CM_NumHulls(map.hullset); hull++) {
        for (int i = 0; i < SWEEPS_A_HULL; i++) {
            vec3_t start = random_vector(&rng, 300.0f);
            vec3_t end = VectorAdd(start, random_vector(&rng, i % 2 ? 500.0f : 60.0f));
            trace_t trace = CM_HullTrace(&map.models[0].hulls[hull], start, end);
            print_trace(golden, hull == 0 ? "hull0" : hull == 1 ? "hull1" : "hull", i, &trace);
        }
    }
    for (int i = 0; i < SWEEPS_A_HULL; i++) {
        vec3_t start = random_vector(&rng, 120.0f);
        vec3_t end = random_vector(&rng, 120.0f);
        vec3_t mins = {-16.0f, -16.0f, 0.0f};
        vec3_t maxs = {16.0f, 16.0f, 56.0f};
        trace_t trace =
            CM_BoxTrace(&map, &(cm_object_t){.model = 1, .origin = Vector(7.0f, 11.0f, 60.0f)},
                        start, end, mins, maxs);
        print_trace(golden, "model", i, &trace);
        bounds_t box = {{-10.0f, 20.0f, 30.0f}, {30.0f, 40.0f, 90.0f}};
        trace = CM_BoxBoxTrace(box, start, end, mins, maxs);
        print_trace(golden, "box", i, &trace);
    }
    CM_FreeMap(&map);
}

static void test_room(void **state) {
    (void)state;
    test_golden_t golden = {NULL, 0, 0};
    print_room(&golden, "BSP29");
    print_room(&golden, "BSP30");
    assert_true(TestGolden_Check(&golden, "trace_room.txt"));
}

static void test_brushes(void **state) {
    (void)state;
    test_golden_t golden = {NULL, 0, 0};
    assert_true(TestBrushRuns_Print(&golden));
    assert_true(TestGolden_Check(&golden, "brush.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_room), cmocka_unit_test(test_brushes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
