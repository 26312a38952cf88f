// Tests of boxes against single brushes of random shape, unturned and turned, checked with exact
// geometry in double: sweeps, sweeps out of solid, and touching.

#include "base/rng.h"
#include "bsp/bsp.h"
#include "lib/map_fixture.h"
#include "lib/solid_fixture.h"
#include "lib/testing.h"

#include <string.h>

// Error of the floats in qu: the test moves its planes by so much before it complains.
#define ROUNDING 0.004

static const vec3_t zero = {0.0f, 0.0f, 0.0f};

/// Stores a map whose model "*1" has one brush, and the same brush in double.
typedef struct {
    cmap_t map;
    test_solid_t solid;
} case_t;

static vec3_t random_vector(rng_t *rng, float size) {
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -size, size));
}

static vec3_t random_half(rng_t *rng, float least, float most) {
    float x = Rng_Range(rng, least, most);
    float y = Rng_Range(rng, least, most);
    return Vector(x, y, Rng_Range(rng, least, most));
}

/// Appends bytes to the smallest file with such a model, which the map is then loaded from.
static void put(uint8_t **at, const void *data, size_t size) {
    memcpy(*at, data, size);
    *at += size;
}

static void put_i32(uint8_t **at, int32_t value) {
    put(at, &value, sizeof value); // little-endian, like all machines that run the tests
}

static void append_list(uint8_t *bytes, size_t *size, bounds_t box, const brush_plane_t *planes,
                        int32_t num_planes) {
    uint8_t *at = bytes + *size;
    while ((at - bytes) % 4 != 0) {
        *at++ = 0;
    }
    static const char name[24] = "BRUSHLIST";
    int32_t offset = (int32_t)(at - bytes) + 8 + 32;
    put(&at, "BSPX", 4);
    put_i32(&at, 1);
    put(&at, name, sizeof name);
    put_i32(&at, offset);
    put_i32(&at, 16 + 16 + 28 + 16 * num_planes);
    const int32_t lists[] = {1, 0, 0, 0, 1, 1, 1, num_planes};
    put(&at, lists, sizeof lists);
    put(&at, &box, sizeof box);
    put_i32(&at, (CONTENTS_SOLID & 0xffff) | num_planes << 16);
    put(&at, planes, (size_t)num_planes * sizeof *planes);
    *size = (size_t)(at - bytes);
}

/// Makes a box with up to six corners and edges cut off.
static bool make_case(case_t *c, rng_t *rng) {
    brush_plane_t planes[6];
    vec3_t half = random_half(rng, 4.0f, 60.0f);
    vec3_t middle = random_vector(rng, 30.0f);
    bounds_t box = {VectorSubtract(middle, half), VectorAdd(middle, half)};
    c->solid = TestSolid_Box(box);
    int32_t count = (int32_t)Rng_Below(rng, 7);
    for (int32_t i = 0; i < count; i++) {
        vec3_t n = random_vector(rng, 1.0f);
        if (Rng_Below(rng, 3) == 0) { // cut along an axis, like most ramps
            n = Rng_Below(rng, 2) ? Vector(n.x, n.y, 0.0f) : Vector(0.0f, n.y, n.z);
        }
        n = VectorNormalize(n, NULL);
        float reach = half.x * fabsf(n.x) + half.y * fabsf(n.y) + half.z * fabsf(n.z);
        planes[i] = (brush_plane_t){n, DotProduct(n, middle) + reach * Rng_Range(rng, 0.2f, 0.95f)};
        TestSolid_Cut(&c->solid, planes[i].normal, planes[i].dist);
    }
    const test_block_t block = {.box = box, .contents = CONTENTS_SOLID, .model = 1};
    const test_map_t room = {.room = {{-512.0f, -512.0f, -512.0f}, {512.0f, 512.0f, 512.0f}},
                             .blocks = &block,
                             .num_blocks = 1};
    size_t size = 0;
    uint8_t *bytes = TestMap_Bytes(&room, &size);
    bytes = realloc(bytes, size + 512);
    assert_non_null(bytes);
    append_list(bytes, &size, box, planes, count);
    err_t err = {{0}};
    bool good = BSP_Parse(&c->map, "brush", bytes, size, &err);
    if (!good) {
        print_error("%s\n", err.text);
    }
    free(bytes);
    return good;
}

static test_solid_t box_at(vec3_t origin, bounds_t size) {
    return TestSolid_Box((bounds_t){VectorAdd(origin, size.mins), VectorAdd(origin, size.maxs)});
}

/// Counts queries and results, so that the test cannot pass without testing anything.
typedef struct {
    int hits, passes, starts, left;
} counts_t;

static void check_way(const test_solid_t *solid, const trace_t *trace, vec3_t start, bounds_t size,
                      rng_t *rng) {
    for (int i = 0; i < 3; i++) { // the path must be free up to the stop
        vec3_t at = i == 0 ? trace->endpos : VectorLerp(start, trace->endpos, Rng_Float(rng));
        test_solid_t box = box_at(at, size);
        assert_false(TestSolid_Overlap(solid, &box, -ROUNDING));
    }
}

/// Checks that the box overlaps exactly if its sweep starts in solid, and that the contact leads
/// out.
static void check_overlap(const case_t *c, const cm_object_t *place, bounds_t box, bool solid) {
    cm_contact_t contact;
    int32_t count = CM_Overlap(&c->map, place, box, &contact, 1);
    assert_int_equal(count, solid);
    if (count == 0) {
        return;
    }
    assert_true(contact.depth > 0.0f);
    assert_true(contact.surface == 0);
    assert_true(fabsf(VectorLength(contact.normal) - 1.0f) < 1e-4f);
    vec3_t by = VectorScale(contact.normal, contact.depth + 0.02f);
    test_solid_t there =
        TestSolid_Box((bounds_t){VectorAdd(box.mins, by), VectorAdd(box.maxs, by)});
    test_solid_t brush = TestSolid_Placed(&c->solid, place->origin, place->angles);
    assert_false(TestSolid_Overlap(&brush, &there, 0.0));
    assert_false(CM_BoxTouches(&c->map, place, by, box.mins, box.maxs));
}

static void check_sweep(const case_t *c, const cm_object_t *place, rng_t *rng, counts_t *counts) {
    test_solid_t solid = TestSolid_Placed(&c->solid, place->origin, place->angles);
    vec3_t half = random_half(rng, 0.5f, 40.0f);
    vec3_t middle = random_vector(rng, 10.0f);
    bounds_t size = {VectorSubtract(middle, half), VectorAdd(middle, half)};
    float far = Rng_Below(rng, 4) ? 200.0f : 40.0f;
    vec3_t start = VectorAdd(place->origin, random_vector(rng, far));
    vec3_t end = VectorAdd(place->origin, random_vector(rng, Rng_Below(rng, 2) ? 60.0f : 200.0f));
    trace_t trace = CM_BoxTrace(&c->map, place, start, end, size.mins, size.maxs);
    test_solid_t first = box_at(start, size);
    assert_int_equal(CM_BoxTouches(&c->map, place, start, size.mins, size.maxs), trace.startsolid);
    check_overlap(c, place, (bounds_t){VectorAdd(start, size.mins), VectorAdd(start, size.maxs)},
                  trace.startsolid);
    if (trace.startsolid) {
        counts->starts++;
        assert_true(TestSolid_Overlap(&solid, &first, ROUNDING));
        test_solid_t last = box_at(trace.allsolid ? end : trace.endpos, size);
        assert_int_equal(trace.fraction, !trace.allsolid); // there is no second brush to hit
        if (trace.allsolid) {
            assert_true(TestSolid_Overlap(&solid, &last, ROUNDING));
        } else {
            counts->left++;
            assert_false(TestSolid_Overlap(&solid, &last, -ROUNDING));
        }
        return;
    }
    assert_false(TestSolid_Overlap(&solid, &first, -ROUNDING));
    check_way(&solid, &trace, start, size, rng);
    if (trace.fraction == 1.0f) {
        counts->passes++;
        return;
    }
    counts->hits++;
    vec3_t n = trace.plane.normal;
    float length = VectorLength(n);
    assert_true(length > 0.9999f);
    assert_true(length < 1.0001f);
    assert_true(DotProduct(n, VectorSubtract(end, start)) < 0.0f);
    // Two epsilons further towards the plane, the box must be in solid: it stopped neither too
    // early nor at the wrong plane.
    test_solid_t on =
        box_at(VectorMA(trace.endpos, -2.0f * CM_DIST_EPSILON, trace.plane.normal), size);
    vec3_t way = VectorSubtract(end, start);
    float slope = -DotProduct(n, way);
    vec3_t contact = VectorMA(trace.endpos, 2.0f * CM_DIST_EPSILON / slope, way);
    test_solid_t there = box_at(contact, size);
    assert_true(TestSolid_Overlap(&solid, &on, ROUNDING) ||
                TestSolid_Overlap(&solid, &there, ROUNDING));
    float ahead = DotProduct(n, trace.endpos) - trace.plane.dist;
    // Near a corner, the box may be an epsilon away from a second plane instead.
    assert_true((ahead > -0.002f && ahead < CM_DIST_EPSILON + 0.002f) || trace.fraction == 0.0f);
    assert_true(trace.contents == CONTENTS_EMPTY);
    assert_true(trace.entnum == TRACE_NOTHING);
}

static vec3_t quarter_turns(rng_t *rng) {
    float pitch = 90.0f * (float)Rng_Below(rng, 4);
    float yaw = 90.0f * (float)Rng_Below(rng, 4);
    return Vector(pitch, yaw, 90.0f * (float)Rng_Below(rng, 4));
}

static vec3_t random_angles(rng_t *rng) {
    switch (Rng_Below(rng, 5)) {
    case 0: // like a door
        return Vector(0.0f, Rng_Range(rng, -360.0f, 360.0f), 0.0f);
    case 1: // by quarter turns
        return quarter_turns(rng);
    case 2: // by a tiny angle
        return random_vector(rng, 0.01f);
    default:
        return random_vector(rng, 180.0f);
    }
}

static void run_cases(uint64_t seed, bool turned) {
    const int rounds = Test_IsLong() ? 20000 : Test_IsSlow() ? 400 : 1500;
    rng_t rng = {seed};
    counts_t counts = {0};
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < rounds; i++) {
        case_t c;
        assert_true(make_case(&c, &rng));
        for (int n = 0; n < 8; n++) {
            cm_object_t place = {.model = 1,
                                 .solids = CM_SOLIDS_BRUSHES,
                                 .origin = n < 2 ? zero : random_vector(&rng, 2000.0f),
                                 .angles = turned ? random_angles(&rng) : zero};
            check_sweep(&c, &place, &rng, &counts);
        }
        CM_FreeMap(&c.map);
    }
    print_message("%d hits, %d passes, %d starts in solid, of which %d got out\n", counts.hits,
                  counts.passes, counts.starts, counts.left);
    assert_true(counts.hits > rounds);
    assert_true(counts.passes > rounds);
    assert_true(counts.starts > rounds / 4);
    assert_true(counts.left > rounds / 8);
}

static void test_unturned(void **state) {
    (void)state;
    run_cases(31, false);
}

static void test_turned(void **state) {
    (void)state;
    run_cases(32, true);
}

// Tests infinite boxes and NaN in every lane of a node, including lanes without a brush.
static void test_what_is_no_box(void **state) {
    (void)state;
    const test_block_t blocks[] = {
        {.box = {{-8.0f, -8.0f, -8.0f}, {8.0f, 8.0f, 8.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
        {.box = {{8.0f, 8.0f, 8.0f}, {9.0f, 9.0f, 9.0f}}, .contents = CONTENTS_SOLID, .model = 1}};
    const test_map_t map_of = {.room = {{-512.0f, -512.0f, -512.0f}, {512.0f, 512.0f, 512.0f}},
                               .blocks = blocks,
                               .num_blocks = 2,
                               .brush_list = true};
    const float sizes[] = {1e30f, 3e38f, INFINITY, NAN};
    cmap_t map;
    assert_true(TestMap_Build(&map, &map_of));
    cm_object_t place = {.model = 1, .solids = CM_SOLIDS_BRUSHES};
    for (size_t i = 0; i < COUNTOF(sizes); i++) {
        vec3_t half = {sizes[i], sizes[i], sizes[i]};
        bounds_t box = {VectorNegate(half), half};
        cm_contact_t contacts[4];
        int32_t met = CM_Overlap(&map, &place, box, contacts, 4);
        assert_in_range(met, 0, 2);
        CM_Contents(&map, &place, half);
    }
    CM_FreeMap(&map);
}

// Tests maps without brushes: the swept box is turned together with the model. The error of overlap
// and sweep is at most the limit in the README.
static void test_turned_hull_error(void **state) {
    (void)state;
    const int rounds = Test_IsLong() ? 20000 : Test_IsSlow() ? 400 : 1500;
    const bounds_t size = {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}};
    const double most[2] = {6.63, 20.0}; // model turned around z; around any axis
    rng_t rng = {33};
    int hits = 0;
    for (int i = 0; i < rounds; i++) {
        vec3_t half = random_half(&rng, 4.0f, 60.0f);
        const test_block_t block = {
            .box = {VectorNegate(half), half}, .contents = CONTENTS_SOLID, .model = 1};
        cmap_t map;
        assert_true(TestMap_Build(
            &map, &(test_map_t){.room = {{-512.0f, -512.0f, -512.0f}, {512.0f, 512.0f, 512.0f}},
                                .blocks = &block,
                                .num_blocks = 1}));
        cm_object_t place = {.model = 1, .origin = random_vector(&rng, 1000.0f)};
        place.angles = random_vector(&rng, 180.0f);
        if (i % 2 == 0) {
            place.angles.x = place.angles.z = 0.0f;
        }
        // Grow both bodies by half of the error: bodies that are less than the error apart must
        // then meet.
        double grow = most[i % 2] / 2.0 + ROUNDING;
        test_solid_t solid = TestSolid_Box(block.box);
        solid = TestSolid_Placed(&solid, place.origin, place.angles);
        vec3_t start = VectorAdd(place.origin, random_vector(&rng, 200.0f));
        vec3_t end = VectorAdd(place.origin, random_vector(&rng, 60.0f));
        trace_t trace = CM_BoxTrace(&map, &place, start, end, size.mins, size.maxs);
        test_solid_t there = box_at(trace.startsolid ? start : trace.endpos, size);
        if (trace.startsolid) {
            assert_true(TestSolid_Overlap(&solid, &there, grow));
        } else {
            assert_false(TestSolid_Overlap(&solid, &there, -grow));
        }
        if (trace.fraction < 1.0f && !trace.startsolid) {
            hits++;
            assert_true(TestSolid_Overlap(&solid, &there, grow + (double)CM_DIST_EPSILON));
        }
        CM_FreeMap(&map);
    }
    assert_true(hits > rounds / 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_box),
        cmocka_unit_test(test_turned_hull_error),
        cmocka_unit_test(test_unturned),
        cmocka_unit_test(test_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
