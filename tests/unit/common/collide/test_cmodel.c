// Hull choice, models at places, combination of traces, contents and leafs.

#include "base/rng.h"
#include "lib/test_map.h"
#include "lib/testing.h"

static const vec3_t origin0 = {0.0f, 0.0f, 0.0f};

static cmap_t map_of(const char *format) {
    const test_block_t blocks[] = {
        TestMap_Box(Vector(64.0f, -64.0f, 0.0f), Vector(128.0f, 64.0f, 64.0f)),
        {.box = {{-256.0f, -256.0f, 0.0f}, {0.0f, 256.0f, 20.0f}}, .contents = CONTENTS_WATER},
        {.box = {{-8.0f, -8.0f, -8.0f}, {8.0f, 8.0f, 8.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
    };
    cmap_t map;
    assert_true(TestMap_Build(
        &map, &(test_map_t){.room = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}},
                            .blocks = blocks,
                            .num_blocks = (int32_t)COUNTOF(blocks),
                            .format = format}));
    return map;
}

typedef struct {
    vec3_t mins, maxs;
    int32_t hull;
    bool fits;
} size_case_t;

static void check_sizes(const cmap_t *map, const size_case_t *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        vec3_t offset;
        bool fits = false;
        const hull_t *hull = CM_HullForBox(map, 0, cases[i].mins, cases[i].maxs, &offset, &fits);
        assert_ptr_equal(hull, &map->models[0].hulls[cases[i].hull]);
        assert_int_equal(fits, cases[i].fits);
        // The hull's box stands on the same floor, and at the same side, as the box asked for.
        assert_true(VectorCompare(VectorAdd(offset, hull->clip_mins), cases[i].mins));
    }
}

static void test_hull_for_box(void **state) {
    (void)state;
    cmap_t map = map_of("BSP29");
    const size_case_t quake[] = {
        {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, 0, true},
        {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}, 0, false},
        {{-1.5f, -1.5f, -1.5f}, {1.5f, 1.5f, 1.5f}, 1, false}, // 3 wide: no longer a point
        {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}, 1, true},
        {{-16.0f, -16.0f, 0.0f}, {16.0f, 16.0f, 56.0f}, 1, true}, // the same box, other origin
        {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 31.0f}, 1, false},
        {{-16.0f, -20.0f, -24.0f}, {16.0f, 20.0f, 32.0f}, 1, false}, // only x counts
        {{-16.5f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}, 2, false},
        {{-32.0f, -32.0f, -24.0f}, {32.0f, 32.0f, 64.0f}, 2, true},
        {{-64.0f, -64.0f, -24.0f}, {64.0f, 64.0f, 64.0f}, 2, false},
    };
    check_sizes(&map, quake, COUNTOF(quake));
    CM_FreeMap(&map);
    map = map_of("BSP30");
    const size_case_t halflife[] = {
        {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, 0, true},
        {{-4.0f, -4.0f, -4.0f}, {4.0f, 4.0f, 4.0f}, 0, false},
        {{-5.0f, -4.0f, -4.0f}, {4.0f, 4.0f, 4.0f}, 3, false},
        {{-16.0f, -16.0f, -18.0f}, {16.0f, 16.0f, 18.0f}, 3, true},
        {{-16.0f, -16.0f, -36.0f}, {16.0f, 16.0f, 36.0f}, 1, true},
        {{-16.0f, -16.0f, 0.0f}, {16.0f, 16.0f, 37.0f}, 1, false},
        {{-18.0f, -16.0f, 0.0f}, {18.0f, 16.0f, 36.0f}, 3, false},
        {{-32.0f, -32.0f, -32.0f}, {32.0f, 32.0f, 32.0f}, 2, true},
    };
    check_sizes(&map, halflife, COUNTOF(halflife));
    assert_int_equal(CM_NumHulls(HULLSET_QUAKE), 3);
    assert_int_equal(CM_NumHulls(HULLSET_HALFLIFE), 4);
    CM_FreeMap(&map);
}

/// A model moved to a place answers as the model at zero does to a sweep moved the other way.
static void test_box_trace_origin(void **state) {
    (void)state;
    cmap_t map = map_of("BSP2");
    rng_t rng = {3};
    const vec3_t mins = {-16.0f, -16.0f, -24.0f};
    const vec3_t maxs = {16.0f, 16.0f, 32.0f};
    int hits = 0;
    for (int i = 0; i < 20000; i++) {
        vec3_t place = {Rng_Range(&rng, -900.0f, 900.0f), Rng_Range(&rng, -900.0f, 900.0f),
                        Rng_Range(&rng, -900.0f, 900.0f)};
        vec3_t start = {Rng_Range(&rng, -90.0f, 90.0f), Rng_Range(&rng, -90.0f, 90.0f),
                        Rng_Range(&rng, -90.0f, 90.0f)};
        vec3_t end = {Rng_Range(&rng, -90.0f, 90.0f), Rng_Range(&rng, -90.0f, 90.0f),
                      Rng_Range(&rng, -90.0f, 90.0f)};
        trace_t at_zero =
            CM_BoxTrace(&map, &(cm_place_t){.model = 1, .origin = origin0}, start, end, mins, maxs);
        trace_t moved = CM_BoxTrace(&map, &(cm_place_t){.model = 1, .origin = place},
                                    VectorAdd(start, place), VectorAdd(end, place), mins, maxs);
        if (at_zero.startsolid || moved.startsolid) {
            continue;
        }
        assert_true(fabsf(at_zero.fraction - moved.fraction) < 2e-4f);
        vec3_t back = VectorSubtract(moved.endpos, place);
        assert_true(VectorLength(VectorSubtract(back, at_zero.endpos)) < 0.05f);
        if (moved.fraction < 1.0f) {
            hits++;
            assert_true(VectorCompare(moved.plane.normal, at_zero.plane.normal));
            // The plane that the box's origin hits, in world space.
            float off = DotProduct(moved.plane.normal, moved.endpos) - moved.plane.dist;
            assert_true(off > -1e-3f && off < CM_DIST_EPSILON + 1e-3f);
        }
    }
    assert_true(hits > 1000);
    // The world itself: the hull's answer to the bit.
    trace_t direct = CM_HullTrace(&map.models[0].hulls[1], Vector(0.0f, 1.0f, 60.0f),
                                  Vector(99.0f, 3.0f, 40.0f));
    trace_t boxed = CM_BoxTrace(&map, &(cm_place_t){.origin = origin0}, Vector(0.0f, 1.0f, 60.0f),
                                Vector(99.0f, 3.0f, 40.0f), mins, maxs);
    assert_true(direct.fraction == boxed.fraction && direct.fraction < 1.0f);
    assert_true(VectorCompare(direct.endpos, boxed.endpos));
    // A box with its origin at the feet stands as high as one with it in the belly.
    trace_t feet = CM_BoxTrace(&map, &(cm_place_t){.origin = origin0}, Vector(-50.0f, 0.0f, 90.0f),
                               Vector(-50.0f, 0.0f, -90.0f), Vector(-16.0f, -16.0f, 0.0f),
                               Vector(16.0f, 16.0f, 56.0f));
    assert_true(fabsf(feet.endpos.z - CM_DIST_EPSILON) < 1e-4f);
    CM_FreeMap(&map);
}

static trace_t make_trace(float fraction, int32_t entnum, bool startsolid, bool allsolid) {
    return (trace_t){.fraction = fraction,
                     .entnum = entnum,
                     .startsolid = startsolid,
                     .allsolid = allsolid,
                     .contents = CONTENTS_EMPTY};
}

static trace_t combine(trace_t total, trace_t next) {
    CM_CombineTrace(&total, &next);
    return total;
}

static void test_combine(void **state) {
    (void)state;
    const trace_t none = make_trace(1.0f, TRACE_NOTHING, false, false);
    trace_t t = combine(none, make_trace(0.5f, 3, false, false));
    assert_true(t.fraction == 0.5f && t.entnum == 3 && !t.startsolid);
    t = combine(t, make_trace(0.7f, 4, false, false));
    assert_true(t.fraction == 0.5f && t.entnum == 3);
    t = combine(t, make_trace(0.5f, 5, false, false));
    assert_int_equal(t.entnum, 3); // of two equally near the first
    t = combine(t, make_trace(0.2f, 6, false, false));
    assert_true(t.fraction == 0.2f && t.entnum == 6);
    // A start in solid sticks, and does not lengthen what was stopped before.
    t = combine(t, make_trace(1.0f, 7, true, false));
    assert_true(t.fraction == 0.2f && t.entnum == 6 && t.startsolid && !t.allsolid);
    t = combine(t, make_trace(0.1f, 8, false, false));
    assert_true(t.fraction == 0.1f && t.entnum == 8 && t.startsolid);
    t = combine(t, make_trace(0.0f, 9, true, true));
    assert_true(t.fraction == 0.0f && t.entnum == 9 && t.allsolid);
    t = combine(t, make_trace(0.0f, 10, true, true));
    assert_int_equal(t.entnum, 9);
    // Nothing hit, but stuck in something: it says in what.
    t = combine(none, make_trace(1.0f, 7, true, false));
    assert_true(t.fraction == 1.0f && t.entnum == 7 && t.startsolid);
    // Blocked at once, and then stuck: stuck counts.
    t = combine(make_trace(0.0f, 1, false, false), make_trace(0.0f, 2, true, true));
    assert_true(t.entnum == 2 && t.allsolid);
}

static void test_contents_and_leafs(void **state) {
    (void)state;
    cmap_t map = map_of("BSP29");
    assert_int_equal(CM_PointContents(&map, 0, Vector(-10.0f, 0.0f, 10.0f)), CONTENTS_WATER);
    assert_int_equal(CM_PointContents(&map, 0, Vector(-10.0f, 0.0f, 20.0f)), CONTENTS_EMPTY);
    assert_int_equal(CM_PointContents(&map, 0, Vector(100.0f, 0.0f, 10.0f)), CONTENTS_SOLID);
    assert_int_equal(CM_PointContents(&map, 0, Vector(0.0f, 0.0f, 300.0f)), CONTENTS_SOLID);
    assert_int_equal(CM_PointContents(&map, 1, Vector(0.0f, 0.0f, 0.0f)), CONTENTS_SOLID);
    assert_int_equal(CM_PointContents(&map, 1, Vector(0.0f, 0.0f, 9.0f)), CONTENTS_EMPTY);
    assert_int_equal(CM_PointLeaf(&map, Vector(0.0f, 0.0f, 300.0f)), 0);
    int32_t leaf = CM_PointLeaf(&map, Vector(-10.0f, 0.0f, 10.0f));
    assert_int_equal(map.leafs[leaf].contents, CONTENTS_WATER);
    // On the water's surface: above it for the contents, below it for the leaf.
    assert_int_equal(CM_PointLeaf(&map, Vector(-10.0f, 0.0f, 20.0f)), leaf);
    // Hulls of boxes know no water.
    assert_int_equal(CM_HullPointContents(&map.models[0].hulls[1], Vector(-50.0f, 0.0f, 26.0f)),
                     CONTENTS_EMPTY);
    CM_FreeMap(&map);
    assert_null(map.planes);
    CM_FreeMap(&map); // a zeroed one may be freed
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hull_for_box),
        cmocka_unit_test(test_box_trace_origin),
        cmocka_unit_test(test_combine),
        cmocka_unit_test(test_contents_and_leafs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
