// Tests of CM_HullTrace and CM_HullPointContents: each rule alone, then against exact geometry.

#include "base/rng.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"

#define EPSILON CM_DIST_EPSILON

/// Planes of a hull: solid where x < 0, water where x >= 64, empty between.
static const plane_t wall_planes[] = {{{1.0f, 0.0f, 0.0f}, 0.0f, PLANE_X},
                                      {{1.0f, 0.0f, 0.0f}, 64.0f, PLANE_X}};
static const clipnode_t wall_nodes[] = {{0 * 4 + PLANE_X, 0.0f, {1, CONTENTS_SOLID}},
                                        {1 * 4 + PLANE_X, 64.0f, {CONTENTS_WATER, CONTENTS_EMPTY}}};
static const hull_t wall = {.nodes = wall_nodes, .planes = wall_planes, .root = 0};

static void assert_vector(vec3_t v, float x, float y, float z) {
    assert_true(v.x == x);
    assert_true(v.y == y);
    assert_true(v.z == z);
}

static void test_contents(void **state) {
    (void)state;
    assert_int_equal(CM_HullPointContents(&wall, Vector(-0.001f, 5.0f, 5.0f)), CONTENTS_SOLID);
    // A point on a plane is in front of it.
    assert_int_equal(CM_HullPointContents(&wall, Vector(0.0f, 0.0f, 0.0f)), CONTENTS_EMPTY);
    assert_int_equal(CM_HullPointContents(&wall, Vector(63.9f, 0.0f, 0.0f)), CONTENTS_EMPTY);
    assert_int_equal(CM_HullPointContents(&wall, Vector(64.0f, 0.0f, 0.0f)), CONTENTS_WATER);
    hull_t all_lava = {.root = CONTENTS_LAVA};
    assert_int_equal(CM_HullPointContents(&all_lava, Vector(1.0f, 2.0f, 3.0f)), CONTENTS_LAVA);
}

static void test_stop(void **state) {
    (void)state;
    trace_t trace = CM_HullTrace(&wall, Vector(32.0f, 0.0f, 8.0f), Vector(-32.0f, 64.0f, 8.0f));
    assert_true(trace.fraction == (32.0f - EPSILON) / 64.0f);
    assert_vector(trace.endpos, EPSILON, 32.0f - EPSILON, 8.0f);
    assert_vector(trace.plane.normal, 1.0f, 0.0f, 0.0f);
    assert_true(trace.plane.dist == 0.0f);
    assert_true(trace.plane.type == PLANE_X);
    assert_int_equal(trace.contents, CONTENTS_EMPTY);
    assert_int_equal(trace.entnum, TRACE_NOTHING);
    assert_false(trace.startsolid);
    assert_false(trace.allsolid);
    // Closer to the plane than the epsilon, the sweep does not move, and never moves back.
    trace = CM_HullTrace(&wall, Vector(0.01f, 0.0f, 0.0f), Vector(-5.0f, 0.0f, 0.0f));
    assert_true(trace.fraction == 0.0f);
    assert_vector(trace.endpos, 0.01f, 0.0f, 0.0f);
    // A sweep along the surface hits nothing.
    trace = CM_HullTrace(&wall, Vector(0.0f, 0.0f, 0.0f), Vector(0.0f, 100.0f, 0.0f));
    assert_true(trace.fraction == 1.0f);
    assert_true(trace.plane.normal.x == 0.0f);
}

static void test_no_hit(void **state) {
    (void)state;
    trace_t trace = CM_HullTrace(&wall, Vector(10.0f, 0.0f, 0.0f), Vector(90.0f, 1.0f, 2.0f));
    assert_true(trace.fraction == 1.0f);
    assert_vector(trace.endpos, 90.0f, 1.0f, 2.0f);
    assert_vector(trace.plane.normal, 0.0f, 0.0f, 0.0f);
    assert_int_equal(trace.contents, CONTENTS_WATER);
    trace = CM_HullTrace(&wall, Vector(10.0f, 0.0f, 0.0f), Vector(10.0f, 0.0f, 0.0f));
    assert_true(trace.fraction == 1.0f);
    assert_false(trace.startsolid);
}

static void test_start_in_solid(void **state) {
    (void)state;
    trace_t trace = CM_HullTrace(&wall, Vector(-9.0f, 1.0f, 2.0f), Vector(-1.0f, 0.0f, 0.0f));
    assert_true(trace.startsolid);
    assert_true(trace.allsolid);
    assert_true(trace.fraction == 0.0f);
    assert_vector(trace.endpos, -9.0f, 1.0f, 2.0f);
    assert_int_equal(trace.contents, CONTENTS_SOLID);
    // A sweep that leaves solid and gets to its end hits nothing.
    trace = CM_HullTrace(&wall, Vector(-9.0f, 0.0f, 0.0f), Vector(20.0f, 0.0f, 0.0f));
    assert_true(trace.startsolid);
    assert_false(trace.allsolid);
    assert_true(trace.fraction == 1.0f);
    assert_vector(trace.plane.normal, 0.0f, 0.0f, 0.0f);
    // A sweep out of one wall into the next.
    static const clipnode_t gap_nodes[] = {
        {0 * 4 + PLANE_X, 0.0f, {1, CONTENTS_SOLID}},
        {1 * 4 + PLANE_X, 64.0f, {CONTENTS_SOLID, CONTENTS_EMPTY}}};
    hull_t gap = {.nodes = gap_nodes, .planes = wall_planes, .root = 0};
    trace = CM_HullTrace(&gap, Vector(-9.0f, 0.0f, 0.0f), Vector(91.0f, 0.0f, 0.0f));
    assert_true(trace.startsolid);
    assert_false(trace.allsolid);
    assert_true(fabsf(trace.endpos.x - (64.0f - EPSILON)) < 1e-5f);
    // In the tree, the plane of the far wall faces +x; the result faces against the motion.
    assert_vector(trace.plane.normal, -1.0f, 0.0f, 0.0f);
    assert_true(trace.plane.dist == -64.0f);
    assert_true(trace.plane.type == PLANE_ANY);
}

static vec3_t random_vector(rng_t *rng, float size) {
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -size, size));
}

/// Tests a chain of as many planes as the deepest allowed hull has, each of which cuts the sweep.
static void test_deepest_stack(void **state) {
    (void)state;
    static plane_t planes[MAX_HULL_DEPTH];
    static clipnode_t nodes[MAX_HULL_DEPTH];
    for (int32_t i = 0; i < MAX_HULL_DEPTH; i++) {
        planes[i] = (plane_t){{1.0f, 0.0f, 0.0f}, (float)i, PLANE_X};
        nodes[i] = CM_ClipNode(planes, i, i + 1 < MAX_HULL_DEPTH ? i + 1 : CONTENTS_EMPTY,
                               i == 0 ? CONTENTS_SOLID : CONTENTS_EMPTY);
    }
    hull_t hull = {.nodes = nodes, .planes = planes, .root = 0};
    trace_t trace = CM_HullTrace(&hull, Vector(2000.0f, 0.0f, 0.0f), Vector(-10.0f, 0.0f, 0.0f));
    assert_true(trace.fraction < 1.0f);
    assert_true(fabsf(trace.endpos.x - EPSILON) < 1e-3f);
}

/// Tests a tree whose every node is both children of its parent. A far sweep runs along the planes
/// within rounding: it must not be cut again and again.
static void test_hostile_sharing(void **state) {
    (void)state;
    static plane_t planes[MAX_HULL_DEPTH];
    static clipnode_t nodes[MAX_HULL_DEPTH];
    rng_t rng = {7};
    for (int i = 0; i < 20; i++) {
        vec3_t start = random_vector(&rng, 9e5f);
        vec3_t along = VectorNormalize(random_vector(&rng, 1.0f), NULL);
        for (int32_t n = 0; n < MAX_HULL_DEPTH; n++) {
            vec3_t normal = VectorNormalize(CrossProduct(along, random_vector(&rng, 1.0f)), NULL);
            planes[n] = (plane_t){normal, DotProduct(normal, start), PLANE_ANY};
            int32_t child = n + 1 < MAX_HULL_DEPTH ? n + 1 : CONTENTS_EMPTY;
            nodes[n] = CM_ClipNode(planes, n, child, child);
        }
        hull_t hull = {.nodes = nodes, .planes = planes, .root = 0};
        trace_t trace = CM_HullTrace(&hull, start, VectorMA(start, 50000.0f, along));
        assert_true(trace.fraction == 1.0f);
    }
}

enum { GRID_PLANES = 2 * MAX_HULL_SPLITS - 1 };

/// Makes a balanced tree of the planes first..last; node i has plane i.
static int32_t balanced_tree(clipnode_t *nodes, const plane_t *planes, int32_t first,
                             int32_t last) {
    // Go level by level without recursion, which is possible because the tree is perfect.
    for (int32_t step = GRID_PLANES / 2 + 1; step >= 1; step /= 2) {
        for (int32_t i = first + step - 1; i <= last; i += 2 * step) {
            int32_t half = step / 2;
            nodes[i] = CM_ClipNode(planes, i, half > 0 ? i + half : CONTENTS_EMPTY,
                                   half > 0 ? i - half : CONTENTS_EMPTY);
        }
    }
    return first + GRID_PLANES / 2;
}

static void test_split_limit(void **state) {
    (void)state;
    plane_t *planes = calloc(GRID_PLANES, sizeof *planes);
    clipnode_t *nodes = calloc(GRID_PLANES, sizeof *nodes);
    assert_true(planes);
    assert_true(nodes);
    for (int32_t i = 0; i < GRID_PLANES; i++) {
        planes[i] = (plane_t){{1.0f, 0.0f, 0.0f}, (float)i + 1.0f, PLANE_X};
    }
    hull_t hull = {.nodes = nodes, .planes = planes};
    hull.root = balanced_tree(nodes, planes, 0, GRID_PLANES - 1);
    // Test as many cuts as are allowed, and one more.
    vec3_t start = {0.5f, 0.0f, 0.0f};
    trace_t trace = CM_HullTrace(&hull, start, Vector(MAX_HULL_SPLITS + 0.5f, 0.0f, 0.0f));
    assert_true(trace.fraction == 1.0f);
    trace = CM_HullTrace(&hull, start, Vector(MAX_HULL_SPLITS + 1.5f, 0.0f, 0.0f));
    assert_true(trace.fraction < 1.0f);
    assert_true(fabsf(trace.endpos.x - (MAX_HULL_SPLITS + 1.0f - EPSILON)) < 0.01f);
    free(planes);
    free(nodes);
}

/// Tests sweeps that start on a slanted plane and run along it: rounding decides on which side they
/// end.
static void test_grazing(void **state) {
    (void)state;
    rng_t rng = {21};
    plane_t planes[2];
    clipnode_t nodes[2];
    const int rounds = Test_IsLong() ? 2000000 : 100000;
    int hits = 0;
    for (int i = 0; i < rounds; i++) {
        vec3_t normal = VectorNormalize(random_vector(&rng, 1.0f), NULL);
        vec3_t start = random_vector(&rng, 4000.0f);
        vec3_t along = VectorScale(CrossProduct(normal, random_vector(&rng, 1.0f)), 500.0f);
        vec3_t side = VectorNormalize(VectorScale(along, -1.0f), NULL);
        planes[0] = (plane_t){normal, DotProduct(start, normal), PLANE_ANY};
        planes[1] = (plane_t){side, DotProduct(VectorMA(start, 0.5f, along), side), PLANE_ANY};
        nodes[0] = CM_ClipNode(planes, 0, 1, CONTENTS_SOLID);
        nodes[1] = CM_ClipNode(planes, 1, CONTENTS_EMPTY, CONTENTS_SOLID);
        hull_t hull = {.nodes = nodes, .planes = planes, .root = 0};
        trace_t trace = CM_HullTrace(&hull, start, VectorAdd(start, along));
        assert_false(trace.startsolid);
        assert_int_equal(trace.contents, CM_HullPointContents(&hull, trace.endpos));
        hits += trace.fraction < 1.0f;
    }
    assert_true(hits > rounds / 2);
}

// The exact geometry in double: blocks in a room.

typedef struct {
    double n[3], d;
} exact_plane_t;

typedef struct {
    exact_plane_t planes[7];
    int num_planes;
} exact_brush_t;

/// Returns the brush that the point of a hull must stay out of, grown by `grow`.
static exact_brush_t exact_brush(const test_block_t *block, bounds_t hull, double grow) {
    exact_brush_t brush = {.num_planes = 6};
    const vec3_t cut = block->cut_normal;
    for (int axis = 0; axis < 3; axis++) {
        exact_plane_t *top = &brush.planes[axis * 2];
        exact_plane_t *bottom = &brush.planes[axis * 2 + 1];
        top->n[axis] = 1.0;
        top->d =
            (double)VectorAxis(block->box.maxs, axis) - (double)VectorAxis(hull.mins, axis) + grow;
        bottom->n[axis] = -1.0;
        bottom->d =
            (double)VectorAxis(hull.maxs, axis) - (double)VectorAxis(block->box.mins, axis) + grow;
    }
    if (!VectorCompare(cut, Vector(0.0f, 0.0f, 0.0f))) {
        exact_plane_t *plane = &brush.planes[brush.num_planes++];
        plane->d = (double)block->cut_dist + grow;
        for (int axis = 0; axis < 3; axis++) {
            plane->n[axis] = (double)VectorAxis(cut, axis);
            vec3_t corner = plane->n[axis] > 0.0 ? hull.mins : hull.maxs;
            plane->d -= plane->n[axis] * (double)VectorAxis(corner, axis);
        }
    }
    return brush;
}

static double exact_diff(const exact_plane_t *plane, vec3_t p) {
    return plane->n[0] * (double)p.x + plane->n[1] * (double)p.y + plane->n[2] * (double)p.z -
           plane->d;
}

/// Returns the fraction at which a sweep enters a brush: 2 = never, -1 = it starts inside.
static double exact_entry(const exact_brush_t *brush, vec3_t start, vec3_t end) {
    double enter = -1.0;
    double leave = 2.0;
    for (int i = 0; i < brush->num_planes; i++) {
        double d1 = exact_diff(&brush->planes[i], start);
        double d2 = exact_diff(&brush->planes[i], end);
        if (d1 >= 0.0 && d2 >= 0.0) {
            return 2.0;
        }
        double f = d1 / (d1 - d2);
        if (d1 >= 0.0 && f > enter) {
            enter = f;
        } else if (d2 >= 0.0 && f < leave) {
            leave = f;
        }
    }
    return enter < leave ? enter : 2.0;
}

/// Returns the fraction at which a sweep meets the first solid of a test map's world.
static double exact_fraction(const test_map_t *test, bounds_t hull, double grow, vec3_t start,
                             vec3_t end) {
    double first = 2.0;
    for (int axis = 0; axis < 3; axis++) {
        for (int side = 0; side < 2; side++) {
            float mins[3] = {-9e6f, -9e6f, -9e6f};
            float maxs[3] = {9e6f, 9e6f, 9e6f};
            *(side ? &mins[axis] : &maxs[axis]) =
                VectorAxis(side ? test->room.maxs : test->room.mins, axis);
            test_block_t block =
                TestMap_Box(Vector(mins[0], mins[1], mins[2]), Vector(maxs[0], maxs[1], maxs[2]));
            exact_brush_t brush = exact_brush(&block, hull, grow);
            first = fmin(first, exact_entry(&brush, start, end));
        }
    }
    for (int32_t i = 0; i < test->num_blocks; i++) {
        if (test->blocks[i].contents == CONTENTS_SOLID) {
            exact_brush_t brush = exact_brush(&test->blocks[i], hull, grow);
            first = fmin(first, exact_entry(&brush, start, end));
        }
    }
    return first;
}

enum { NUM_RANDOM_BLOCKS = 24 };

/// Makes a random room of boxes, ramps and water.
static void random_room(test_map_t *test, test_block_t blocks[NUM_RANDOM_BLOCKS], rng_t *rng) {
    *test = (test_map_t){.room = {{-512.0f, -512.0f, 0.0f}, {512.0f, 512.0f, 384.0f}},
                         .blocks = blocks,
                         .num_blocks = NUM_RANDOM_BLOCKS};
    for (int i = 0; i < NUM_RANDOM_BLOCKS; i++) {
        vec3_t mins = {(float)Rng_Below(rng, 960) - 520.0f, (float)Rng_Below(rng, 960) - 520.0f,
                       (float)Rng_Below(rng, 300)};
        vec3_t size = {(float)Rng_Below(rng, 200) + 4.0f, (float)Rng_Below(rng, 200) + 4.0f,
                       (float)Rng_Below(rng, 120) + 4.0f};
        vec3_t maxs = VectorAdd(mins, size);
        blocks[i] = i % 3 == 0 ? TestMap_RampX(mins, maxs) : TestMap_Box(mins, maxs);
        if (i >= NUM_RANDOM_BLOCKS - 3) {
            blocks[i].contents = CONTENTS_WATER; // solid blocks come first and hide the water
        }
    }
}

static vec3_t random_point(const test_map_t *test, rng_t *rng) {
    return Vector(Rng_Range(rng, test->room.mins.x, test->room.maxs.x),
                  Rng_Range(rng, test->room.mins.y, test->room.maxs.y),
                  Rng_Range(rng, test->room.mins.z, test->room.maxs.z));
}

/// Checks one sweep against exact geometry, and the rules for every result. Returns false if the
/// sweep starts too close to solid to decide.
static bool check_sweep(const test_map_t *test, const hull_t *hull, bounds_t size, vec3_t start,
                        vec3_t end) {
    double lo = exact_fraction(test, size, 0.0625, start, end);
    if (lo < 0.0) {
        return false;
    }
    double hi = exact_fraction(test, size, -0.0625, start, end);
    trace_t trace = CM_HullTrace(hull, start, end);
    assert_false(trace.startsolid);
    assert_false(trace.allsolid);
    if ((double)trace.fraction < fmin(lo, 1.0) - 1e-4) {
        // A sweep nearly along a surface goes far within the last epsilon before it.
        double exact = exact_fraction(test, size, 0.0, start, end);
        vec3_t touch = VectorLerp(start, end, (float)exact);
        float before = DotProduct(trace.plane.normal, VectorSubtract(trace.endpos, touch));
        assert_true((double)trace.fraction < exact);
        assert_true(fabsf(before) < 1.1f * EPSILON);
    }
    assert_true((double)trace.fraction <= fmin(hi, 1.0) + 1e-4);
    assert_int_equal(trace.contents, CM_HullPointContents(hull, trace.endpos));
    if (trace.fraction < 1.0f) {
        assert_int_not_equal(trace.contents, CONTENTS_SOLID);
        assert_true(DotProduct(trace.plane.normal, VectorSubtract(end, start)) < 0.0f);
        // The next sweep starts at the end of this one.
        trace_t next = CM_HullTrace(hull, trace.endpos, end);
        assert_false(next.startsolid);
        assert_true(VectorLength(VectorSubtract(next.endpos, trace.endpos)) < 1.0f);
    }
    return true;
}

static void test_exact(void **state) {
    (void)state;
    int rooms = Test_IsLong() ? 2000 : 40;
    int checked = 0;
    int hits = 0;
    for (int room = 0; room < rooms; room++) {
        rng_t rng = {(uint64_t)room};
        test_block_t blocks[NUM_RANDOM_BLOCKS];
        test_map_t test;
        cmap_t map;
        random_room(&test, blocks, &rng);
        assert_true(TestMap_Build(&map, &test));
        for (int i = 0; i < 600; i++) {
            int32_t hull = i % 3;
            vec3_t start = random_point(&test, &rng);
            vec3_t end = random_point(&test, &rng);
            const hull_t *h = &map.models[0].hulls[hull];
            checked += check_sweep(&test, h, CM_HullSize(HULLSET_QUAKE, hull), start, end);
            hits += CM_HullTrace(h, start, end).fraction < 1.0f;
        }
        CM_FreeMap(&map);
    }
    print_message("seeds 0..%d: %d sweeps against exact geometry, %d hits\n", rooms - 1, checked,
                  hits);
    assert_true(checked > rooms * 150);
    assert_true(hits > rooms * 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents),      cmocka_unit_test(test_stop),
        cmocka_unit_test(test_no_hit),        cmocka_unit_test(test_start_in_solid),
        cmocka_unit_test(test_deepest_stack), cmocka_unit_test(test_hostile_sharing),
        cmocka_unit_test(test_split_limit),   cmocka_unit_test(test_grazing),
        cmocka_unit_test(test_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
