// Tests of the choice of hulls, placed models, combined traces, contents and leafs.

#include "base/rng.h"
#include "lib/map_fixture.h"
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
        // The hull's box has the same floor and the same first side as the requested box.
        assert_true(VectorCompare(VectorAdd(offset, hull->clip_mins), cases[i].mins));
    }
}

static void test_hull_for_box(void **state) {
    (void)state;
    cmap_t map = map_of("BSP29");
    const size_case_t quake[] = {
        {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, 0, true},
        {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}, 0, false},
        {{-1.5f, -1.5f, -1.5f}, {1.5f, 1.5f, 1.5f}, 1, false}, // 3 wide: no point any more
        {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}, 1, true},
        // The box of the row above, with its origin at the feet.
        {{-16.0f, -16.0f, 0.0f}, {16.0f, 16.0f, 56.0f}, 1, true},
        {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 31.0f}, 1, false},
        {{-16.0f, -20.0f, -24.0f}, {16.0f, 20.0f, 32.0f}, 1, false}, // only the size along x counts
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

/// Tests a model moved to an origin: it gives the same result as the model at zero for a sweep
/// moved back.
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
        trace_t at_zero = CM_BoxTrace(&map, &(cm_object_t){.model = 1, .origin = origin0}, start,
                                      end, mins, maxs);
        trace_t moved = CM_BoxTrace(&map, &(cm_object_t){.model = 1, .origin = place},
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
            // The box's origin must be on the plane, in world space.
            float off = DotProduct(moved.plane.normal, moved.endpos) - moved.plane.dist;
            assert_true(off > -1e-3f);
            assert_true(off < CM_DIST_EPSILON + 1e-3f);
        }
    }
    assert_true(hits > 1000);
    // The world itself gives the hull's answer, bit for bit.
    trace_t direct = CM_HullTrace(&map.models[0].hulls[1], Vector(0.0f, 1.0f, 60.0f),
                                  Vector(99.0f, 3.0f, 40.0f));
    trace_t boxed = CM_BoxTrace(&map, &(cm_object_t){.origin = origin0}, Vector(0.0f, 1.0f, 60.0f),
                                Vector(99.0f, 3.0f, 40.0f), mins, maxs);
    assert_true(direct.fraction == boxed.fraction);
    assert_true(direct.fraction < 1.0f);
    assert_true(VectorCompare(direct.endpos, boxed.endpos));
    // A box with its origin at the feet stands as high as a box with its origin in the middle.
    trace_t feet = CM_BoxTrace(&map, &(cm_object_t){.origin = origin0}, Vector(-50.0f, 0.0f, 90.0f),
                               Vector(-50.0f, 0.0f, -90.0f), Vector(-16.0f, -16.0f, 0.0f),
                               Vector(16.0f, 16.0f, 56.0f));
    assert_true(fabsf(feet.endpos.z - CM_DIST_EPSILON) < 1e-4f);
    CM_FreeMap(&map);
}

/// Tests maps without brushes: the shortest push out of solid is along the nearest plane.
static void test_hull_overlap(void **state) {
    (void)state;
    cmap_t map = map_of("BSP29");
    const vec3_t normals[] = {{-1.0f, 0.0f, 0.0f},
                              {1.0f, 0.0f, 0.0f},
                              {0.0f, -1.0f, 0.0f},
                              {0.0f, 1.0f, 0.0f},
                              {0.0f, 0.0f, 1.0f}};
    const cm_object_t place = {.model = 0};
    for (size_t i = 0; i < COUNTOF(normals); i++) {
        // The block is 64 x 128 x 64 around (96, 0, 32). The hull's box is 5 deep in one of its
        // sides.
        vec3_t n = normals[i];
        vec3_t at = {96.0f + n.x * (32.0f + 16.0f - 5.0f), n.y * (64.0f + 16.0f - 5.0f),
                     n.z > 0.0f ? 64.0f + 24.0f - 5.0f : 32.0f};
        const bounds_t box = {VectorAdd(at, Vector(-16.0f, -16.0f, -24.0f)),
                              VectorAdd(at, Vector(16.0f, 16.0f, 32.0f))};
        cm_contact_t contact;
        assert_int_equal(CM_Overlap(&map, &place, box, &contact, 1), 1);
        assert_true(VectorCompare(contact.normal, n));
        assert_true(fabsf(contact.depth - 5.0f) < 0.01f);
    }
    CM_FreeMap(&map);
}

/// Tests that the shortest push out of a turned brush model may be across a side of the box itself.
static void test_turned_overlap(void **state) {
    (void)state;
    cmap_t map;
    const test_block_t block = {.box = {{-16.0f, -16.0f, 0.0f}, {16.0f, 16.0f, 32.0f}},
                                .contents = CONTENTS_SOLID,
                                .model = 1};
    const test_map_t test = {.room = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}},
                             .blocks = &block,
                             .num_blocks = 1,
                             .brush_list = true};
    assert_true(TestMap_Build(&map, &test));
    const cm_object_t place = {.model = 1, .angles = {0.0f, 45.0f, 0.0f}};
    const bounds_t box = {{20.0f, -30.0f, 10.0f}, {60.0f, 30.0f, 22.0f}};
    cm_contact_t contact;
    assert_int_equal(CM_Overlap(&map, &place, box, &contact, 1), 1);
    assert_true(contact.normal.x > 0.9999f);
    assert_true(fabsf(contact.depth - (16.0f * 1.41421356f - 20.0f)) < 0.001f);
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
    assert_true(t.fraction == 0.5f);
    assert_true(t.entnum == 3);
    assert_false(t.startsolid);
    t = combine(t, make_trace(0.7f, 4, false, false));
    assert_true(t.fraction == 0.5f);
    assert_true(t.entnum == 3);
    t = combine(t, make_trace(0.5f, 5, false, false));
    assert_int_equal(t.entnum, 3); // two traces equally near: the first one counts
    t = combine(t, make_trace(0.2f, 6, false, false));
    assert_true(t.fraction == 0.2f);
    assert_true(t.entnum == 6);
    // Starting in solid is remembered, and does not lengthen an earlier, shorter trace.
    t = combine(t, make_trace(1.0f, 7, true, false));
    assert_true(t.fraction == 0.2f);
    assert_true(t.entnum == 6);
    assert_true(t.startsolid);
    assert_false(t.allsolid);
    t = combine(t, make_trace(0.1f, 8, false, false));
    assert_true(t.fraction == 0.1f);
    assert_true(t.entnum == 8);
    assert_true(t.startsolid);
    t = combine(t, make_trace(0.0f, 9, true, true));
    assert_true(t.fraction == 0.0f);
    assert_true(t.entnum == 9);
    assert_true(t.allsolid);
    t = combine(t, make_trace(0.0f, 10, true, true));
    assert_int_equal(t.entnum, 9);
    // If nothing was hit but the trace starts in solid, the trace names the edict that contains its
    // start.
    t = combine(none, make_trace(1.0f, 7, true, false));
    assert_true(t.fraction == 1.0f);
    assert_true(t.entnum == 7);
    assert_true(t.startsolid);
    // If one trace is blocked at its start and a later one is stuck, being stuck counts.
    t = combine(make_trace(0.0f, 1, false, false), make_trace(0.0f, 2, true, true));
    assert_true(t.entnum == 2);
    assert_true(t.allsolid);
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
    // On the water's surface, a point has the contents above it, but the leaf below it.
    assert_int_equal(CM_PointLeaf(&map, Vector(-10.0f, 0.0f, 20.0f)), leaf);
    // The hulls of boxes have no water.
    assert_int_equal(CM_HullPointContents(&map.models[0].hulls[1], Vector(-50.0f, 0.0f, 26.0f)),
                     CONTENTS_EMPTY);
    CM_FreeMap(&map);
    assert_null(map.planes);
    CM_FreeMap(&map); // a zeroed one may be freed
}

// ---- hulls or brushes ----

/// Builds a room with everything that stops something, and a model of two boxes that share a face.
static cmap_t brush_map(bool brush_list, bool clip_hulls) {
    const test_block_t blocks[] = {
        TestMap_Box(Vector(64.0f, -64.0f, 0.0f), Vector(128.0f, 64.0f, 64.0f)),
        {.box = {{-128.0f, -64.0f, 0.0f}, {-64.0f, 64.0f, 64.0f}}, .contents = CONTENTS_CLIP},
        {.box = {{-64.0f, 100.0f, 0.0f}, {64.0f, 200.0f, 64.0f}}, .contents = CONTENTS_SKY},
        {.box = {{-64.0f, -200.0f, 0.0f}, {64.0f, -100.0f, 64.0f}}, .contents = CONTENTS_WATER},
        {.box = {{-32.0f, -32.0f, -32.0f}, {0.0f, 32.0f, 32.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
        {.box = {{0.0f, -32.0f, -32.0f}, {32.0f, 32.0f, 32.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
        {.box = {{60.0f, -32.0f, -32.0f}, {64.0f, 32.0f, 32.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
    };
    cmap_t map;
    assert_true(TestMap_Build(
        &map, &(test_map_t){.room = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}},
                            .blocks = blocks,
                            .num_blocks = (int32_t)COUNTOF(blocks),
                            .brush_list = brush_list}));
    map.has_clip_hulls = clip_hulls;
    return map;
}

static void test_uses_brushes(void **state) {
    (void)state;
    const bounds_t sizes[] = {{{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}},
                              {{-16.0f, -16.0f, 0.0f}, {16.0f, 16.0f, 56.0f}},
                              {{-10.0f, -16.0f, -24.0f}, {10.0f, 16.0f, 32.0f}}};
    // Each row has the results for auto, hulls, brushes, with a point, a box that fits a hull, and
    // a box that fits none.
    static const struct {
        bool brush_list, clip_hulls, uses[3][3];
    } cases[] = {
        {true, true, {{false, false, true}, {false, false, false}, {true, true, true}}},
        {true, false, {{false, true, true}, {false, true, true}, {true, true, true}}},
        {false, true, {{false, false, false}, {false, false, false}, {false, false, false}}},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        cmap_t map = brush_map(cases[i].brush_list, cases[i].clip_hulls);
        for (int32_t solids = CM_SOLIDS_AUTO; solids <= CM_SOLIDS_BRUSHES; solids++) {
            for (size_t n = 0; n < COUNTOF(sizes); n++) {
                assert_int_equal(CM_UsesBrushes(&map, solids, sizes[n].mins, sizes[n].maxs),
                                 cases[i].uses[solids][n]);
            }
        }
        CM_FreeMap(&map);
    }
}

static float stop_of(const cmap_t *map, vec3_t end, float half) {
    vec3_t size = {half, half, half};
    trace_t trace = CM_BoxTrace(map, &(cm_object_t){.solids = CM_SOLIDS_BRUSHES},
                                Vector(0.0f, 0.0f, 40.0f), end, VectorNegate(size), size);
    return VectorLength(VectorSubtract(trace.endpos, Vector(0.0f, 0.0f, 40.0f)));
}

static bool near(float a, float b) {
    return fabsf(a - b) < 1e-3f;
}

static void test_what_is_solid(void **state) {
    (void)state;
    cmap_t map = brush_map(true, true);
    const float eps = CM_DIST_EPSILON;
    assert_true(near(stop_of(&map, Vector(99.0f, 0.0f, 40.0f), 0.0f), 64.0f - 1.5f * eps));
    assert_true(near(stop_of(&map, Vector(99.0f, 0.0f, 40.0f), 8.0f), 56.0f - eps));
    assert_true(near(stop_of(&map, Vector(-99.0f, 0.0f, 40.0f), 0.0f), 99.0f)); // clip
    assert_true(near(stop_of(&map, Vector(-99.0f, 0.0f, 40.0f), 8.0f), 56.0f - eps));
    assert_true(near(stop_of(&map, Vector(0.0f, 120.0f, 40.0f), 0.0f), 120.0f)); // sky
    assert_true(near(stop_of(&map, Vector(0.0f, 120.0f, 40.0f), 8.0f), 92.0f - eps));
    assert_true(near(stop_of(&map, Vector(0.0f, -120.0f, 40.0f), 0.0f), 120.0f)); // water
    assert_true(near(stop_of(&map, Vector(0.0f, -120.0f, 40.0f), 8.0f), 120.0f));
    // Every contents but empty is touched; a point in water reports water.
    const vec3_t size = {8.0f, 8.0f, 8.0f};
    const cm_object_t world = {.solids = CM_SOLIDS_BRUSHES};
    assert_true(CM_BoxTouches(&map, &world, Vector(0.0f, -95.0f, 40.0f), VectorNegate(size), size));
    assert_true(CM_BoxTouches(&map, &world, Vector(0.0f, 95.0f, 40.0f), VectorNegate(size), size));
    assert_false(
        CM_BoxTouches(&map, &world, Vector(0.0f, -91.0f, 40.0f), VectorNegate(size), size));
    trace_t trace = CM_BoxTrace(&map, &world, Vector(0.0f, 0.0f, 40.0f),
                                Vector(0.0f, -150.0f, 40.0f), origin0, origin0);
    assert_int_equal(trace.contents, CONTENTS_WATER);
    CM_FreeMap(&map);
}

// Tests sweeps out of brushes: as with a hull, a sweep leaves all brushes that contain its start,
// and the next brush stops it.
static void test_out_of_brushes(void **state) {
    (void)state;
    cmap_t map = brush_map(true, true);
    const vec3_t mins = {-2.0f, -2.0f, -2.0f};
    const vec3_t maxs = {2.0f, 2.0f, 2.0f};
    const cm_object_t place = {.model = 1, .solids = CM_SOLIDS_BRUSHES};
    const vec3_t start = {-16.0f, 0.0f, 0.0f};
    trace_t trace = CM_BoxTrace(&map, &place, start, Vector(20.0f, 0.0f, 0.0f), mins, maxs);
    assert_true(trace.startsolid);
    assert_true(trace.allsolid); // from one box into the next
    assert_true(trace.fraction == 0.0f);
    assert_true(VectorCompare(trace.endpos, start));
    assert_int_equal(trace.contents, CONTENTS_SOLID);
    trace = CM_BoxTrace(&map, &place, start, Vector(50.0f, 0.0f, 0.0f), mins, maxs);
    assert_true(trace.startsolid);
    assert_false(trace.allsolid);
    assert_true(trace.fraction == 1.0f);
    trace = CM_BoxTrace(&map, &place, start, Vector(100.0f, 0.0f, 0.0f), mins, maxs);
    assert_true(trace.startsolid);
    assert_false(trace.allsolid);
    assert_true(fabsf(trace.endpos.x - (58.0f - CM_DIST_EPSILON)) < 1e-4f);
    assert_true(VectorCompare(trace.plane.normal, Vector(-1.0f, 0.0f, 0.0f)));
    // Nothing falls through between the two boxes, however thin it is.
    for (int i = 0; i < 3; i++) {
        vec3_t thin = {0.0f, 0.0f, i == 0 ? 0.0f : 1.0f};
        trace = CM_BoxTrace(&map, &place, Vector(0.0f, 0.0f, 60.0f), Vector(0.0f, 0.0f, -60.0f),
                            i == 2 ? origin0 : VectorNegate(thin), thin);
        assert_true(trace.fraction < 0.5f);
        assert_false(trace.startsolid);
        assert_true(trace.plane.normal.z == 1.0f);
    }
    CM_FreeMap(&map);
}

// Tests a sweep turned together with its model: it ends at the same point, turned.
static void test_turned_hull(void **state) {
    (void)state;
    cmap_t map = brush_map(false, true);
    rng_t rng = {8};
    const vec3_t mins = {-16.0f, -16.0f, -28.0f};
    const vec3_t maxs = {16.0f, 16.0f, 28.0f};
    int hits = 0;
    for (int i = 0; i < 5000; i++) {
        vec3_t s = {0.0f, 0.0f, 0.0f};
        s.x = Rng_Range(&rng, -150.0f, 150.0f);
        s.y = Rng_Range(&rng, -150.0f, 150.0f);
        s.z = Rng_Range(&rng, -150.0f, 150.0f);
        float turns = (float)Rng_Below(&rng, 4);
        vec3_t t = VectorScale(s, -0.5f);
        cm_object_t place = {.model = 1};
        trace_t still = CM_BoxTrace(&map, &place, s, t, mins, maxs);
        place.angles.y = 90.0f * turns;
        place.origin = Vector(100.0f, -200.0f, 300.0f);
        vec3_t from = s;
        vec3_t to = t;
        vec3_t normal = still.plane.normal;
        for (int n = 0; n < (int)turns; n++) {
            from = Vector(0.0f - from.y, from.x, from.z);
            to = Vector(0.0f - to.y, to.x, to.z);
            normal = Vector(0.0f - normal.y, normal.x, normal.z);
        }
        from = VectorAdd(from, place.origin);
        to = VectorAdd(to, place.origin);
        trace_t turned = CM_BoxTrace(&map, &place, from, to, mins, maxs);
        assert_int_equal(turned.startsolid, still.startsolid);
        assert_true(fabsf(turned.fraction - still.fraction) < 1e-4f);
        assert_true(VectorCompare(turned.plane.normal, normal));
        if (turned.fraction < 1.0f && !turned.startsolid) {
            float off = DotProduct(normal, turned.endpos) - turned.plane.dist;
            assert_true(off > -1e-3f);
            assert_true(off < CM_DIST_EPSILON + 1e-3f);
            hits++;
        }
    }
    assert_true(hits > 1000);
    CM_FreeMap(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uses_brushes),   cmocka_unit_test(test_what_is_solid),
        cmocka_unit_test(test_out_of_brushes), cmocka_unit_test(test_turned_hull),
        cmocka_unit_test(test_hull_for_box),   cmocka_unit_test(test_hull_overlap),
        cmocka_unit_test(test_turned_overlap), cmocka_unit_test(test_box_trace_origin),
        cmocka_unit_test(test_combine),        cmocka_unit_test(test_contents_and_leafs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
