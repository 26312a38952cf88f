// Tests of poses of pushers, and of the effect of a rigid motion on riders: against independent
// matrices, over long times, and with records that no game would write.

#include "lib/testing.h"

#include "base/rng.h"
#include "math/angles.h"
#include "move/pusher.h"

#include <math.h>
#include <string.h>

static vec3_t random_vector(rng_t *rng, float limit) {
    float x = Rng_Range(rng, -limit, limit);
    float y = Rng_Range(rng, -limit, limit);
    return Vector(x, y, Rng_Range(rng, -limit, limit));
}

static float distance(vec3_t a, vec3_t b) {
    return VectorLength(VectorSubtract(a, b));
}

static void assert_vector(vec3_t found, float x, float y, float z, float within) {
    if (!(distance(found, Vector(x, y, z)) <= within)) {
        fail_msg("found %.9g %.9g %.9g, expected %g %g %g", (double)found.x, (double)found.y,
                 (double)found.z, (double)x, (double)y, (double)z);
    }
}

static motion_t lift(void) {
    return (motion_t){.start_ms = 1000,
                      .kind = MOTION_MOVE,
                      .duration_ms = 2000,
                      .base = {{16.5f, 0.0f, 8.0f}, {0.0f, 10.0f, 0.0f}},
                      .delta = {0.0f, 0.0f, 200.0f},
                      .delta_angles = {0.0f, 90.0f, 0.0f}};
}

static void test_move_has_exact_ends(void **state) {
    (void)state;
    motion_t motion = lift();
    assert_vector(PM_PusherPose(&motion, -50, NULL).origin, 16.5f, 0.0f, 8.0f, 0.0f);
    assert_vector(PM_PusherPose(&motion, 1000, NULL).origin, 16.5f, 0.0f, 8.0f, 0.0f);
    assert_vector(PM_PusherPose(&motion, 2000, NULL).origin, 16.5f, 0.0f, 108.0f, 0.0f);
    assert_vector(PM_PusherPose(&motion, 2000, NULL).angles, 0.0f, 55.0f, 0.0f, 0.0f);
    assert_vector(PM_PusherPose(&motion, 3000, NULL).origin, 16.5f, 0.0f, 208.0f, 0.0f);
    assert_vector(PM_PusherPose(&motion, INT64_MAX, NULL).origin, 16.5f, 0.0f, 208.0f, 0.0f);
    assert_true(PM_PusherGoesOn(&motion, 2999));
    assert_true(!PM_PusherGoesOn(&motion, 3000));
    motion.bend = Vector(0.0f, 40.0f, 0.0f);
    assert_vector(PM_PusherPose(&motion, 2000, NULL).origin, 16.5f, 40.0f, 108.0f, 0.0f);
    assert_vector(PM_PusherPose(&motion, 1500, NULL).origin, 16.5f, 30.0f, 58.0f, 0.0f);
    assert_vector(PM_PusherPose(&motion, 3000, NULL).origin, 16.5f, 0.0f, 208.0f, 0.0f);
}

static void test_spin_is_exact_for_days(void **state) {
    (void)state;
    motion_t motion = {.kind = MOTION_SPIN,
                       .duration_ms = 1000,
                       .base = {{1.0f, 2.0f, 3.0f}, {0.0f, 30.0f, 0.0f}},
                       .delta_angles = {0.0f, 50.0f, 0.0f}};
    assert_true(PM_PusherPose(&motion, 2000, NULL).angles.y == 130.0f);
    // 36 s are five turns: after 30 days the bits must be the same.
    int64_t days_ms = INT64_C(36000) * 72000;
    for (int64_t t_ms = 1; t_ms < 5000; t_ms += 7) {
        float first = PM_PusherPose(&motion, t_ms, NULL).angles.y;
        float later = PM_PusherPose(&motion, days_ms + t_ms, NULL).angles.y;
        assert_true(first == later);
    }
    assert_true(PM_PusherGoesOn(&motion, INT64_MAX));
}

static void test_swing_goes_to_and_fro(void **state) {
    (void)state;
    motion_t motion = {.kind = MOTION_SWING,
                       .duration_ms = 4000,
                       .delta = {0.0f, 0.0f, 10.0f},
                       .delta_angles = {0.0f, 0.0f, 45.0f}};
    assert_vector(PM_PusherPose(&motion, 1000, NULL).origin, 0.0f, 0.0f, 10.0f, 0.0f);
    assert_vector(PM_PusherPose(&motion, 2000, NULL).origin, 0.0f, 0.0f, 0.0f, 0.0f);
    assert_vector(PM_PusherPose(&motion, 3000, NULL).angles, 0.0f, 0.0f, -45.0f, 0.0f);
    assert_vector(PM_PusherPose(&motion, 4000 * 100000 + 500, NULL).origin, 0.0f, 0.0f,
                  10.0f * sqrtf(0.5f), 1e-5f);
}

static void test_impossible_records_stand_still(void **state) {
    (void)state;
    motion_t motion = lift();
    motion.duration_ms = 0;
    assert_vector(PM_PusherPose(&motion, 5000, NULL).origin, 16.5f, 0.0f, 8.0f, 0.0f);
    motion.duration_ms = -5;
    assert_vector(PM_PusherPose(&motion, 5000, NULL).origin, 16.5f, 0.0f, 8.0f, 0.0f);
    assert_false(PM_PusherGoesOn(&motion, 0));
    motion = lift();
    motion.kind = 77;
    assert_vector(PM_PusherPose(&motion, 5000, NULL).origin, 16.5f, 0.0f, 8.0f, 0.0f);
    // Random bits must not crash it or make it loop forever. The sanitizers check the rest.
    rng_t rng = {5};
    for (int i = 0; i < 200000; i++) {
        union {
            motion_t motion;
            uint64_t words[sizeof(motion_t) / 8];
        } any;
        for (size_t k = 0; k < COUNTOF(any.words); k++) {
            any.words[k] = Rng_Next(&rng);
        }
        any.motion.kind = i % 5;
        pose_t parent = {any.motion.bend, any.motion.delta};
        pose_t pose = PM_PusherPose(&any.motion, (int64_t)Rng_Next(&rng), &parent);
        pm_carry_t carry = PM_Carry(parent, pose);
        vec3_t point = PM_CarryPoint(&carry, any.motion.delta_angles);
        (void)PM_PusherVelocity(pose, parent.origin, parent.angles, point);
        assert_true(carry.yaw_short >= -32768);
        assert_true(carry.yaw_short <= 32767);
    }
}

static void test_unturned_parent_keeps_the_childs_angles(void **state) {
    (void)state;
    motion_t door = lift();
    door.base.angles = Vector(3.0f, 200.0f, 7.0f);
    door.parent = 5;
    door.parent_base = (pose_t){{100.0f, 0.0f, 0.0f}, {0.0f, 45.0f, 0.0f}};
    pose_t parent = {{100.0f, 50.0f, -20.0f}, {0.0f, 45.0f, 0.0f}};
    pose_t pose = PM_PusherPose(&door, 3000, &parent);
    assert_vector(pose.origin, 16.5f, 50.0f, 188.0f, 0.0f);
    assert_true(pose.angles.x == 3.0f);
    assert_true(pose.angles.y == 290.0f);
    assert_true(pose.angles.z == 7.0f);
}

static void test_turned_parent_carries_the_child_round(void **state) {
    (void)state;
    motion_t door = {.base = {{10.0f, 0.0f, 5.0f}, {20.0f, 0.0f, 0.0f}}, .parent = 1};
    pose_t parent = {{0.0f, 0.0f, 1.0f}, {0.0f, 90.0f, 0.0f}};
    pose_t pose = PM_PusherPose(&door, 0, &parent);
    assert_vector(pose.origin, 0.0f, 10.0f, 6.0f, 1e-6f);
    assert_vector(pose.angles, 20.0f, 90.0f, 0.0f, 0.0f);
    // If the parent is tipped forward, its front points down.
    parent.angles = Vector(90.0f, 0.0f, 0.0f);
    pose = PM_PusherPose(&door, 0, &parent);
    assert_vector(pose.origin, 5.0f, 0.0f, -9.0f, 1e-5f);
    vec3_t forward, expected;
    AngleVectors(pose.angles, &forward, NULL, NULL);
    AngleVectors(Vector(110.0f, 0.0f, 0.0f), &expected, NULL, NULL);
    assert_true(distance(forward, expected) < 1e-5f);
}

// Tests PM_TurnedAngles: the axes of a turned child equal the child's own axes turned by its
// parent.
static void test_turned_angles_are_the_turned_axes(void **state) {
    (void)state;
    rng_t rng = {11};
    for (int i = 0; i < 20000; i++) {
        pose_t from = {random_vector(&rng, 500.0f), random_vector(&rng, 180.0f)};
        pose_t to = {random_vector(&rng, 500.0f), random_vector(&rng, 180.0f)};
        vec3_t own = random_vector(&rng, 180.0f);
        pm_carry_t carry = PM_Carry(from, to);
        vec3_t all = PM_CarryAngles(&carry, own);
        vec3_t own_axes[3], axes[3];
        AngleVectors(own, &own_axes[0], &own_axes[1], &own_axes[2]);
        AngleVectors(all, &axes[0], &axes[1], &axes[2]);
        for (int k = 0; k < 3; k++) {
            vec3_t expected = PM_CarryVector(&carry, own_axes[k]);
            assert_true(distance(axes[k], expected) < 2e-5f);
        }
    }
}

static void test_carry_is_rigid_and_goes_back(void **state) {
    (void)state;
    rng_t rng = {12};
    for (int i = 0; i < 20000; i++) {
        pose_t from = {random_vector(&rng, 500.0f), random_vector(&rng, 180.0f)};
        pose_t to = {random_vector(&rng, 500.0f), random_vector(&rng, 180.0f)};
        pm_carry_t there = PM_Carry(from, to);
        pm_carry_t back = PM_Carry(to, from);
        vec3_t a = random_vector(&rng, 500.0f);
        vec3_t b = random_vector(&rng, 500.0f);
        vec3_t a_there = PM_CarryPoint(&there, a);
        vec3_t b_there = PM_CarryPoint(&there, b);
        assert_true(fabsf(distance(a, b) - distance(a_there, b_there)) < 1e-3f);
        assert_true(distance(PM_CarryPoint(&back, a_there), a) < 1e-3f);
    }
}

// Tests an hour on a platform that turns: the rider must not drift.
static void test_rider_of_a_turning_platform_does_not_drift(void **state) {
    (void)state;
    motion_t platform = {.kind = MOTION_SPIN,
                         .duration_ms = 1000,
                         .base = {{64.0f, -32.0f, 0.0f}, {0.0f, 0.0f, 0.0f}},
                         .delta_angles = {0.0f, 37.0f, 0.0f}};
    player_state_t player = {.origin = {64.0f + 120.0f, -32.0f, 24.03125f}};
    pose_t from = PM_PusherPose(&platform, 0, NULL);
    int32_t ticks = 3600 * 1000 / 16;
    for (int32_t i = 1; i <= ticks; i++) {
        pose_t to = PM_PusherPose(&platform, (int64_t)i * 16, NULL);
        pm_carry_t carry = PM_Carry(from, to);
        PM_CarryPlayer(&carry, &player);
        from = to;
    }
    vec3_t offset = VectorSubtract(player.origin, platform.base.origin);
    float radius = sqrtf(offset.x * offset.x + offset.y * offset.y);
    // The error of the last bits grows only like a random walk.
    assert_true(fabsf(radius - 120.0f) < 0.02f);
    float bearing = Atan2(offset.y, offset.x);
    assert_true(fabsf(AngleNormalize180(bearing - from.angles.y)) < 0.02f);
    assert_true(player.origin.z == 24.03125f);
    assert_int_equal(player.delta_yaw,
                     // The player's view is exact to the last angle step.
                     AngleToShort(from.angles.y));
}

static void test_tilting_pusher_turns_the_view_by_its_twist(void **state) {
    (void)state;
    pm_carry_t carry =
        PM_Carry((pose_t){{0}, {0.0f, 0.0f, 0.0f}}, (pose_t){{0}, {25.0f, 0.0f, 0.0f}});
    assert_true(fabsf(carry.yaw) < 1e-4f);
    assert_true(abs(carry.yaw_short) <= 1);
    carry = PM_Carry((pose_t){{0}, {0.0f, 170.0f, 0.0f}}, (pose_t){{0}, {0.0f, -170.0f, 0.0f}});
    assert_true(fabsf(carry.yaw - 20.0f) < 1e-4f);
    assert_in_range(carry.yaw_short, 3640, 3641); // difference of two rounded views
    // A pusher that tilts and turns at once turns the view by about its own turn.
    carry = PM_Carry((pose_t){{0}, {0.0f, 0.0f, 0.0f}}, (pose_t){{0}, {10.0f, 30.0f, 5.0f}});
    assert_true(fabsf(carry.yaw - 30.0f) < 1.0f);
    assert_int_equal(carry.yaw_short, (int32_t)AngleToShort(carry.yaw));
}

// Tests the velocity at a point against the difference of two poses a moment apart.
static void test_velocity_at_a_point(void **state) {
    (void)state;
    rng_t rng = {13};
    for (int i = 0; i < 5000; i++) {
        pose_t pose = {random_vector(&rng, 300.0f), random_vector(&rng, 80.0f)};
        vec3_t velocity = random_vector(&rng, 300.0f);
        vec3_t avelocity = random_vector(&rng, 90.0f);
        vec3_t point = VectorAdd(pose.origin, random_vector(&rng, 100.0f));
        const float dt = 1.0f / 256.0f;
        pose_t before = {VectorMA(pose.origin, -dt, velocity),
                         VectorMA(pose.angles, -dt, avelocity)};
        pose_t after = {VectorMA(pose.origin, dt, velocity), VectorMA(pose.angles, dt, avelocity)};
        pm_carry_t back = PM_Carry(pose, before);
        pm_carry_t on = PM_Carry(pose, after);
        vec3_t way = VectorSubtract(PM_CarryPoint(&on, point), PM_CarryPoint(&back, point));
        vec3_t expected = VectorScale(way, 0.5f / dt);
        vec3_t found = PM_PusherVelocity(pose, velocity, avelocity, point);
        assert_true(distance(found, expected) < 0.1f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_move_has_exact_ends),
        cmocka_unit_test(test_spin_is_exact_for_days),
        cmocka_unit_test(test_swing_goes_to_and_fro),
        cmocka_unit_test(test_impossible_records_stand_still),
        cmocka_unit_test(test_unturned_parent_keeps_the_childs_angles),
        cmocka_unit_test(test_turned_parent_carries_the_child_round),
        cmocka_unit_test(test_turned_angles_are_the_turned_axes),
        cmocka_unit_test(test_carry_is_rigid_and_goes_back),
        cmocka_unit_test(test_rider_of_a_turning_platform_does_not_drift),
        cmocka_unit_test(test_tilting_pusher_turns_the_view_by_its_twist),
        cmocka_unit_test(test_velocity_at_a_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
