// Tests of the effect of a pusher on one box, and of combining hits and volumes: single rules, on
// boxes.

#include "base/rng.h"
#include "collide/cmap.h"
#include "lib/testing.h"
#include "move/meet.h"
#include "move/push.h"

#define EPS CM_DIST_EPSILON

typedef struct {
    bounds_t map; ///< world model, which is one box
    bounds_t parts[2];
    bounds_t other; ///< obstacle that is neither a part of a pusher nor the map
} scene_t;

static const bounds_t nowhere = {{9000.0f, 9000.0f, 9000.0f}, {9001.0f, 9001.0f, 9001.0f}};

static trace_t trace_map(void *context, const pm_pushed_t *box, vec3_t start, vec3_t end) {
    const scene_t *scene = context;
    return CM_BoxBoxTrace(scene->map, start, end, box->mins, box->maxs);
}

static trace_t trace_part(void *context, int32_t part, const pm_pushed_t *box, vec3_t start,
                          vec3_t end) {
    const scene_t *scene = context;
    return CM_BoxBoxTrace(scene->parts[part], start, end, box->mins, box->maxs);
}

static bool is_free(void *context, const pm_pushed_t *box, vec3_t origin) {
    const scene_t *scene = context;
    const bounds_t solids[] = {scene->map, scene->parts[0], scene->parts[1], scene->other};
    for (size_t i = 0; i < COUNTOF(solids); i++) {
        if (CM_BoxBoxTrace(solids[i], origin, origin, box->mins, box->maxs).startsolid) {
            return false;
        }
    }
    return true;
}

static scene_t empty_scene(void) {
    return (scene_t){nowhere, {nowhere, nowhere}, nowhere};
}

static pm_push_world_t world_of(scene_t *scene) {
    return (pm_push_world_t){scene, trace_map, trace_part, is_free};
}

// Returns a cube of side 32 with its middle at a point.
static pm_pushed_t cube(float x, float y, float z) {
    return (pm_pushed_t){.origin = {x, y, z}, .mins = {-16, -16, -16}, .maxs = {16, 16, 16}};
}

static void assert_at(vec3_t found, float x, float y, float z) {
    if (!(VectorLength(VectorSubtract(found, Vector(x, y, z))) < 1e-4f)) {
        fail_msg("at %.9g %.9g %.9g, expected %g %g %g", (double)found.x, (double)found.y,
                 (double)found.z, (double)x, (double)y, (double)z);
    }
}

static void test_only_the_map_stops_what_is_carried(void **state) {
    (void)state;
    scene_t scene = empty_scene();
    scene.map = (bounds_t){{50, -100, -100}, {60, 100, 100}};
    scene.parts[0] = scene.other = (bounds_t){{20, -5, -5}, {30, 5, 5}};
    const pm_push_world_t world = world_of(&scene);
    pm_pushed_t box = cube(0, 0, 0);
    bool is_hit = false;
    assert_at(PM_PushThroughMap(&world, &box, Vector(100, 0, 0), &is_hit), 34.0f - EPS, 0, 0);
    assert_true(is_hit);
    assert_at(PM_PushThroughMap(&world, &box, Vector(30, 0, 0), &is_hit), 30, 0, 0);
    assert_false(is_hit);
    box = cube(40, 0, 0); // the cube starts in the wall, so it may pass
    assert_at(PM_PushThroughMap(&world, &box, Vector(100, 0, 0), &is_hit), 100, 0, 0);
    assert_false(is_hit);
    assert_at(PM_PushThroughMap(&world, &box, Vector(100, 0, 0), NULL), 100, 0, 0);
}

static void test_raised_by_at_most_a_step(void **state) {
    (void)state;
    scene_t scene = empty_scene();
    const pm_push_world_t world = world_of(&scene);
    const pm_pushed_t box = cube(0, 0, 16);
    vec3_t origin = {1, 2, 3};
    assert_false(PM_RaiseOnto(&world, &box, 0, &origin)); // there is nothing below the box
    assert_at(origin, 1, 2, 3);
    scene.parts[0] = (bounds_t){{-50, -50, -50}, {50, 50, 10}};
    assert_true(PM_RaiseOnto(&world, &box, 0, &origin));
    assert_at(origin, 0, 0, 26.0f + EPS);
    scene.parts[0].maxs.z = 17.9f;
    assert_true(PM_RaiseOnto(&world, &box, 0, &origin));
    scene.parts[0].maxs.z = 18.1f;
    assert_false(PM_RaiseOnto(&world, &box, 0, &origin));
    scene.parts[0].maxs.z = 10.0f;
    scene.other = (bounds_t){{-50, -50, 40}, {50, 50, 50}}; // no room for the head
    assert_false(PM_RaiseOnto(&world, &box, 0, &origin));
}

static void test_lowered_by_at_most_a_step(void **state) {
    (void)state;
    scene_t scene = empty_scene();
    const pm_push_world_t world = world_of(&scene);
    const pm_pushed_t box = cube(0, 0, 16);
    vec3_t origin = {1, 2, 3};
    assert_false(PM_LowerOnto(&world, &box, 0, &origin)); // there is nothing below the box
    scene.parts[0] = (bounds_t){{-50, -50, -50}, {50, 50, -0.1f}};
    assert_false(PM_LowerOnto(&world, &box, 0, &origin)); // a ground probe finds the part
    assert_at(origin, 1, 2, 3);
    scene.parts[0].maxs.z = -10.0f;
    assert_true(PM_LowerOnto(&world, &box, 0, &origin));
    assert_at(origin, 0, 0, 6.0f + EPS);
    scene.parts[0].maxs.z = -18.1f;
    assert_false(PM_LowerOnto(&world, &box, 0, &origin));
    scene.parts[0].maxs.z = -10.0f;
    scene.other = (bounds_t){{-50, -50, -9}, {50, 50, -8}};
    assert_false(PM_LowerOnto(&world, &box, 0, &origin)); // something else is on the part
}

static void test_pushed_just_so_far(void **state) {
    (void)state;
    scene_t scene = empty_scene();
    const pm_push_world_t world = world_of(&scene);
    const pm_pushed_t box = cube(0, 0, 0);
    vec3_t to = {1, 2, 3};
    const pm_carry_t motion =
        PM_Carry((pose_t){{-30, 0, 0}, {0, 0, 0}}, (pose_t){{-10, 0, 0}, {0, 0, 0}});
    scene.parts[1] = (bounds_t){{-30, -50, -50}, {-5, 50, 50}}; // the part has come 11 too far
    assert_true(PM_PushAway(&world, &box, 1, &motion, &to));
    assert_at(to, 11.0f + EPS, 0, 0);
    // The box is pushed by the whole motion.
    scene.parts[1].maxs.x = 4.0f;
    assert_true(PM_PushAway(&world, &box, 1, &motion, &to));
    assert_at(to, 20.0f + EPS, 0, 0);
    // The box beside the path is not pushed.
    scene.parts[1].maxs.x = -17.0f;
    to = Vector(1, 2, 3);
    assert_false(PM_PushAway(&world, &box, 1, &motion, &to));
    assert_at(to, 1, 2, 3);
    // The pusher contains the box on its whole path: the box was inside before, and is carried
    // along.
    scene.parts[1] = (bounds_t){{-60, -50, -50}, {60, 50, 50}};
    assert_true(PM_PushAway(&world, &box, 1, &motion, &to));
    assert_at(to, 20, 0, 0);
    // If no part contains the box, it is not carried.
    scene.parts[1] = (bounds_t){{17, -50, -50}, {60, 50, 50}};
    to = Vector(1, 2, 3);
    assert_false(PM_PushAway(&world, &box, 1, &motion, &to));
    assert_at(to, 1, 2, 3);
}

static void test_speed_of_a_tick_adds_up(void **state) {
    (void)state;
    vec3_t velocity = {0, 0, 0};
    vec3_t avelocity = {0, 0, 0};
    PM_AddPusherSpeed((pose_t){{1, 2, 3}, {0, 350, 0}}, (pose_t){{2, 4, 0}, {10, 10, -180}}, 0.5f,
                      &velocity, &avelocity);
    assert_at(velocity, 2, 4, -6);
    assert_at(avelocity, 20, 40, -360); // the short way around; half a turn keeps its sign
    PM_AddPusherSpeed((pose_t){{0, 0, 0}, {0, 0, 0}}, (pose_t){{1, 0, 0}, {0, 0, 1}}, 0.5f,
                      &velocity, &avelocity);
    assert_at(velocity, 4, 4, -6);
    assert_at(avelocity, 20, 40, -358);
}

// ---- hits and volumes ----

// Tests that any order gives the same hit: the nearest, then a start in solid, then the lowest
// number.
static void test_order_does_not_matter(void **state) {
    (void)state;
    static const struct {
        float fraction;
        bool startsolid;
        int32_t number;
    } hits[] = {{1.0f, false, 2}, {0.5f, false, 7}, {0.5f, false, 3},
                {0.5f, true, 9},  {0.5f, true, 8},  {1.0f, true, 1}};
    rng_t rng = {3};
    for (int32_t round = 0; round < 2000; round++) {
        pm_nearest_t found = PM_NearestBegin(Vector(1, 2, 3), CONTENTS_WATER);
        trace_t none = PM_NearestResult(&found);
        assert_true(none.fraction == 1.0f);
        assert_true(none.entnum == TRACE_NOTHING);
        assert_false(none.startsolid);
        assert_int_equal(none.contents, CONTENTS_WATER);
        assert_at(none.endpos, 1, 2, 3);
        int32_t order[COUNTOF(hits)];
        for (int32_t i = 0; i < (int32_t)COUNTOF(hits); i++) {
            int32_t at = (int32_t)Rng_Below(&rng, (uint32_t)i + 1);
            order[i] = order[at];
            order[at] = i;
        }
        uint32_t taken = Rng_Below(&rng, 64);
        int32_t expected = TRACE_NOTHING;
        static const int32_t ranked[] = {4, 3, 2, 1, 5}; // 0 hits nothing
        for (size_t i = 0; i < COUNTOF(ranked) && expected == TRACE_NOTHING; i++) {
            expected = taken >> ranked[i] & 1 ? hits[ranked[i]].number : TRACE_NOTHING;
        }
        for (size_t i = 0; i < COUNTOF(order); i++) {
            if (taken >> order[i] & 1) {
                const trace_t trace = {.fraction = hits[order[i]].fraction,
                                       .startsolid = hits[order[i]].startsolid};
                PM_NearestAdd(&found, trace, hits[order[i]].number);
            }
        }
        trace_t result = PM_NearestResult(&found);
        assert_int_equal(result.entnum, expected);
        assert_int_equal(result.startsolid, (taken & 0x38) != 0);
    }
}

static void test_the_first_ladder_counts(void **state) {
    (void)state;
    pm_volume_t volume = {.ladder = false};
    assert_false(PM_AddVolume(&volume, CONTENTS_WATER, Vector(1, 0, 0), 0.0f));
    assert_false(volume.ladder);
    assert_true(PM_AddVolume(&volume, CONTENTS_LADDER, Vector(0, 2, 0), 0.5f));
    assert_true(volume.ladder);
    assert_false(PM_AddVolume(&volume, CONTENTS_LADDER, Vector(0, 0, 4), 0.7f));
    assert_true(volume.ladder);
    assert_at(volume.current, 1, 2, 4);
    assert_true(volume.friction == 0.5f); // the smallest factor
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_the_map_stops_what_is_carried),
        cmocka_unit_test(test_raised_by_at_most_a_step),
        cmocka_unit_test(test_lowered_by_at_most_a_step),
        cmocka_unit_test(test_pushed_just_so_far),
        cmocka_unit_test(test_speed_of_a_tick_adds_up),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_the_first_ladder_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
