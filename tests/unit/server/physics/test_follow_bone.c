// MOVETYPE_FOLLOW with a bone: a follower has the pose of a bone of its leader, and sweeps hit it
// there.

#include "lib/golden_fixture.h"
#include "lib/model_fixture.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include "math/angles.h"
#include "model/pose.h"
#include "world/block.h"
#include "world/move.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARM = 1, SWORD = 2, RANDOM = 3, NUM_MODELS = 4 };

typedef struct {
    test_sim_t sim;
    test_model_t *made[NUM_MODELS];
    model_t models[NUM_MODELS]; ///< as in the context: [0] is none
    edict_t *leader, *sword;
} duel_t;

static void make_bone(test_model_t *test, int32_t number, const char *name, vec3_t place) {
    model_bone_t *bone = &test->bones[number];
    *bone = (model_bone_t){.parent = number - 1, .place = place, .turn = {0.0f, 0.0f, 0.0f, 1.0f}};
    memcpy(bone->name, name, strlen(name));
}

static void finish(duel_t *duel, int32_t number, test_model_t *test) {
    err_t err = {""};
    TestModel_Write(test);
    assert_true(Model_Read(&duel->models[number], &test->file, "test", &err));
    duel->made[number] = test;
}

// An arm: a shoulder 40 above the origin that a controller raises, and a hand 20 in front of it.
static void make_arm(duel_t *duel) {
    test_model_t *arm = TestModel_Make(1, 2, 1);
    make_bone(arm, 0, "shoulder", Vector(0.0f, 0.0f, 40.0f));
    make_bone(arm, 1, "hand", Vector(20.0f, 0.0f, 0.0f));
    arm->controllers[0] = (model_controller_t){"lower", 0, MODEL_TURN_Y, -90.0f, 90.0f};
    arm->hitboxes[0] = (model_hitbox_t){0, 0, {{-2, -2, -2}, {20, 2, 2}}};
    arm->model.num_controllers = 1;
    arm->model.num_animations = arm->model.num_frames = 0;
    finish(duel, ARM, arm);
}

// A sword along x, 30 long and 2 wide. Its handle is at the origin.
static void make_sword(duel_t *duel) {
    test_model_t *sword = TestModel_Make(2, 1, 1);
    make_bone(sword, 0, "handle", vec3_zero);
    sword->hitboxes[0] = (model_hitbox_t){0, 0, {{0, -1, -1}, {30, 1, 1}}};
    sword->model.num_controllers = sword->model.num_animations = sword->model.num_frames = 0;
    finish(duel, SWORD, sword);
}

static void start(duel_t *duel) {
    test_sim_t *sim = &duel->sim;
    memset(duel, 0, sizeof *duel);
    TestSim_InitRoom(sim, 64);
    make_arm(duel);
    make_sword(duel);
    finish(duel, RANDOM, TestModel_Make(3, 20, 4));
    sim->sv.models = duel->models;
    sim->sv.num_models = NUM_MODELS;
    duel->leader = TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_NOT, Vector(100.0f, 0.0f, 200.0f), 8.0f);
    duel->sword = TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_BBOX, vec3_zero, 40.0f);
    duel->leader->skeleton = ARM;
    duel->sword->skeleton = SWORD;
    SV_LinkEdict(&sim->sv, duel->leader, false);
    assert_true(
        SV_Follow(&sim->sv, duel->sword, duel->leader, Vector(5.0f, 0.0f, 0.0f), vec3_zero));
}

static void stop(duel_t *duel) {
    err_t err = {""};
    assert_true(World_Check(duel->sim.world, duel->sim.world->bytes, &err));
    for (int32_t i = 1; i < NUM_MODELS; i++) {
        TestModel_Free(duel->made[i]);
    }
    TestSim_Free(&duel->sim);
}

static void tick(duel_t *duel) {
    TestSim_Tick(&duel->sim);
    SV_Followers(&duel->sim.sv);
}

static void expect_near(vec3_t found, vec3_t expected, float within) {
    if (!(VectorLength(VectorSubtract(found, expected)) <= within)) {
        fail_msg("found %g %g %g, expected %g %g %g", (double)found.x, (double)found.y,
                 (double)found.z, (double)expected.x, (double)expected.y, (double)expected.z);
    }
}

// Returns a point of the lowered arm's plane: `along` from the shoulder, `lower` degrees below the
// horizontal, of a leader that faces `yaw`. In double, by the textbook.
static vec3_t on_arm(const edict_t *leader, double lower, double yaw, double along) {
    const double rad = 3.14159265358979323846 / 180.0;
    double flat = along * cos(lower * rad);
    return Vector((float)((double)leader->origin.x + flat * cos(yaw * rad)),
                  (float)((double)leader->origin.y + flat * sin(yaw * rad)),
                  (float)((double)leader->origin.z + 40.0 - along * sin(lower * rad)));
}

// Returns true if a sweep through a point, across the leader's heading, hits the sword.
static bool is_hit_at(duel_t *duel, vec3_t point) {
    vec3_t across = vec3_zero;
    AngleVectors(duel->leader->angles, NULL, &across, NULL);
    vec3_t start = VectorMA(point, -80.0f, across);
    vec3_t end = VectorMA(point, 80.0f, across);
    trace_t trace = SV_Move(&duel->sim.sv, start, vec3_zero, vec3_zero, end, MOVE_HITBOXES, NULL);
    return trace.entnum == World_EdictNumber(duel->sim.world, duel->sword);
}

/// The sword is where the hand is, at all yaws and angles of the arm; a sweep through its point
/// hits, one through the point's mirror image does not.
static void test_a_sword_in_a_hand(void **state) {
    (void)state;
    duel_t duel;
    start(&duel);
    assert_true(SV_FollowBone(&duel.sim.sv, duel.sword, "hand"));
    for (int32_t i = 0; i < 200; i++) {
        double lower = 7.0 * (i % 25) - 84.0;
        double yaw = 30.0 * (i / 25);
        duel.leader->controllers[0] = (float)lower;
        duel.leader->angles = Vector(0.0f, (float)yaw, 0.0f);
        tick(&duel);
        expect_near(duel.sword->origin, on_arm(duel.leader, lower, yaw, 25.0), 2e-3f);
        assert_true(fabs((double)duel.sword->angles.x - lower) < 1e-2);
        assert_true(is_hit_at(&duel, on_arm(duel.leader, lower, yaw, 54.5)));
        assert_false(is_hit_at(&duel, on_arm(duel.leader, lower, yaw, 57.0)));
        if (fabs(lower) > 5.0) {
            assert_false(is_hit_at(&duel, on_arm(duel.leader, -lower, yaw, 54.5)));
        }
    }
    // Angles are relative to the bone: a sword that points up in the hand of a horizontal arm.
    assert_true(SV_Follow(&duel.sim.sv, duel.sword, duel.leader, vec3_zero, Vector(-90.0f, 0, 0)));
    assert_true(SV_FollowBone(&duel.sim.sv, duel.sword, "hand"));
    duel.leader->controllers[0] = 0.0f;
    tick(&duel);
    vec3_t hand = on_arm(duel.leader, 0.0, 210.0, 20.0);
    assert_true(is_hit_at(&duel, VectorAdd(hand, Vector(0.0f, 0.0f, 29.0f))));
    assert_false(is_hit_at(&duel, VectorAdd(hand, Vector(0.0f, 0.0f, -5.0f))));
    stop(&duel);
}

/// A player's pitch does not tilt the bones, so it does not tilt the attachment.
static void test_a_player_stays_upright(void **state) {
    (void)state;
    duel_t duel;
    start(&duel);
    duel.leader->flags |= FL_CLIENT;
    duel.leader->angles = Vector(-70.0f, 90.0f, 20.0f);
    assert_true(SV_FollowBone(&duel.sim.sv, duel.sword, "hand"));
    tick(&duel);
    expect_near(duel.sword->origin, on_arm(duel.leader, 0.0, 90.0, 25.0), 1e-3f);
    stop(&duel);
}

static void test_what_is_refused(void **state) {
    (void)state;
    duel_t duel;
    start(&duel);
    sv_context_t *sv = &duel.sim.sv;
    assert_false(SV_FollowBone(sv, duel.leader, "hand"));
    assert_false(SV_FollowBone(sv, duel.sword, "foot"));
    assert_int_equal(TestSim_CountEvents(&duel.sim, EVENT_LOG,
                                         "edict 3 () cannot follow edict 2: "
                                         "the leader's model has no bone"),
                     1);
    assert_int_equal(
        TestSim_CountEvents(&duel.sim, EVENT_LOG, "edict 2 () cannot follow: it has no leader"), 1);
    assert_int_equal(duel.sword->follow_bone, 0);
    assert_true(SV_FollowBone(sv, duel.sword, "hand"));
    assert_true(SV_FollowBone(sv, duel.sword, "")); // back to the origin
    tick(&duel);
    expect_near(duel.sword->origin, Vector(105.0f, 0.0f, 200.0f), 0.0f);
    stop(&duel);
}

/// The leader changes its model, loses it, gets it back, and is removed.
static void test_the_model_changes(void **state) {
    (void)state;
    duel_t duel;
    const vec3_t hand = {125.0f, 0.0f, 240.0f};
    const vec3_t plain = {105.0f, 0.0f, 200.0f};
    static const struct {
        int32_t skeleton;
        bool on_bone;
        int32_t logged;
    } steps[] = {{ARM, true, 0}, {SWORD, false, 1}, {SWORD, false, 0}, {RANDOM, false, 0},
                 {ARM, true, 0}, {0, false, 0},     {77, false, 0},    {ARM, true, 0},
                 {-5, false, 0}, {SWORD, false, 0}, {ARM, true, 0}}; // logged once
    start(&duel);
    assert_true(SV_FollowBone(&duel.sim.sv, duel.sword, "hand"));
    for (size_t i = 0; i < COUNTOF(steps); i++) {
        duel.leader->skeleton = steps[i].skeleton;
        tick(&duel);
        expect_near(duel.sword->origin, steps[i].on_bone ? hand : plain, 1e-3f);
        assert_int_equal(TestSim_CountEvents(&duel.sim, EVENT_LOG,
                                             "edict 3 (): the model of its leader, edict 2, no "
                                             "longer has the bone \"hand\""),
                         steps[i].logged);
    }
    assert_true(SV_FollowBone(&duel.sim.sv, duel.sword, "hand"));
    duel.leader->skeleton = SWORD;
    tick(&duel);
    assert_int_equal(TestSim_CountEvents(&duel.sim, EVENT_LOG, "edict 3 (): the model"), 1);
    duel.leader->skeleton = ARM;
    static const int32_t any[] = {INT32_MIN, INT32_MAX, -1, 2, 123456};
    for (size_t i = 0; i < COUNTOF(any); i++) {
        duel.sword->follow_bone = any[i]; // a faulty game writes it
        tick(&duel);
        assert_true(VectorWithin(duel.sword->origin, 1000.0f));
    }
    assert_true(SV_FollowBone(&duel.sim.sv, duel.sword, "hand"));
    tick(&duel);
    SV_RemoveEdict(&duel.sim.sv, duel.leader);
    tick(&duel);
    assert_int_equal(duel.sword->movetype, MOVETYPE_TOSS);
    assert_int_equal(duel.sword->follow_bone, 0);
    stop(&duel);
}

/// Three edicts on bones of a random model with two blended animations, in a golden file. With and
/// without a cache of poses the bits are the same.
static void test_golden(void **state) {
    (void)state;
    uint64_t hashes[2] = {0, 0};
    for (int32_t run = 0; run < 2; run++) {
        duel_t duel;
        test_golden_t golden = {NULL, 0, 0};
        pose_cache_t *cache = run ? calloc(1, sizeof *cache) : NULL;
        start(&duel);
        duel.sim.sv.poses = cache;
        edict_t *flags[3];
        static const char *const bones[] = {"bone 0", "bone 7", "bone 19"};
        duel.leader->skeleton = RANDOM;
        duel.leader->movetype = MOVETYPE_NOCLIP;
        duel.leader->velocity = Vector(30.0f, -20.0f, 5.0f);
        duel.leader->avelocity = Vector(10.0f, 90.0f, -7.0f);
        duel.leader->animations[1] = 1;
        duel.leader->anim_blend = 0.3f;
        for (size_t i = 0; i < COUNTOF(flags); i++) {
            flags[i] = TestSim_Spawn(&duel.sim, MOVETYPE_NONE, SOLID_BBOX, vec3_zero, 4.0f);
            assert_true(SV_Follow(&duel.sim.sv, flags[i], duel.leader, Vector(3.0f, -2.0f, 1.0f),
                                  Vector(0.0f, 30.0f * (float)i, 5.0f)));
            assert_true(SV_FollowBone(&duel.sim.sv, flags[i], bones[i]));
        }
        for (int32_t n = 0; n < 100; n++) {
            tick(&duel);
            duel.leader->controllers[n % 4] = (float)(n % 40) - 10.0f;
            for (size_t i = 0; i < COUNTOF(flags) && n % 10 == 0; i++) {
                vec3_t at = flags[i]->origin;
                vec3_t turn = flags[i]->angles;
                TestGolden_Print(&golden, "tick %d %s at %a %a %a angles %a %a %a\n", n, bones[i],
                                 (double)at.x, (double)at.y, (double)at.z, (double)turn.x,
                                 (double)turn.y, (double)turn.z);
            }
        }
        hashes[run] = World_Hash(duel.sim.world);
        stop(&duel);
        free(cache);
        assert_true(TestGolden_Check(&golden, "physics_follow_bone.txt"));
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sword_in_a_hand),
        cmocka_unit_test(test_a_player_stays_upright),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_the_model_changes),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
