// Tests of CM_BoxBoxTrace: it must give the result of a hull of six planes, except for rounding.

#include "base/rng.h"
#include "collide/cmodel.h"
#include "collide/hull/hull.h"
#include "lib/testing.h"

static const bounds_t crate = {{-20.0f, -30.0f, 0.0f}, {20.0f, 30.0f, 40.0f}};
static const vec3_t player_mins = {-16.0f, -16.0f, -24.0f};
static const vec3_t player_maxs = {16.0f, 16.0f, 32.0f};

static trace_t sweep_player(vec3_t start, vec3_t end) {
    return CM_BoxBoxTrace(crate, start, end, player_mins, player_maxs);
}

static void assert_vector(vec3_t v, float x, float y, float z) {
    assert_true(v.x == x);
    assert_true(v.y == y);
    assert_true(v.z == z);
}

/// Tests one sweep at each face, through its middle.
static void test_faces(void **state) {
    (void)state;
    const vec3_t grown_mins = {-36.0f, -46.0f, -32.0f};
    const vec3_t grown_maxs = {36.0f, 46.0f, 64.0f};
    for (int32_t axis = 0; axis < 3; axis++) {
        for (int side = 0; side < 2; side++) {
            float sign = side ? -1.0f : 1.0f;
            float face = VectorAxis(side ? grown_mins : grown_maxs, axis);
            float from[3] = {0.0f, 0.0f, 16.0f};
            float to[3] = {0.0f, 0.0f, 16.0f};
            from[axis] = face + sign * 100.0f;
            to[axis] = face - sign * 10.0f;
            trace_t trace =
                sweep_player(Vector(from[0], from[1], from[2]), Vector(to[0], to[1], to[2]));
            assert_true(fabsf(VectorAxis(trace.endpos, axis) - (face + sign * CM_DIST_EPSILON)) <
                        1e-4f);
            assert_true(VectorAxis(trace.plane.normal, axis) == sign);
            assert_true(VectorLength(trace.plane.normal) == 1.0f);
            assert_true(trace.plane.dist == sign * face);
            assert_int_equal(trace.plane.type, side ? PLANE_ANY : axis);
            assert_int_equal(trace.contents, CONTENTS_EMPTY);
        }
    }
}

static void test_misses(void **state) {
    (void)state;
    trace_t trace = sweep_player(Vector(36.0f, -200.0f, 0.0f), Vector(36.0f, 200.0f, 0.0f));
    assert_true(trace.fraction == 1.0f);
    assert_false(trace.startsolid); // boxes that only touch do not hit
    assert_vector(trace.plane.normal, 0.0f, 0.0f, 0.0f);
    trace = sweep_player(Vector(35.0f, -200.0f, 0.0f), Vector(35.0f, 200.0f, 0.0f));
    assert_true(trace.fraction < 1.0f);
    trace = sweep_player(Vector(100.0f, 0.0f, 0.0f), Vector(200.0f, 0.0f, 0.0f));
    assert_true(trace.fraction == 1.0f);
    assert_vector(trace.endpos, 200.0f, 0.0f, 0.0f);
}

static void test_start_in_solid(void **state) {
    (void)state;
    trace_t trace = sweep_player(Vector(1.0f, 2.0f, 3.0f), Vector(9.0f, 9.0f, 9.0f));
    assert_true(trace.startsolid);
    assert_true(trace.allsolid);
    assert_true(trace.fraction == 0.0f);
    assert_vector(trace.endpos, 1.0f, 2.0f, 3.0f);
    assert_int_equal(trace.contents, CONTENTS_SOLID);
    trace = sweep_player(Vector(1.0f, 2.0f, 3.0f), Vector(99.0f, 2.0f, 3.0f));
    assert_true(trace.startsolid);
    assert_false(trace.allsolid);
    assert_true(trace.fraction == 1.0f);
    assert_vector(trace.endpos, 99.0f, 2.0f, 3.0f);
}

/// Makes the hull that equals the box. Its faces are in the order in which CM_BoxBoxTrace tests
/// them.
static void make_hull(hull_t *hull, plane_t planes[6], clipnode_t nodes[6], bounds_t grown) {
    for (int32_t i = 0; i < 6; i++) {
        float sign = i % 2 ? -1.0f : 1.0f;
        int32_t axis = i / 2;
        planes[i].normal =
            Vector(axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f);
        planes[i].dist = sign * VectorAxis(i % 2 ? grown.mins : grown.maxs, axis);
        planes[i].type = PlaneType(planes[i].normal);
        nodes[i] = CM_ClipNode(planes, i, CONTENTS_EMPTY, i < 5 ? i + 1 : CONTENTS_SOLID);
    }
    *hull = (hull_t){.nodes = nodes, .planes = planes, .root = 0};
}

static vec3_t random_vector(rng_t *rng, float size) {
    return Vector(Rng_Range(rng, -size, size), Rng_Range(rng, -size, size),
                  Rng_Range(rng, -size, size));
}

// Rounds a point to a grid of 1/8: sums of such numbers are exact, so their order does not matter.
static vec3_t on_grid(vec3_t v) {
    return Vector(floorf(v.x * 8.0f) / 8.0f, floorf(v.y * 8.0f) / 8.0f, floorf(v.z * 8.0f) / 8.0f);
}

static void test_same_as_hull(void **state) {
    (void)state;
    rng_t rng = {11};
    int hits = 0;
    int inside = 0;
    int others = 0;
    for (int i = 0; i < 200000; i++) {
        vec3_t middle = on_grid(random_vector(&rng, i % 2 ? 4000.0f : 40.0f));
        vec3_t half = {Rng_Range(&rng, 0.0f, 60.0f), Rng_Range(&rng, 0.0f, 60.0f),
                       Rng_Range(&rng, 0.0f, 60.0f)};
        half = on_grid(half);
        bounds_t target = {VectorSubtract(middle, half), VectorAdd(middle, half)};
        bounds_t grown = {VectorSubtract(target.mins, player_maxs),
                          VectorSubtract(target.maxs, player_mins)};
        vec3_t start = VectorAdd(middle, on_grid(random_vector(&rng, 150.0f)));
        vec3_t end = VectorAdd(middle, on_grid(random_vector(&rng, 150.0f)));
        if (i % 3 == 0) { // the sweep runs along a face
            start.z = grown.maxs.z;
            end.z = start.z;
        }
        plane_t planes[6];
        clipnode_t nodes[6];
        hull_t hull;
        make_hull(&hull, planes, nodes, grown);
        trace_t expected = CM_HullTrace(&hull, start, end);
        trace_t trace = CM_BoxBoxTrace(target, start, end, player_mins, player_maxs);
        if (!VectorCompare(trace.plane.normal, expected.plane.normal)) {
            others++; // at an edge of the box, the last bit decides which face is hit
            continue;
        }
        assert_true(fabsf(trace.fraction - expected.fraction) < 1e-5f);
        assert_true(VectorLength(VectorSubtract(trace.endpos, expected.endpos)) < 5e-3f);
        assert_true(trace.plane.dist == expected.plane.dist);
        assert_int_equal(trace.plane.type, expected.plane.type);
        assert_int_equal(trace.contents, expected.contents);
        assert_int_equal(trace.startsolid, expected.startsolid);
        assert_int_equal(trace.allsolid, expected.allsolid);
        hits += trace.fraction < 1.0f;
        inside += trace.startsolid;
    }
    print_message("seed 11: %d hits, %d starts inside\n", hits, inside);
    assert_true(hits > 10000);
    assert_true(inside > 3000);
    assert_true(others < 20);
}

static bool is_inside(vec3_t origin, vec3_t other) {
    bounds_t box = {VectorAdd(other, player_mins), VectorAdd(other, player_maxs)};
    return CM_BoxBoxTrace(box, origin, origin, player_mins, player_maxs).startsolid;
}

/// Tests players that stopped at each other: either both are inside of each other or neither is.
static void test_both_agree(void **state) {
    (void)state;
    rng_t rng = {12};
    int inside = 0;
    for (int i = 0; i < 200000; i++) {
        vec3_t a = random_vector(&rng, 4000.0f);
        vec3_t b = VectorAdd(a, random_vector(&rng, 20.0f));
        // Nearer or farther than touching only by rounding.
        b.x = a.x + 32.0f - Rng_Range(&rng, -1e-3f, 1e-3f);
        assert_int_equal(is_inside(a, b), is_inside(b, a));
        inside += is_inside(a, b);
    }
    print_message("seed 12: %d of 200000 inside by a last bit\n", inside);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces),          cmocka_unit_test(test_misses),
        cmocka_unit_test(test_start_in_solid), cmocka_unit_test(test_same_as_hull),
        cmocka_unit_test(test_both_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
